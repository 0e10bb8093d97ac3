/** The schedule clock of the workspace in the header: its time, and the buttons that move it. */
import { useState } from 'preact/hooks';
import { formatSpan, parseDuration } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { isLost } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { DueTime } from '../../ui/time.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import {
  advance,
  cancelMove,
  changeClock,
  findMoveInProgress,
  runAllRetries,
  toggleFrozen,
} from './clock-actions.ts';
import { formatDateTime, formatDistance, formatZone } from './clock-format.ts';

const SPEEDS = [1, 10, 100, 3600];

export function ClockControl() {
  const move = findMoveInProgress(workspaceId.value);
  const isMoving = move !== null;
  const isFrozen = selectedClock.value.state.value?.speed === 0;
  const isBusy = isMoving || isLost.value;
  return (
    <Toolbar label="Clock" class="row clock">
      <CurrentTime isMoving={isMoving} />
      {move === null ? (
        <ActionButton onClick={toggleFrozen}>
          <Icon name={isFrozen ? 'play' : 'pause'} />
          <span class="clock-label">{isFrozen ? 'Resume' : 'Freeze'}</span>
        </ActionButton>
      ) : (
        <ActionButton disabled={move.isCanceled} title={`${move.title}…`} onClick={cancelMove}>
          <Icon name="cross" />
          <span class="clock-label">{move.isCanceled ? 'Canceling…' : 'Cancel'}</span>
        </ActionButton>
      )}
      <Popover
        label="Advance the clock"
        shortcut={{ key: 'a', description: 'Advance the clock by a duration' }}
        button={
          <>
            <Icon name="skip" />
            <span class="wide-text">Advance…</span>
          </>
        }
      >
        {(close) => <AdvanceMenu isBusy={isBusy} close={close} />}
      </Popover>
    </Toolbar>
  );
}

/** Before the time is known, placeholders of the same width keep everything in its place. */
function CurrentTime({ isMoving }: { readonly isMoving: boolean }) {
  const { state, now, wallNow } = selectedClock.value;
  if (now.value === undefined || wallNow.value === undefined)
    return <span class="clock-time mono">---- -- -- --:--:-- ---</span>;
  const distance = formatDistance(now.value, wallNow.value);
  const offset = now.value - wallNow.value;
  const speed = state.value?.speed ?? 1;
  return (
    <span class="clock-time">
      <time
        class="mono"
        dateTime={new Date(now.value).toISOString()}
        title={['Schedule time', distance].filter(Boolean).join(', ')}
      >
        {formatDateTime(now.value)} {formatZone(now.value)}
      </time>{' '}
      {distance !== null && (
        <span class="muted">
          <span aria-hidden="true">
            {offset > 0 ? '+' : '−'}
            {formatSpan(Math.abs(offset), 2)}
          </span>
          <span class="visually-hidden">{distance}</span>
        </span>
      )}{' '}
      {isMoving && <span class="badge pending">moving</span>}
      {!isMoving && speed !== 1 && <span class="badge pending">{speed === 0 ? 'frozen' : `×${speed}`}</span>}
    </span>
  );
}

interface AdvanceMenuProps {
  readonly isBusy: boolean;
  readonly close: () => void;
}

function AdvanceMenu({ isBusy, close }: AdvanceMenuProps) {
  const { next_due_at: next, speed: current } = selectedClock.value.state.value ?? {};
  const run = (move: () => Promise<void>) => {
    close();
    void move();
  };
  return (
    <div class="stack">
      <DurationForm isBusy={isBusy} onSubmit={run} />
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => run(runAllRetries)}>
          Run all retries
        </button>
      </div>
      <p class="muted">
        {next == null ? (
          'No attempts are scheduled.'
        ) : (
          <>
            Next attempt <DueTime at={next} />
          </>
        )}
      </p>
      <fieldset class="row">
        <legend class="muted">Speed</legend>
        {SPEEDS.map((speed) => (
          <ActionButton
            key={speed}
            aria-pressed={current === speed}
            title={`${formatCount(speed, 'second')} of schedule time per second of real time`}
            onClick={() => changeClock({ speed, frozen: false })}
          >
            ×{speed}
          </ActionButton>
        ))}
      </fieldset>
    </div>
  );
}

interface DurationFormProps {
  readonly isBusy: boolean;
  readonly onSubmit: (move: () => Promise<void>) => void;
}

function DurationForm({ isBusy, onSubmit }: DurationFormProps) {
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const ms = parseDuration(text);
    setInvalid(ms === null);
    if (ms !== null) onSubmit(() => advance(ms, text.trim()));
  };
  return (
    <form onSubmit={submit} noValidate>
      <label>
        Advance by
        <span class="row">
          <input
            autofocus
            value={text}
            placeholder="35m"
            size={10}
            autocomplete="off"
            aria-invalid={isInvalid}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setInvalid(false);
            }}
          />
          <button type="submit" class="primary" disabled={isBusy}>
            Advance
          </button>
        </span>
      </label>
      <p class="error-text" role="alert">
        {isInvalid && 'Enter a duration such as 90s, 5m, 2h or 1h30m.'}
      </p>
    </form>
  );
}
