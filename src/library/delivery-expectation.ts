/** Compares deliveries with the expectation of a test, for the matchers of test runners. */
import type { SettledStatus } from '../domain/delivery.ts';
import { SvcError } from '../domain/errors.ts';
import { formatCount } from '../domain/message-parts.ts';
import { systemClock } from '../platform/wall-clock.ts';
import type { Delivery } from '../resources/delivery.ts';
import { findSentPayload } from './delivery-snapshot.ts';
import { DEFAULT_TIMEOUT_MS, type Duration, toMs } from './duration.ts';
import type { Workspace } from './workspace.ts';

export interface DeliveryExpectation {
  /** Exact number of deliveries (default: at least one). */
  readonly times?: number;
  /** Status that each delivery must reach (default: `succeeded`). */
  readonly status?: SettledStatus;
  /** ID or URL of the endpoint (default: any). */
  readonly to?: string;
  /** Fields that the payload of the event must contain. It may have more. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Real time to wait (default: 4 seconds). */
  readonly timeout?: Duration;
}

interface ExpectationResult {
  readonly pass: boolean;
  /** Lines that list the deliveries that were found. */
  readonly report: readonly string[];
}

/** Compares the payload of an event with the expected one. */
type PayloadMatcher = (payload: unknown) => boolean;

/**
 * Waits until the expected deliveries of a type have settled, one settled with another status, no delivery can settle any
 * more as in `deliveries.wait()`, or the time is over. If none is expected, it checks once every due attempt has ended.
 */
export async function waitForExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded', timeout = DEFAULT_TIMEOUT_MS } = expectation;
  if (times === 0) return checkExpectedDeliveries(workspace, type, expectation, matches);
  const endAt = systemClock.monotonic() + toMs(timeout);
  for (;;) {
    const deliveries = await workspace.deliveries.list({ type });
    const settled = deliveries.filter((delivery) => delivery.status !== 'pending');
    const candidates = await selectDeliveries(workspace, settled, expectation, matches);
    if (candidates.some((delivery) => delivery.status !== status)) {
      return { pass: false, report: await describeDeliveries(workspace, candidates, expectation) };
    }
    if (times !== undefined && candidates.length >= times) {
      // There may be more deliveries than the expected number: wait for those in flight.
      return checkExpectedDeliveries(workspace, type, expectation, matches);
    }
    if (times === undefined && candidates.length > 0) {
      return { pass: true, report: await describeDeliveries(workspace, candidates, expectation) };
    }
    const leftMs = Math.max(0, Math.ceil(endAt - systemClock.monotonic()));
    const hints: string[] = [];
    try {
      // Until another delivery has settled.
      const count = settled.length + 1;
      await workspace.deliveries.wait({ type }, { count, keepWaiting: false, timeout: leftMs });
      if (leftMs > 0) continue;
    } catch (error) {
      if (!(error instanceof SvcError) || !['timeout', 'stalled'].includes(error.code)) throw error;
      // Without the first line, which counts the deliveries of this wait only.
      hints.push(...error.message.split('\n').slice(1));
    }
    return {
      pass: false,
      report: [...(await describeDeliveries(workspace, settled, expectation)), ...hints],
    };
  }
}

/** Checks the deliveries that exist once every due attempt has ended, so that no more can follow. */
export async function checkExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded' } = expectation;
  // Does not move the clock, but resolves when every due attempt has ended.
  await workspace.clock.advance(0);
  const deliveries = await workspace.deliveries.list({ type, status });
  const candidates = await selectDeliveries(workspace, deliveries, expectation, matches);
  const pass = times === undefined ? candidates.length > 0 : candidates.length === times;
  return { pass, report: await describeDeliveries(workspace, candidates, expectation) };
}

/** Selects the deliveries to the expected endpoint with the expected payload. */
async function selectDeliveries(
  workspace: Workspace,
  deliveries: readonly Delivery[],
  { to, payload }: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<Delivery[]> {
  const selected: Delivery[] = [];
  for (const delivery of deliveries) {
    if (to !== undefined && to !== delivery.webhook_id && to !== delivery.url) continue;
    if (payload === undefined || matches(await getSentPayload(workspace, delivery))) selected.push(delivery);
  }
  return selected;
}

async function getSentPayload(workspace: Workspace, { id }: Delivery): Promise<unknown> {
  return findSentPayload(await workspace.deliveries.get(id));
}

/** A line for each delivery, with its payload if one is expected. */
function describeDeliveries(
  workspace: Workspace,
  deliveries: readonly Delivery[],
  { payload }: DeliveryExpectation,
): Promise<string[]> {
  return Promise.all(
    deliveries.map(async (delivery) => {
      const { id, status, url, attempt_count: attemptCount } = delivery;
      const line = `  ${id} to ${url}: ${status} after ${formatCount(attemptCount, 'attempt')}`;
      if (payload === undefined) return line;
      return `${line}, with ${JSON.stringify(await getSentPayload(workspace, delivery))}`;
    }),
  );
}
