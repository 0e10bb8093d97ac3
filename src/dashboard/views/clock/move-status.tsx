/** A line at the bottom of the page with the move of the clock that is in progress, or the result of the last one. */
import type { AttemptSummary } from '../../../resources/attempt.ts';
import { workspaceId } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import {
  cancelMove,
  dismissResult,
  findMoveInProgress,
  type MoveInProgress,
  moveResult,
} from './clock-actions.ts';
import { formatUtc, summarizeAttempts } from './clock-format.ts';

export function MoveStatus() {
  const move = findMoveInProgress(workspaceId.value);
  const result = move === null ? moveResult.value : null;
  return (
    <section class={move === null && result === null ? '' : 'row clock-move'} aria-label="Clock move">
      <span role="status">
        {move === null ? result && summarizeAttempts(result.attempts) : describe(move)}
      </span>
      {move !== null && !move.isCanceled && <ActionButton onClick={cancelMove}>Cancel</ActionButton>}
      {result !== null && (
        <button type="button" class="quiet push-right" aria-label="Dismiss result" onClick={dismissResult}>
          <Icon name="cross" />
        </button>
      )}
      {result !== null && result.attempts.length > 0 && <Attempts attempts={result.attempts} />}
    </section>
  );
}

function describe({ title, attemptCount: count, isCanceled }: MoveInProgress): string {
  if (isCanceled) return 'Canceled. The clock stops as soon as the attempts in progress have ended.';
  const ended = count === 0 ? '' : ` ${count} ${count === 1 ? 'attempt' : 'attempts'} sent.`;
  return `${title}…${ended} Waiting for responses.`;
}

/** Limit for the list of the attempts that a move sent. */
const MAX_SHOWN = 100;

function Attempts({ attempts }: { readonly attempts: readonly AttemptSummary[] }) {
  return (
    <details class="clock-attempts">
      <summary>Show attempts</summary>
      <ol class="divided-list">
        {attempts.slice(0, MAX_SHOWN).map((attempt) => (
          <li key={attempt.id}>
            <AttemptLink attempt={attempt} />
            <OutcomeBadge {...attempt} />
            <time dateTime={attempt.scheduled_at}>{formatUtc(Date.parse(attempt.scheduled_at))}</time>
          </li>
        ))}
      </ol>
      {attempts.length > MAX_SHOWN && <p class="muted">and {attempts.length - MAX_SHOWN} more</p>}
    </details>
  );
}
