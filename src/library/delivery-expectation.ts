/** Compares deliveries with the expectation of a test, for the matchers of test runners. */
import * as v from 'valibot';
import { systemClock } from '../clock/wall-clock.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import { JsonObject } from '../contract/fields.ts';
import type { SettledStatus } from '../control/wait.ts';
import { SvcError } from '../errors.ts';
import {
  DEFAULT_TIMEOUT_MS,
  type Duration,
  OptionalDuration,
  OptionalSettledStatus,
  type SchemasOf,
  toMs,
  wholeNumber,
} from './argument-schemas.ts';
import type { Envelope } from './received-request.ts';
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

export const ExpectationSchema = v.optional(
  v.strictObject({
    times: v.optional(wholeNumber(0)),
    status: OptionalSettledStatus,
    to: v.optional(v.string()),
    payload: v.optional(JsonObject),
    timeout: OptionalDuration,
  } satisfies SchemasOf<DeliveryExpectation>),
);

export interface ExpectationResult {
  readonly pass: boolean;
  /** Lines that list the deliveries that were found. */
  readonly report: readonly string[];
}

/** Compares the payload of an event with the expected one. */
export type PayloadMatcher = (payload: unknown) => boolean;

/** Waits until the expected deliveries of a type have settled, one settled with another status, or the time is over. */
export async function waitForExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded', timeout = DEFAULT_TIMEOUT_MS } = expectation;
  if (times === 0) return invert(await checkExpectedDeliveries(workspace, type, { status }, matches));
  const endAt = systemClock.monotonic() + toMs(timeout);
  for (let settled: readonly Delivery[] = []; ; ) {
    const candidates = await select(workspace, settled, expectation, matches);
    const hasWrongStatus = candidates.some((delivery) => delivery.status !== status);
    if (hasWrongStatus || candidates.length >= (times ?? 1)) {
      // There may be more deliveries than the expected number: wait for those in flight.
      if (!hasWrongStatus && times !== undefined)
        return checkExpectedDeliveries(workspace, type, expectation, matches);
      return { pass: !hasWrongStatus, report: await describeAll(workspace, candidates, expectation) };
    }
    try {
      const remainingMs = Math.max(0, endAt - systemClock.monotonic());
      settled = await workspace.deliveries.wait(
        { type },
        { count: settled.length + 1, timeout: remainingMs },
      );
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'timeout') throw error;
      const all = await workspace.deliveries.list({ type });
      const lines = await describeAll(
        workspace,
        all.filter((delivery) => delivery.status !== 'pending'),
        expectation,
      );
      // Without the first line, which counts the deliveries of this wait only.
      return { pass: false, report: [...lines, ...error.message.split('\n').slice(1)] };
    }
  }
}

/** Checks the deliveries that exist once everything due has a response, so that no more can follow. */
export async function checkExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded' } = expectation;
  await workspace.clock.advance(0);
  const all = await workspace.deliveries.list({ type, status });
  const found = await select(workspace, all, expectation, matches);
  const pass = times === undefined ? found.length > 0 : found.length === times;
  return { pass, report: await describeAll(workspace, found, expectation) };
}

function invert({ pass, report }: ExpectationResult): ExpectationResult {
  return { pass: !pass, report };
}

/** Selects the deliveries to the expected endpoint with the expected payload. */
async function select(
  workspace: Workspace,
  deliveries: readonly Delivery[],
  { to, payload }: DeliveryExpectation,
  matches: PayloadMatcher,
): Promise<Delivery[]> {
  const toEndpoint = deliveries.filter(
    ({ webhook_id: id, url }) => to === undefined || to === id || to === url,
  );
  if (payload === undefined) return toEndpoint;
  const checked = await Promise.all(
    toEndpoint.map(async (delivery) => (matches(await findPayload(workspace, delivery)) ? [delivery] : [])),
  );
  return checked.flat();
}

/** The payload of a delivery; undefined if nothing was sent. */
async function findPayload(workspace: Workspace, { id }: Delivery): Promise<unknown> {
  const [first] = (await workspace.deliveries.get(id)).attempts;
  return first && (JSON.parse(first.request.body) as Envelope).data.payload;
}

/** A line for each delivery, with its payload if one is expected. */
function describeAll(
  workspace: Workspace,
  deliveries: readonly Delivery[],
  { payload }: DeliveryExpectation,
): Promise<string[]> {
  return Promise.all(
    deliveries.map(async (delivery) => {
      const line = describe(delivery);
      return payload === undefined
        ? line
        : `${line}, with ${JSON.stringify(await findPayload(workspace, delivery))}`;
    }),
  );
}

function describe({ id, status, url, attempt_count: attempts }: Delivery): string {
  return `  ${id} ${status} to ${url} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
}
