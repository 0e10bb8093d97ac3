/** A delivery of an event to an endpoint: its fields and the filters of its lists. */
import * as v from 'valibot';
import { deliveryStatuses, deliveryStatusFilters, settledReasons } from '../domain/delivery.ts';
import { Attempt, attemptResult } from './attempt.ts';
import {
  type ConditionOf,
  defineFields,
  defineFilters,
  toFilterFields,
  toResponseFields,
} from './define-resource.ts';
import {
  createdFilters,
  excerptField,
  hasStatus,
  ResponseStatus,
  TIME_FORMS,
  textFilter,
  workspaceFilter,
} from './list-fields.ts';
import { Period } from './value-schemas.ts';
import { Count, described, idOf, NonEmptyText, resource, StoredEventType, Timestamp, Url } from './values.ts';

export const deliveryTable = defineFields({
  id: {
    schema: idOf('delivery'),
    label: 'ID',
    summary: 'ID of the delivery',
    detail: 'Each attempt sends it in a header',
    column: {},
  },
  status: {
    schema: v.picklist(deliveryStatuses),
    label: 'Status',
    summary: 'Status of the delivery',
    detail: 'A delivery has settled when it is no longer `pending`',
    column: {},
  },
  event_id: {
    schema: idOf('event'),
    label: 'Event',
    summary: 'ID of the event',
  },
  event_type: {
    schema: StoredEventType,
    label: 'Type',
    summary: 'Type of the event',
    column: { hideOrder: 5 },
  },
  workspace_id: {
    schema: idOf('workspace'),
    label: 'Workspace',
    summary: 'ID of the workspace that the delivery belongs to',
  },
  webhook_id: {
    schema: idOf('webhook'),
    label: 'Endpoint',
    summary: 'ID of the endpoint that receives the delivery',
  },
  url: {
    schema: Url,
    label: 'URL',
    summary: 'URL that the delivery is sent to',
    column: { hideOrder: 1, canTruncate: true, isLast: true },
  },
  settled_reason: {
    schema: v.nullable(v.picklist(settledReasons)),
    label: 'Reason',
    summary: 'Why the delivery failed or was canceled',
    detail:
      '`replay_failed` if its last replay failed, even if an earlier attempt succeeded. `null` otherwise',
  },
  /** A paused delivery still fails at the end of its retry window, unless a replay waits. */
  paused: {
    schema: v.boolean(),
    label: 'Paused',
    computed: true,
    summary: 'Whether the delivery is not sent because its endpoint is disabled',
  },
  attempt_count: {
    schema: Count,
    label: 'Attempts',
    summary: 'Number of attempts so far',
    column: { hideOrder: 3 },
  },
  last_attempt: {
    schema: v.nullable(v.object(attemptResult)),
    label: 'Last attempt',
    computed: true,
    summary: 'Result of the last attempt',
    detail: '`null` before the first. A pending delivery is failing if this attempt failed',
  },
  next_attempt_at: {
    schema: v.nullable(Timestamp),
    label: 'Next',
    computed: true,
    summary: 'Schedule time of the next attempt',
    detail: '`null` without one',
    column: { hideOrder: 4 },
  },
  created_at: {
    schema: Timestamp,
    label: 'Created',
    summary: 'Schedule time at which the delivery was created',
    column: { hideOrder: 2 },
  },
  settled_at: {
    schema: v.nullable(Timestamp),
    label: 'Settled',
    summary: 'Schedule time at which the delivery succeeded, failed or was canceled',
    detail: '`null` while it is pending',
  },
  replay_of: {
    schema: v.nullable(idOf('delivery')),
    label: 'Replay',
    summary: 'ID of the delivery that this delivery replays',
    detail: '`null` if it is not a replay',
    column: { hideOrder: 6, hideIfEmpty: true },
  },
});

export const Delivery = resource('A delivery of an event to an endpoint.', toResponseFields(deliveryTable));
export type Delivery = v.InferOutput<typeof Delivery>;

export const ListedDelivery = resource('A delivery in a list.', { ...Delivery.entries, ...excerptField });
export type ListedDelivery = v.InferOutput<typeof ListedDelivery>;

export const DeliveryDetail = resource('A delivery with its attempts.', {
  ...Delivery.entries,
  attempts: described({ summary: 'Attempts so far, in order' }, v.array(Attempt)),
  due_times: described(
    {
      summary: 'Schedule times at which the remaining attempts are due if all of them fail',
      detail:
        'The times after the next attempt are without jitter and `Retry-After`. Contains at most 100 times',
    },
    v.array(Timestamp),
  ),
});
export type DeliveryDetail = v.InferOutput<typeof DeliveryDetail>;

/** Pending after an attempt. The text is that of the partial index `deliveries_attempted`, so that SQLite can use it. */
export const ATTEMPTED = "d.status = 'pending' AND d.attempt_count > 0";
/** Pending after an attempt that failed. Deliveries to a disabled endpoint are paused instead. */
export const FAILING = `${ATTEMPTED} AND h.disabled = 0
  AND (SELECT outcome FROM attempts WHERE delivery_seq = d.seq AND number = d.attempt_count) <> 'succeeded'`;
/** 0 if the last attempt got no response; NULL before the first attempt. */
const LAST_RESPONSE =
  '(SELECT coalesce(response_status, 0) FROM attempts WHERE delivery_seq = d.seq AND number = d.attempt_count)';

const IN_PERIOD = 'BETWEEN @scheduled ->> 0 AND @scheduled ->> 1';

/** The conditions are for the delivery `d` of the event `e` to the endpoint `h`. */
export const deliveryFilters = defineFilters({
  status: {
    schema: v.picklist(deliveryStatusFilters),
    label: 'Status',
    summary: 'Only deliveries with this status',
    detail:
      '`pending` includes failing and paused deliveries. `failing` selects pending deliveries whose last attempt failed, `paused` those to disabled endpoints, and `unsuccessful` failing and failed ones',
    example: 'failing',
    sql: `(d.status = @status OR @status = 'paused' AND d.status = 'pending' AND h.disabled = 1
      OR @status = 'unsuccessful' AND d.status = 'failed' OR @status IN ('failing', 'unsuccessful') AND ${FAILING})`,
    option: '--status <status>',
    optionSummary:
      'Only deliveries with this status; unsuccessful means failing or failed, and pending includes failing and paused',
  },
  response_status: {
    schema: ResponseStatus,
    label: 'Response',
    summary: 'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx',
    detail: 'Use `none` for a last attempt without a response, such as a timeout',
    sql: hasStatus(LAST_RESPONSE, '@response_status'),
    option: '--response <status>',
    optionSummary:
      'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx; none for no response',
  },
  event_id: {
    schema: idOf('event'),
    label: 'Event',
    summary: 'Only deliveries of this event',
    sql: 'd.event_seq = (SELECT seq FROM events WHERE id = @event_id)',
    option: '--event <id>',
  },
  type: {
    schema: NonEmptyText,
    label: 'Type',
    summary: 'Only deliveries of this event type',
    sql: 'e.type = @type',
    option: '--type <type>',
  },
  webhook_id: {
    schema: idOf('webhook'),
    label: 'Endpoint',
    summary: 'Only deliveries to this endpoint',
    sql: 'd.webhook_seq = (SELECT seq FROM webhooks WHERE id = @webhook_id)',
    option: '--webhook <id>',
  },
  ...workspaceFilter('d.workspace_seq'),
  ...createdFilters('d'),
  /** The value of the condition is the two times in milliseconds since 1970, as JSON. */
  scheduled: {
    schema: Period,
    label: 'Scheduled',
    summary: 'Only deliveries with an attempt that was or is due in this period of schedule time',
    detail: `The period is \`START/END\`, or \`START\` for up to now. Each is ${TIME_FORMS}. Both are included`,
    sql: `d.due_at ${IN_PERIOD} AND h.disabled = 0
      OR EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = d.seq AND scheduled_at ${IN_PERIOD})`,
  },
  ...textFilter('Only deliveries with this text in an ID, the type, URL or body', [
    'd.id',
    'e.id',
    'e.type',
    'coalesce(d.own_url, h.url)',
    'coalesce(d.own_body, e.payload)',
  ]),
});

export const DeliveryFilter = toFilterFields(deliveryFilters);
export type DeliveryCondition = ConditionOf<typeof deliveryFilters>;
