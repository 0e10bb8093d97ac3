import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { Expectation } from '../../fixtures/script-fixtures.ts';
import { formatCount, formatDeliveryCount } from '../render/format-count.ts';

/** What is not as expected, in words; null when all is. */
export function findMismatch(expectation: Expectation, deliveries: readonly Delivery[]): string | null {
  const { deliveries: count, status, attempt_count: attempts } = expectation;
  if (count !== undefined && count !== deliveries.length) {
    return `there: ${formatDeliveryCount(deliveries.length)}`;
  }
  const other = deliveries.find(
    (delivery) =>
      (status !== undefined && status !== delivery.status) ||
      (attempts !== undefined && attempts !== delivery.attempt_count),
  );
  return other === undefined
    ? null
    : `${other.id} is ${other.status} after ${formatCount(other.attempt_count, 'attempt')}`;
}

/** `deliveries of paid to shop: succeeded after 1 attempt` */
export function formatExpectation(expectation: Expectation): string {
  const { event, webhook, deliveries, status, attempt_count: attempts } = expectation;
  const subject = [
    deliveries === undefined ? 'every delivery' : formatDeliveryCount(deliveries),
    ...(event === undefined ? [] : [`of ${event}`]),
    ...(webhook === undefined ? [] : [`to ${webhook}`]),
  ];
  const state = [
    ...(status === undefined ? [] : [status]),
    ...(attempts === undefined ? [] : [`after ${formatCount(attempts, 'attempt')}`]),
  ];
  return `${subject.join(' ')}${state.length === 0 ? '' : `: ${state.join(' ')}`}`;
}
