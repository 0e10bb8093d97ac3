import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';

/** The event types of an endpoint: `order.shipped, invoice.paid`, `* (every type)` */
export function describeSubscriptions(events: readonly string[]): string {
  return events.map((type) => (type === WILDCARD_SUBSCRIPTION ? '* (every type)' : type)).join(', ');
}
