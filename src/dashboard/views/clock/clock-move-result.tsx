import { AttemptLink } from '../../ui/attempt-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import { dismissResult, moveInProgress, moveResult } from './clock-actions.ts';
import { formatUtc, summarizeAttempts } from './clock-format.ts';

/** More than anybody reads; the list of deliveries has them all. */
const SHOWN = 100;

/** What moves the clock now, or what the last move has caused. */
export function ClockMoveResult() {
  return (
    <div class="clock-caused">
      <span role="status">{describeProgress()}</span>
      {moveInProgress.value === null && <Attempts />}
    </div>
  );
}

function describeProgress(): string {
  const { value } = moveInProgress;
  if (value !== null) return `${value.title}… ${value.attemptCount || ''}`.trimEnd();
  return moveResult.value?.attempts.length === 0 ? 'No attempt fell due' : '';
}

function Attempts() {
  const { value: move } = moveResult;
  if (move === null) return null;
  const { attempts } = move;
  return (
    <>
      {attempts.length > 0 && (
        <Popover
          label="What moving the clock caused"
          class="quiet clock-summary"
          button={summarizeAttempts(attempts)}
        >
          <h2>{summarizeAttempts(attempts)}</h2>
          <ol class="clock-list">
            {attempts.slice(0, SHOWN).map((attempt) => (
              <li key={attempt.id}>
                <AttemptLink attempt={attempt} />
                <span class="row">
                  <OutcomeBadge {...attempt} />
                  <time dateTime={attempt.scheduled_at}>{formatUtc(Date.parse(attempt.scheduled_at))}</time>
                </span>
              </li>
            ))}
          </ol>
          {attempts.length > SHOWN && <p class="muted">and {attempts.length - SHOWN} more</p>}
        </Popover>
      )}
      <button type="button" class="quiet" aria-label="Put away what the move caused" onClick={dismissResult}>
        <Icon name="cross" />
      </button>
    </>
  );
}
