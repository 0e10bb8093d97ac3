import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { describeOutcome, getDisplayStatus } from '../../../domain/delivery.ts';
import { toHash } from '../../address.ts';
import type { ApiErrorResponse } from '../../public-api-client.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { DeliveryCounts, StatusBadge } from '../../ui/status-badge.tsx';
import { AttemptCount } from '../../ui/time.tsx';
import { WorkspaceScope } from '../../ui/workspace-scope.tsx';
import { startRun, type TriggerRun, triggerRuns } from './trigger-runs.ts';

const MAX_SHOWN = 8;

/** The runs of this page, newest first, with their deliveries. */
export function TriggerHistory() {
  return (
    <section class="trigger-history" aria-labelledby="trigger-sent">
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
  const [onlyEventId] = eventIds;
  return (
    <div class="row">
      <strong class="mono">{input.type}</strong>
      {input.count === 1 && onlyEventId !== undefined && (
        <a class="mono" href={toHash({ section: 'events', id: onlyEventId })}>
          {onlyEventId}
        </a>
      )}
      <span role="status">{describeProgress(run)}</span>
      {replayedCount > 0 && (
        <span
          class="badge canceled"
          title="This idempotency key was used before, so no new event was created"
        >
          existing event
        </span>
      )}
      {isFinished ? (
        <ActionButton class="push-right" onClick={() => startRun(input)}>
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

function describeProgress({ input: { count }, eventIds, isFinished, error }: TriggerRun): string {
  if (count === 1) return isFinished || error !== null ? '' : 'Sending…';
  return `${eventIds.size} of ${count} events created`;
}

function RunDeliveries({ run: { input, eventIds, deliveries, isFinished } }: { readonly run: TriggerRun }) {
  if (eventIds.size === 0) return null;
  if (deliveries.size === 0) return isFinished ? <NoSubscribers type={input.type} /> : null;
  const runDeliveries = [...deliveries.values()];
  return (
    <>
      {runDeliveries.length > 1 && (
        <p class="row">
          {runDeliveries.length} deliveries
          <DeliveryCounts
            countOf={(status) =>
              runDeliveries.filter((delivery) => getDisplayStatus(delivery) === status).length
            }
          />
        </p>
      )}
      <ul class="stack plain-list">
        {runDeliveries.slice(0, MAX_SHOWN).map((delivery) => (
          <li key={delivery.id} class="row">
            <StatusBadge status={getDisplayStatus(delivery)} />
            <LastOutcome delivery={delivery} />
            <a href={toHash({ section: 'deliveries', id: delivery.id })}>{delivery.url}</a>
            <AttemptCount delivery={delivery} />
          </li>
        ))}
      </ul>
      {runDeliveries.length > MAX_SHOWN && (
        <p>
          and {runDeliveries.length - MAX_SHOWN} more:{' '}
          <a href={toHash({ section: 'deliveries', query: { type: input.type } })}>
            all {input.type} deliveries
          </a>
        </p>
      )}
    </>
  );
}

/** `200`; `503` or `timed out` in red. Nothing before the first attempt ended. */
function LastOutcome({ delivery: { last_attempt: last } }: { readonly delivery: Delivery }) {
  if (last === null) return null;
  return <span class={last.outcome === 'succeeded' ? 'muted' : 'error-text'}>{describeOutcome(last)}</span>;
}

export function NoSubscribers({ type }: { readonly type: string }) {
  return (
    <p class="warning-text">
      No endpoint is subscribed to {type === '' ? 'this event type' : type}, so nothing is delivered.{' '}
      <a href={toHash({ section: 'webhooks' })}>Register an endpoint</a>
    </p>
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
