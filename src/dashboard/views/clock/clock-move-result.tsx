import { AttemptLink } from '../../ui/attempt-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import { dismissResult, moveInProgress, moveResult } from './clock-actions.ts';
import { formatUtc, summarizeAttempts } from './clock-format.ts';

/** Limit for the list of attempts. */
const MAX_SHOWN = 100;

/** The progress of a clock move, or the attempts of the last one. */
export function ClockMoveResult() {
  return (
    <div class="clock-result">
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
          <ol class="clock-list">
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
