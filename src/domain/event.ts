/** Event types, event records and the delivery envelope (§2 of the service description). */

/** The form `<noun>.<verb>` (§2): lower-case letters, digits and `_`. */
export const EVENT_TYPE_PATTERN = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;
export const EVENT_TYPE_MAX_LENGTH = 128;

/** The subscription that matches every event type; discouraged in production (§2). */
export const WILDCARD_SUBSCRIPTION = '*';

/** Whether `type` has the form {@link EVENT_TYPE_PATTERN} and at most 128 characters. */
export function isEventType(type: string): boolean {
  return type.length <= EVENT_TYPE_MAX_LENGTH && EVENT_TYPE_PATTERN.test(type);
}

/** Whether an endpoint subscribed to `subscriptions` receives events of `type` (§6). */
export function isSubscribedTo(subscriptions: readonly string[], type: string): boolean {
  return subscriptions.includes(type) || subscriptions.includes(WILDCARD_SUBSCRIPTION);
}

/** The event types, or `*`, that both subscriptions match. */
export function listCommonTypes(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.includes(WILDCARD_SUBSCRIPTION) ? others : some.filter((type) => isSubscribedTo(others, type));
}

export interface EventFields {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: string;
  /** JSON text of the payload as it was sent, so that no number changes. */
  readonly payload: string;
  /** Milliseconds since 1970 on the workspace's schedule clock. */
  readonly createdAt: number;
}

/** The event record as JSON text (gap `event.record`). */
export function toEventRecord(event: EventFields): string {
  const createdAt = new Date(event.createdAt).toISOString();
  return `{"id":"${event.id}","workspace_id":"${event.workspaceId}","type":"${event.type}","payload":${event.payload},"created_at":"${createdAt}"}`;
}

/**
 * The delivery envelope as JSON text (gap `envelope`). It is serialized once, when the event is created; every attempt
 * and every replay sends these bytes.
 */
export function toEnvelope(event: EventFields, record = toEventRecord(event)): string {
  return `${formatEnvelopeStart(event)}${record}}`;
}

/** The text of the event record inside an envelope of {@link toEnvelope}, without parsing it. */
export function extractEventRecord(
  envelope: string,
  event: Pick<EventFields, 'type' | 'workspaceId' | 'createdAt'>,
): string {
  return envelope.slice(formatEnvelopeStart(event).length, -1);
}

// The fields before `data` contain no character that JSON escapes: IDs, a checked type and an ISO time.
function formatEnvelopeStart(event: Pick<EventFields, 'type' | 'workspaceId' | 'createdAt'>): string {
  const createdAt = new Date(event.createdAt).toISOString();
  return `{"type":"${event.type}","workspace_id":"${event.workspaceId}","created_at":"${createdAt}","data":`;
}
