/** The trace of an event: the request that created it, its deliveries, their attempts and replays as a tree. */
import './trace.css';
import { buildTraceTree, countHiddenAttempts, type TraceNode } from '../../../client/trace-tree.ts';
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import type { ApiRequest } from '../../../contract/resources.ts';
import { type EventTrace, TRACE_LIMITS } from '../../../contract/trace-schemas.ts';
import { getDisplayStatus, settledReasonDescriptions } from '../../../domain/delivery.ts';
import { formatLatency, formatSpan, SECOND_MS } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { HttpStatusBadge, OutcomeBadge, StatusBadge } from '../../ui/status-badge.tsx';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';

export function TraceView({ eventId }: { readonly eventId: string }) {
  const query = useQuery(() => control.getEventTrace({ id: eventId, limit: TRACE_LIMITS.max }), [eventId], {
    refetchOn: (item) => item.type === 'reset' || ('delivery' in item && item.delivery.event_id === eventId),
  });
  return (
    <QueryView query={query} what="the trace">
      {(trace) => (
        <>
          <Trace trace={trace} />
          {trace.has_more && (
            <a href={toHash({ section: 'deliveries', query: { event_id: eventId } })}>
              All deliveries of this event
            </a>
          )}
        </>
      )}
    </QueryView>
  );
}

function Trace({ trace }: { readonly trace: EventTrace }) {
  const { request, deliveries } = trace;
  const event = (
    <li>
      <EventRow event={trace.event} />
      {deliveries.length > 0 && (
        <ul>
          {buildTraceTree(deliveries).map((node) => (
            <DeliveryItem key={node.delivery.id} node={node} trace={trace} />
          ))}
        </ul>
      )}
    </li>
  );
  return (
    <ul class="trace" aria-label="Trace">
      {request === null ? (
        event
      ) : (
        <li>
          <RequestRow request={request} />
          <ul>{event}</ul>
        </li>
      )}
    </ul>
  );
}

function RequestRow({ request }: { readonly request: ApiRequest }) {
  const { id, method, path, status, duration_ms: ms, at } = request;
  return (
    <div class="row trace-row">
      <a href={toHash({ section: 'requests', id })}>
        {method} {path}
      </a>
      <HttpStatusBadge status={status} />
      <span class="muted">{formatLatency(ms)}</span>
      <span class="muted">
        <Time at={at} clock="wall" />
      </span>
    </div>
  );
}

function EventRow({ event }: { readonly event: EventTrace['event'] }) {
  return (
    <div class="row trace-row">
      <strong>{event.type}</strong>
      <span class="muted">
        <Time at={event.created_at} clock="schedule" />
      </span>
    </div>
  );
}

interface DeliveryItemProps {
  readonly node: TraceNode;
  readonly trace: EventTrace;
}

function DeliveryItem({ node: { delivery, replays }, trace }: DeliveryItemProps) {
  const {
    id,
    url,
    settled_reason: reason,
    next_attempt_at: nextAt,
    replay_of: original,
    attempts,
  } = delivery;
  const hiddenCount = countHiddenAttempts(delivery);
  return (
    <li>
      <div class="row trace-row">
        <StatusBadge status={getDisplayStatus(delivery)} />
        <a href={toHash({ section: 'deliveries', id })}>{url}</a>
        {original !== null && <span class="badge highlighted">replay</span>}
        {reason !== null && <span class="muted">{settledReasonDescriptions[reason]}</span>}
      </div>
      <ul>
        {hiddenCount > 0 && <li class="muted">{formatCount(hiddenCount, 'older attempt')}</li>}
        {attempts.map((attempt) => (
          <AttemptItem key={attempt.id} attempt={attempt} eventAt={trace.event.created_at} />
        ))}
        {nextAt !== null && (
          <li class="muted">
            next attempt <AttemptDueTime at={nextAt} />
          </li>
        )}
        {replays.map((replay) => (
          <DeliveryItem key={replay.delivery.id} node={replay} trace={trace} />
        ))}
      </ul>
    </li>
  );
}

interface AttemptItemProps {
  readonly attempt: AttemptSummary;
  readonly eventAt: string;
}

function AttemptItem({ attempt, eventAt }: AttemptItemProps) {
  const { delivery_id: id, number, trigger, fault, duration_ms: ms, scheduled_at: dueAt } = attempt;
  const sinceEventMs = Date.parse(dueAt) - Date.parse(eventAt);
  return (
    <li>
      <div class="row trace-row">
        <a href={toHash({ section: 'deliveries', id, query: { attempt: String(number) } })}>
          Attempt {number}
        </a>
        <OutcomeBadge {...attempt} />
        {trigger === 'manual' && <span class="badge highlighted">replay</span>}
        {fault !== undefined && <span class="badge pending">{fault.kind}</span>}
        <time class="muted" dateTime={dueAt} title={`${dueAt} (schedule time)`}>
          +{sinceEventMs < SECOND_MS ? '0s' : formatSpan(sinceEventMs, 2)}
        </time>
        <span class="muted" title="From the start of the attempt to its end, in real time">
          {formatLatency(ms)}
        </span>
      </div>
    </li>
  );
}
