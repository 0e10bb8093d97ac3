import { toHash } from '../../address.ts';
import type { ApiErrorResponse } from '../../public-api-client.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { WorkspaceScope } from '../../ui/workspace-scope.tsx';
import { EventDeliveryList } from '../events/event-view.tsx';
import { startRun, type TriggerRun, triggerRuns } from './trigger-runs.ts';

/** The runs of this page, newest first, with their deliveries. */
export function TriggerHistory() {
  return (
    <section aria-labelledby="trigger-sent" class="stack">
      <h2 id="trigger-sent">Sent</h2>
      {triggerRuns.value.length === 0 && (
        <EmptyState>Events that you send appear here with their deliveries.</EmptyState>
      )}
      <ol class="stack plain-list">
        {triggerRuns.value.map((run) => (
          <li key={run.number} class="card stack">
            <RunHeader run={run} />
            {run.error !== null && <ApiErrorAlert apiErrorResponse={run.error} />}
            <WorkspaceScope workspaceId={run.input.workspaceId}>
              <RunDeliveries run={run} />
            </WorkspaceScope>
          </li>
        ))}
      </ol>
    </section>
  );
}

function RunHeader({ run }: { readonly run: TriggerRun }) {
  const { input, eventIds, replayedCount, isFinished, stop } = run;
  const [eventId] = eventIds;
  return (
    <div class="row">
      <strong class="mono">{input.type}</strong>
      {input.count === 1 && eventId !== undefined && (
        <a class="mono" href={toHash({ section: 'events', id: eventId })}>
          {eventId}
        </a>
      )}
      <span role="status">
        {input.count > 1
          ? `${eventIds.length} of ${input.count} events created`
          : !isFinished && run.error === null && 'Sending…'}
      </span>
      {replayedCount > 0 && (
        <span
          class="badge canceled"
          title="This idempotency key was used before, so no new event was created"
        >
          existing event
        </span>
      )}
      {isFinished ? (
        <ActionButton class="push-right" onClick={() => void startRun(input)}>
          Send again
        </ActionButton>
      ) : (
        <button type="button" class="push-right" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  );
}

function RunDeliveries({ run: { input, eventIds } }: { readonly run: TriggerRun }) {
  const [eventId] = eventIds;
  if (eventId === undefined) return null;
  if (input.count === 1) return <EventDeliveryList eventId={eventId} />;
  return (
    <a href={toHash({ section: 'deliveries', query: { type: input.type } })}>All {input.type} deliveries</a>
  );
}

/** An error of the API as a client receives it (§7). */
function ApiErrorAlert({
  apiErrorResponse: { status, code, message, requestId },
}: {
  readonly apiErrorResponse: ApiErrorResponse;
}) {
  return (
    <div class="notice failed" role="alert">
      <p>
        <strong>
          {status === 0 ? '' : status} <code>{code}</code>
        </strong>{' '}
        {message}
      </p>
      {requestId !== null && (
        <p>
          Request{' '}
          <a class="mono" href={toHash({ section: 'requests', id: requestId })}>
            {requestId}
          </a>
        </p>
      )}
    </div>
  );
}
