/** The clock bar: the schedule clock of the workspace, its controls, and the next due deliveries. */
import { isLost } from '../../control.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import './clock.css';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ClockMove } from '../../../contract/emulator-schemas.ts';
import { formatDuration, parseDuration, SECOND_MS } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { useLiveItems } from '../../live-stream.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { showErrorToast } from '../../toasts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import {
  advance,
  advanceToNext,
  changeClock,
  countAttempts,
  dismissResult,
  findMoveInProgress,
  type MoveInProgress,
  moveResult,
  settle,
  toggleFrozen,
} from './clock-actions.ts';
import { formatDistance, formatSpeed, formatUtc, summarizeAttempts } from './clock-format.ts';
import { DueDeliveries } from './due-deliveries.tsx';

const SPEEDS = [1, 10, 100, 3600];
const STEPS = ['5m', '30m', '24h'];

export function ClockBar() {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const duration = useRef<HTMLInputElement>(null);
  useShortcuts([
    { key: 'z', description: 'Freeze or resume the clock', run: toggleFrozen },
    { key: 'n', description: 'Advance the clock to the next attempt', run: advanceToNext },
    { key: 'S', description: 'Advance the clock until all deliveries have settled', run: settle },
    {
      key: 'a',
      description: 'Advance the clock by a duration',
      run: () => {
        setOpen(true);
        requestAnimationFrame(() => duration.current?.focus());
      },
    },
  ]);
  useLiveItems(countAttempts);
  const move = findMoveInProgress(workspaceId.value);
  const isFrozen = selectedClock.value.state.value?.speed === 0;
  return (
    <section class="clock" aria-label="Clock" aria-busy={move !== null}>
      <CurrentTime />
      <ActionButton
        type="button"
        class="clock-freeze"
        title={`${isFrozen ? 'Resume' : 'Freeze'} (z)`}
        onClick={toggleFrozen}
      >
        <Icon name={isFrozen ? 'play' : 'pause'} />
        <span class="clock-button-label">{isFrozen ? 'Resume' : 'Freeze'}</span>
      </ActionButton>
      <button
        type="button"
        class="clock-toggle"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Controls
      </button>
      <div id={id} class={`row clock-controls ${isOpen ? 'open' : ''}`}>
        <SpeedButtons />
        <MoveControls duration={duration} isBusy={move !== null || isLost.value} />
      </div>
      <div class="clock-status">
        <Distance />
        <MoveStatus move={move} />
        <div class="clock-next">
          <DueDeliveries />
        </div>
      </div>
    </section>
  );
}

/** Before the time is known, placeholders of the same width keep everything in its place. */
function CurrentTime() {
  const { state, now } = selectedClock.value;
  const [date, time] = now.value === undefined ? ['---- -- --', '--:--:--'] : formatUtc(now.value).split(' ');
  const speed = state.value?.speed;
  return (
    <p class="clock-time">
      <Icon name="clock" />
      <time
        class="mono"
        dateTime={now.value === undefined ? undefined : new Date(now.value).toISOString()}
        title={['Schedule time, UTC', describeDistance()].filter(Boolean).join(', ')}
      >
        <span class="clock-date">{date}</span> {time}
      </time>
      <span class={`badge ${speed === 0 ? 'pending' : 'succeeded'}`}>
        {speed === undefined ? '…' : formatSpeed(speed)}
      </span>
    </p>
  );
}

function Distance() {
  const distance = describeDistance();
  return distance === null ? null : <span class="muted clock-offset">{distance}</span>;
}

function describeDistance(): string | null {
  const { now, wallNow } = selectedClock.value;
  if (now.value === undefined || wallNow.value === undefined) return null;
  return formatDistance(now.value, wallNow.value);
}

function SpeedButtons() {
  return (
    <fieldset>
      <legend class="visually-hidden">Speed: seconds of schedule time per second of real time</legend>
      {SPEEDS.map((speed) => (
        <ActionButton
          key={speed}
          type="button"
          aria-pressed={selectedClock.value.state.value?.speed === speed}
          title={`${formatCount(speed, 'second')} of schedule time per second of real time`}
          onClick={() => changeClock({ speed, frozen: false })}
        >
          ×{speed}
        </ActionButton>
      ))}
    </fieldset>
  );
}

interface MoveControlsProps {
  readonly duration: RefObject<HTMLInputElement | null>;
  readonly isBusy: boolean;
}

function MoveControls({ duration, isBusy }: MoveControlsProps) {
  return (
    <>
      <fieldset disabled={isBusy}>
        <legend class="visually-hidden">Advance</legend>
        {STEPS.map((step) => (
          <button key={step} type="button" onClick={() => advanceBy(step)}>
            +{step}
          </button>
        ))}
        <AdvanceForm field={duration} />
      </fieldset>
      <fieldset disabled={isBusy}>
        <legend class="visually-hidden">Advance to</legend>
        <button type="button" title="Advance to the next attempt (n)" onClick={advanceToNext}>
          <Icon name="next" /> Next
        </button>
        <button type="button" title="Advance until all deliveries have settled (S)" onClick={settle}>
          <Icon name="skip" /> Settle
        </button>
      </fieldset>
    </>
  );
}

function AdvanceForm({ field }: { readonly field: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setInvalid(!advanceBy(text));
  };
  return (
    <form class="clock-advance" onSubmit={submit}>
      <input
        ref={field}
        value={text}
        placeholder="2h30m"
        aria-label="Advance by"
        aria-invalid={isInvalid}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setInvalid(false);
        }}
      />
      <button type="submit">Advance</button>
    </form>
  );
}

/** @returns false when the text is not a duration */
function advanceBy(text: string): boolean {
  const ms = parseDuration(text);
  if (ms === null)
    showErrorToast(`Invalid duration "${text}". Enter a duration such as 90s, 5m, 2h or 1h30m.`);
  else void advance(ms, text.trim());
  return ms !== null;
}

/** Limit for the list of the attempts that a move sent. */
const MAX_SHOWN = 100;

/** The move in progress, or the result of the last one. */
function MoveStatus({ move }: { readonly move: MoveInProgress | null }) {
  const seconds = useElapsedSeconds(move?.title);
  const status = move === null ? describeResult() : describeProgress(move);
  return (
    <div class="row clock-move">
      <span role="status" title={status}>
        {status}
      </span>
      {move !== null && (
        <>
          {seconds > 0 && <span class="muted">{formatDuration(seconds * SECOND_MS)}</span>}
          <button type="button" onClick={move.cancel}>
            Cancel
          </button>
        </>
      )}
      {move === null && moveResult.value !== null && (
        <Attempts attempts={moveResult.value.move?.attempts ?? []} />
      )}
    </div>
  );
}

/** Seconds of real time since the move with this title started; 0 without a move. */
function useElapsedSeconds(title: string | undefined): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    if (title === undefined) return;
    const timer = setInterval(() => setSeconds((before) => before + 1), SECOND_MS);
    return () => clearInterval(timer);
  }, [title]);
  return seconds;
}

function describeProgress({ title, attemptCount: count }: MoveInProgress): string {
  const ended = count === 0 ? '' : ` ${count} ${count === 1 ? 'attempt' : 'attempts'} ended.`;
  return `${title}…${ended} Waiting for responses.`;
}

function describeResult(): string {
  const { value: result } = moveResult;
  if (result === null) return '';
  if (result.move === null)
    return 'Canceled. The clock stops as soon as the attempts in progress have ended.';
  // A button shows the attempts.
  return result.move.attempts.length === 0 ? 'No attempts were due' : '';
}

function Attempts({ attempts }: Pick<ClockMove, 'attempts'>) {
  return (
    <>
      {attempts.length > 0 && (
        <Popover label="Clock move result" class="subtle clock-summary" button={summarizeAttempts(attempts)}>
          <h2>{summarizeAttempts(attempts)}</h2>
          <ol class="clock-list divided-list">
            {attempts.slice(0, MAX_SHOWN).map((attempt) => (
              <li key={attempt.id}>
                <AttemptLink attempt={attempt} />
                <span class="row">
                  <OutcomeBadge {...attempt} />
                  <time dateTime={attempt.scheduled_at}>{formatUtc(Date.parse(attempt.scheduled_at))}</time>
                </span>
              </li>
            ))}
          </ol>
          {attempts.length > MAX_SHOWN && <p class="muted">and {attempts.length - MAX_SHOWN} more</p>}
        </Popover>
      )}
      <button type="button" class="subtle" aria-label="Dismiss result" onClick={dismissResult}>
        <Icon name="cross" />
      </button>
    </>
  );
}
