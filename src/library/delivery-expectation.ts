/** Whether deliveries came as a test expects them, for the matchers of test runners. */
import { systemClock } from '../clock/wall-clock.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { SettledStatus } from '../control/wait.ts';
import { SvcError } from '../errors.ts';
import { DEFAULT_TIMEOUT_MS } from './default-timeout.ts';
import { type Duration, toMs } from './duration-argument.ts';
import type { Envelope } from './received-request.ts';
import type { Workspace } from './workspace.ts';

export interface DeliveryExpectation {
  /** How many, and no more; at least one when left out. */
  readonly times?: number;
  /** The state that each is to come to; `succeeded` when left out. */
  readonly status?: SettledStatus;
  /** The endpoint, by its id or its address. */
  readonly to?: string;
  /** What the payload of the event is to contain; it may have more. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** How long to wait for them, in real time; 4 seconds when left out. */
  readonly timeout?: Duration;
}

export interface ExpectationResult {
  readonly pass: boolean;
  /** What happened, in lines. */
  readonly report: readonly string[];
}

/** Compares the payload of an event with the expected one. */
export type PayloadMatcher = (payload: unknown) => boolean;

/** Waits until deliveries of a type have come as expected, or until one has come otherwise, or the time is over. */
export async function waitForExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  fits: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded', timeout = DEFAULT_TIMEOUT_MS } = expectation;
  if (times === 0) return invert(await checkExpectedDeliveries(workspace, type, { status }, fits));
  const endAt = systemClock.monotonic() + toMs(timeout);
  for (let settled: readonly Delivery[] = []; ; ) {
    const candidates = await select(workspace, settled, expectation, fits);
    const isWrong = candidates.some((delivery) => delivery.status !== status);
    if (isWrong || candidates.length >= (times ?? 1)) {
      // Of a number that was expected, more may be under way.
      if (!isWrong && times !== undefined) return checkExpectedDeliveries(workspace, type, expectation, fits);
      return { pass: !isWrong, report: await describeAll(workspace, candidates, expectation) };
    }
    try {
      const left = Math.max(0, endAt - systemClock.monotonic());
      settled = await workspace.deliveries.wait({ type }, { count: settled.length + 1, timeout: left });
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'timeout') throw error;
      // Its first line counts what this waited for just now, which is not what the test expects.
      const account = await describeAll(workspace, settled, expectation);
      return { pass: false, report: [...account, ...error.message.split('\n').slice(1)] };
    }
  }
}

/** The same for what there is, as soon as everything due has been sent and answered: to see that nothing more comes. */
export async function checkExpectedDeliveries(
  workspace: Workspace,
  type: string,
  expectation: DeliveryExpectation,
  fits: PayloadMatcher,
): Promise<ExpectationResult> {
  const { times, status = 'succeeded' } = expectation;
  await workspace.clock.advance(0);
  const all = await workspace.deliveries.list({ type, status });
  const found = await select(workspace, all, expectation, fits);
  const pass = times === undefined ? found.length > 0 : found.length === times;
  return { pass, report: await describeAll(workspace, found, expectation) };
}

function invert({ pass, report }: ExpectationResult): ExpectationResult {
  return { pass: !pass, report };
}

/** Those that go to the expected endpoint with the expected payload. */
async function select(
  workspace: Workspace,
  deliveries: readonly Delivery[],
  { to, payload }: DeliveryExpectation,
  fits: PayloadMatcher,
): Promise<Delivery[]> {
  const there = deliveries.filter(({ webhook_id: id, url }) => to === undefined || to === id || to === url);
  if (payload === undefined) return there;
  const checked = await Promise.all(
    there.map(async (delivery) => (fits(await findPayload(workspace, delivery)) ? [delivery] : [])),
  );
  return checked.flat();
}

/** What the event of a delivery carries; undefined where nothing was sent. */
async function findPayload(workspace: Workspace, { id }: Delivery): Promise<unknown> {
  const [first] = (await workspace.deliveries.get(id)).attempts;
  return first && (JSON.parse(first.request.body) as Envelope).data.payload;
}

/** A line for each; with what it carries, where that matters. */
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
  return `  ${id} ${status} at ${url} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
}
