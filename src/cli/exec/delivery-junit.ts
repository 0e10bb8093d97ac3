/** Renders deliveries as test cases in JUnit XML, with a suite for each endpoint. */
import type { Attempt, DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { describeOutcome, settledReasonDescriptions } from '../../domain/delivery.ts';
import { type JUnitResult, renderJUnit } from '../junit.ts';

/**
 * Names are the same in every run of the same test: endpoints, and the deliveries of each event type to an endpoint, are
 * numbered from oldest to newest. IDs, which differ, are in the output of each case.
 * @param failuresAreExpected whether a failed delivery passes
 */
export function renderDeliveryJUnit(
  deliveries: readonly DeliveryDetail[],
  failuresAreExpected: boolean,
): string {
  const endpoints = [...new Set(deliveries.map(({ webhook_id: id }) => id))];
  const suites = endpoints.map((endpoint, index) => {
    const endpointDeliveries = deliveries.filter(({ webhook_id: id }) => id === endpoint);
    const name = toSuiteName(index + 1, endpointDeliveries[0]?.url ?? '');
    const counts = new Map<string, number>();
    const cases = endpointDeliveries.map((delivery) => {
      const ordinal = (counts.get(delivery.event_type) ?? 0) + 1;
      counts.set(delivery.event_type, ordinal);
      return {
        classname: name,
        name: `${delivery.event_type} #${ordinal}`,
        durationMs: addDurations(delivery.attempts),
        result: failuresAreExpected && delivery.status === 'failed' ? null : toResult(delivery),
        output: describeDelivery(delivery),
      };
    });
    return { name, cases, durationMs: addDurations(endpointDeliveries.flatMap(({ attempts }) => attempts)) };
  });
  return renderJUnit('svc deliveries', suites);
}

/** The URL without its port, because tests often use a random one. */
function toSuiteName(ordinal: number, url: string): string {
  const { hostname, pathname } = new URL(url);
  return `endpoint ${ordinal}: ${hostname}${pathname}`;
}

/** The IDs, port and times, which differ from run to run, with the result. */
function describeDelivery({ id, event_id, webhook_id, url, status, attempts }: DeliveryDetail): string {
  const summary = `${id} of ${event_id} to ${url} (${webhook_id}): ${status}`;
  return [summary, ...attempts.map(describeAttempt)].join('\n');
}

function toResult({ status, settled_reason: reason, attempts }: DeliveryDetail): JUnitResult | null {
  if (status === 'succeeded') return null;
  const reasons = reason === null ? [] : [settledReasonDescriptions[reason]];
  if (status === 'canceled') return { kind: 'skipped', message: reasons.join() };
  const last = attempts.at(-1);
  const lastOutcome = last === undefined ? 'not attempted' : (last.error ?? describeOutcome(last));
  return {
    kind: 'failure',
    type: last?.outcome ?? status,
    message: [status, ...reasons, lastOutcome].join(': '),
    details: attempts.map(describeAttempt).join('\n'),
  };
}

function describeAttempt(attempt: Attempt): string {
  const { number, sent_at: at, error } = attempt;
  return `#${number} ${at} ${error ?? describeOutcome(attempt)}`;
}

function addDurations(attempts: readonly Attempt[]): number {
  return attempts.reduce((sum, { duration_ms: ms }) => sum + ms, 0);
}
