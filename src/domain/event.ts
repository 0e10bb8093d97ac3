/** Event types and subscriptions (§2 of the service description). */

/** The form `<noun>.<verb>` (§2): lower-case letters, digits and `_`. */
export const EVENT_TYPE_PATTERN = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;
export const EVENT_TYPE_MAX_LENGTH = 128;
/** The forms of all senders, such as `push` and `orders/create`. */
export const ANY_EVENT_TYPE_PATTERN = /^\w[\w-]*(?:[./][\w-]+)*$/;

/** The subscription that matches every event type; discouraged in production (§2). */
export const WILDCARD_SUBSCRIPTION = '*';

/** Whether `type` can be an event type of a sender: of the service (§2), or of another one. */
export function isEventType(type: string, pattern = ANY_EVENT_TYPE_PATTERN): boolean {
  return type.length <= EVENT_TYPE_MAX_LENGTH && pattern.test(type);
}

/** Whether an endpoint subscribed to `subscriptions` receives events of `type` (§6). */
export function isSubscribedTo(subscriptions: readonly string[], type: string): boolean {
  return subscriptions.includes(type) || subscriptions.includes(WILDCARD_SUBSCRIPTION);
}

/** The event types, or `*`, that both subscriptions match. */
export function listCommonTypes(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.includes(WILDCARD_SUBSCRIPTION) ? others : some.filter((type) => isSubscribedTo(others, type));
}
