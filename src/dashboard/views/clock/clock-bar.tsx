/** The clock bar: the schedule clock of the workspace, its controls, and the next due deliveries. */
import './clock.css';
import type { RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { parseDuration } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { useLiveItems } from '../../live-stream.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { showToast } from '../../toasts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import {
  addAttempts,
  advance,
  advanceToNext,
  changeClock,
  dismissResult,
  moveInProgress,
  moveResult,
  settle,
  toggleFrozen,
} from './clock-actions.ts';
import { formatDistance, formatRate, formatUtc, summarizeAttempts } from './clock-format.ts';
import { DueDeliveries } from './due-deliveries.tsx';

const SPEEDS = [1, 10, 100, 3600];
const STEPS = ['5m', '30m', '24h'];

export function ClockBar() {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const duration = useRef<HTMLInputElement>(null);
  useShortcuts([
    { key: 'f', description: 'Freeze or resume the clock', run: toggleFrozen },
    { key: 'n', description: 'Advance the clock to the next attempt', run: advanceToNext },
    { key: 'S', description: 'Advance the clock until no delivery is pending', run: settle },
    {
      key: 'a',
      description: 'Advance the clock by a duration',
      run: () => {
        setOpen(true);
        requestAnimationFrame(() => duration.current?.focus());
      },
    },
  ]);
  useLiveItems((items) => {
    const id = moveInProgress.peek()?.workspaceId;
    const sentCount = items.filter(
      (item) => item.type === 'attempt' && item.delivery.workspace_id === id,
    ).length;
    if (sentCount > 0) addAttempts(sentCount);
  });
  const isFrozen = selectedClock.value.state.value?.rate === 0;
  return (
    <section class="clock" aria-label="Clock" aria-busy={moveInProgress.value !== null}>
      <CurrentTime />
      <button
        type="button"
        class="clock-freeze"
        title={`${isFrozen ? 'Resume' : 'Freeze'} (f)`}
        onClick={toggleFrozen}
      >
        <Icon name={isFrozen ? 'play' : 'pause'} />
        <span class="clock-button-label">{isFrozen ? 'Resume' : 'Freeze'}</span>
      </button>
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
        <MoveControls duration={duration} />
      </div>
      <div class="clock-status">
        <ClockMoveResult />
        <div class="clock-next">
          <DueDeliveries />
        </div>
      </div>
    </section>
  );
}

function CurrentTime() {
  const clock = selectedClock.value;
  const [state, now, wallNow] = [clock.state.value, clock.now.value, clock.wallNow.value];
  if (state === undefined || now === undefined || wallNow === undefined) {
    return <p class="muted clock-time">Loading clock…</p>;
  }
  const { rate } = state;
  const [date, time] = formatUtc(now).split(' ');
  const distance = formatDistance(now, wallNow);
  return (
    <p class="clock-time">
      <Icon name="clock" />
      <time class="mono" dateTime={new Date(now).toISOString()} title="Schedule time, UTC">
        <span class="clock-date">{date}</span> {time}
      </time>
      <span class={`badge ${rate === 0 ? 'pending' : 'succeeded'}`}>{formatRate(rate)}</span>
      {distance !== null && <span class="muted clock-offset">{distance}</span>}
    </p>
  );
}

function SpeedButtons() {
  return (
    <fieldset>
      <legend class="visually-hidden">Speed: seconds of schedule time per second of real time</legend>
      {SPEEDS.map((speed) => (
        <button
          key={speed}
          type="button"
          aria-pressed={selectedClock.value.state.value?.rate === speed}
          title={`${formatCount(speed, 'second')} of schedule time per second of real time`}
          onClick={() => changeClock({ speed, frozen: false })}
        >
          ×{speed}
        </button>
      ))}
    </fieldset>
  );
}

function MoveControls({ duration }: { readonly duration: RefObject<HTMLInputElement | null> }) {
  const isBusy = moveInProgress.value !== null;
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
        <button type="button" title="Advance until no delivery is pending (S)" onClick={settle}>
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
    showToast(`Invalid duration "${text}". Enter a duration such as 90s, 5m, 2h or 1h30m.`, true);
  else void advance(ms, text.trim());
  return ms !== null;
}

const MAX_SHOWN = 100;

function ClockMoveResult() {
  return (
    <div class="row">
      <span role="status">{describeProgress()}</span>
      {moveInProgress.value === null && <Attempts />}
    </div>
  );
}

function describeProgress(): string {
  const { value } = moveInProgress;
  if (value !== null) {
    const { title, attemptCount: count } = value;
    return count === 0 ? `${title}…` : `${title}… ${count} ${count === 1 ? 'attempt' : 'attempts'}`;
  }
  return moveResult.value?.attempts.length === 0 ? 'No attempts were due' : '';
}

function Attempts() {
  const { value: move } = moveResult;
  if (move === null) return null;
  const { attempts } = move;
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
