import { AttemptLink } from '../../ui/attempt-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { OutcomeBadge } from '../../ui/status.tsx';
import { caused, moving, putAwayCaused } from './clock-moves.ts';
import { describeAttempts, formatInstant } from './clock-words.ts';

/** More than anybody reads; the list of deliveries has them all. */
const SHOWN = 100;

/** What moves the clock now, or what the last move has caused. */
export function Caused() {
  return (
    <div class="clock-caused">
      <span role="status">{describeMove()}</span>
      {moving.value === null && <Attempts />}
    </div>
  );
}

function describeMove(): string {
  const { value } = moving;
  if (value !== null) return `${value.title}… ${value.attemptCount || ''}`.trimEnd();
  return caused.value?.attempts.length === 0 ? 'No attempt fell due' : '';
}

function Attempts() {
  const { value: move } = caused;
  if (move === null) return null;
  const { attempts } = move;
  return (
    <>
      {attempts.length > 0 && (
        <Popover
          label="What moving the clock caused"
          class="quiet clock-summary"
          button={describeAttempts(attempts)}
        >
          <h2>{describeAttempts(attempts)}</h2>
          <ol class="clock-list">
            {attempts.slice(0, SHOWN).map((attempt) => (
              <li key={attempt.id}>
                <AttemptLink attempt={attempt} />
                <span class="row">
                  <OutcomeBadge {...attempt} />
                  <time dateTime={attempt.scheduled_at}>
                    {formatInstant(Date.parse(attempt.scheduled_at))}
                  </time>
                </span>
              </li>
            ))}
          </ol>
          {attempts.length > SHOWN && <p class="muted">and {attempts.length - SHOWN} more</p>}
        </Popover>
      )}
      <button type="button" class="quiet" aria-label="Put away what the move caused" onClick={putAwayCaused}>
        <Icon name="cross" />
      </button>
    </>
  );
}
