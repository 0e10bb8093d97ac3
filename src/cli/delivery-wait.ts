/** Progress, messages and exit codes of the commands that wait for deliveries. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { ClockMove } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { describeDelivery } from '../control/describe-delivery.ts';
import { isPending, type WaitCounts } from '../control/wait.ts';
import { formatDuration } from '../domain/duration.ts';
import { formatDeliveryCount } from '../domain/message-parts.ts';
import { ExitCode, SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Io } from './process-context.ts';
import { renderProgressBar, withProgress } from './progress.ts';
import { printHint } from './report-error.ts';
import type { ScheduleTimeOf } from './schedule-time.ts';

/** The time limit of `--wait` without a value, and of `--timeout` if it is not passed. */
export const DEFAULT_WAIT_MS = 30_000;

/** Shows a progress bar while `wait` runs. @param label what happened to the deliveries that are done: `Settled` */
export function showDeliveryProgress<Result>(
  label: string,
  context: Pick<Context, 'io' | 'json'>,
  wait: (onChange: (counts: WaitCounts) => void) => Promise<Result>,
): Promise<Result> {
  let counts: WaitCounts = { waiting: 0, matched: 0, mismatched: 0, paused: 0 };
  const result = wait((changedCounts) => {
    counts = changedCounts;
  });
  const toBar = ({ waiting, matched, mismatched }: WaitCounts) =>
    renderProgressBar(matched + mismatched, waiting + matched + mismatched);
  return withProgress(context, async () => `${label} ${toBar(counts)}`, result);
}

/** Maximum number of explained deliveries: the first ones usually show the cause. */
const MAX_EXPLAINED = 20;

/** Prints why deliveries have not arrived. With `--json` it prints nothing. */
export async function explainDeliveries(
  deliveries: readonly Delivery[],
  scheduleTimeOf: ScheduleTimeOf,
  control: Pick<ControlPlane, 'getDelivery'>,
  { io, json }: Pick<Context, 'io' | 'json'>,
): Promise<void> {
  if (json) return;
  const explained = deliveries.slice(0, MAX_EXPLAINED);
  const details = await Promise.all(explained.map(({ id }) => control.getDelivery({ id })));
  for (const delivery of details) io.note(describeDelivery(delivery, scheduleTimeOf(delivery)));
  const rest = deliveries.length - explained.length;
  if (rest > 0) io.note(`… and ${rest} more.`);
}

/** Prints why an event of this type has no deliveries. */
export function explainNoDeliveries(type: string, io: Io): void {
  io.note(`No enabled endpoint subscribes to ${type}, so nothing is delivered.`);
  printHint(`Register an endpoint with: svc webhooks create --url URL --events ${type}`, io);
}

/**
 * The error of a wait that ended before every delivery had settled: after its time limit, or earlier because all unsettled
 * deliveries are paused.
 * @param unsettled at least one delivery
 */
export function createTimeoutError(unsettled: readonly Delivery[], timeoutMs: number): SvcError {
  const paused = countPaused(unsettled);
  if (unsettled.every((delivery) => delivery.paused)) {
    return new SvcError('timeout', describePaused(paused), { hint: suggestEnable(paused) });
  }
  const message = `${formatDeliveryCount(unsettled.length)} ${unsettled.length === 1 ? 'has' : 'have'} not settled after ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', paused.length === 0 ? message : `${message} ${describePaused(paused)}`, {
    hint: 'Run svc deliveries list --status pending to see when each is due, or send them now with: svc clock settle',
  });
}

/**
 * The exit code of a command that waited for deliveries to settle.
 * @param timeoutMs undefined if it did not wait
 * @throws SvcError `timeout` when one is still pending
 */
export function toWaitExitCode(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.success;
  const pending = deliveries.filter(isPending);
  if (pending.length > 0) throw createTimeoutError(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.success : ExitCode.failure;
}

/** Deliveries to disabled endpoints (gap `delivery.paused`). */
type PausedDeliveries = ClockMove['paused'];

/** Maximum number of endpoints that a message lists. */
const MAX_ENDPOINTS = 5;

/** Counts the paused deliveries by endpoint. */
export function countPaused(deliveries: readonly Delivery[]): PausedDeliveries {
  const counts = new Map<string, number>();
  for (const { webhook_id: id, paused } of deliveries) {
    if (paused) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].map(([webhook_id, deliveries]) => ({ webhook_id, deliveries }));
}

/** `2 deliveries are paused: wh_… is disabled.` */
export function describePaused(paused: PausedDeliveries): string {
  const count = paused.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const ids = listFirst(
    paused.map(({ webhook_id: id }) => id),
    ', ',
  );
  return `${formatDeliveryCount(count)} ${isOrAre(count)} paused: ${ids} ${isOrAre(paused.length)} disabled.`;
}

/** The commands that enable the endpoints. */
export function suggestEnable(paused: PausedDeliveries): string {
  const commands = paused.map(({ webhook_id: id }) => `svc webhooks update ${id} --enable`);
  return `Enable ${paused.length === 1 ? 'it' : 'them'} with: ${listFirst(commands, '; ')}`;
}

function listFirst(texts: readonly string[], separator: string): string {
  const more = texts.length > MAX_ENDPOINTS ? [`… and ${texts.length - MAX_ENDPOINTS} more`] : [];
  return [...texts.slice(0, MAX_ENDPOINTS), ...more].join(separator);
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
