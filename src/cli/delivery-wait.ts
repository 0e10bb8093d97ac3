/** Options, progress, messages and exit codes of the commands that wait for deliveries. */

import { describeDelivery } from '../client/texts/describe-delivery.ts';
import {
  countPaused,
  describeStalled,
  describeUnsettled,
  findFailing,
  findNextAttempt,
  MAX_ENDPOINTS,
  type NextAttempt,
  type PausedDeliveries,
} from '../client/texts/describe-unsettled.ts';
import { isPending, type TrackResult, type WaitCounts } from '../client/wait.ts';
import type { ControlPlane } from '../contract/control-plane.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import { ExitCode, type Hint, SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import { createDependentOptionError } from './option-parsers.ts';
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
  let counts: WaitCounts = { waiting: 0, matched: 0, mismatched: 0 };
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
  printHint({ text: 'Register an endpoint', command: `svc webhooks create --url URL --events ${type}` }, io);
}

/** How a command waits. */
export interface CommandWait {
  readonly timeoutMs: number;
  readonly keepWaiting: boolean;
}

/** Flag and text of the option of each command that waits. */
export const KEEP_WAITING_OPTION = [
  '--keep-waiting',
  'Wait for the whole time, even if no delivery can settle in it because the next attempt is due later',
] as const;

/** The options of a command that waits only with `--wait`. Undefined without it. */
export function toCommandWait({
  wait,
  keepWaiting = false,
}: {
  readonly wait?: number | true;
  readonly keepWaiting?: boolean;
}): CommandWait | undefined {
  if (wait !== undefined) return { timeoutMs: wait === true ? DEFAULT_WAIT_MS : wait, keepWaiting };
  if (!keepWaiting) return undefined;
  throw createDependentOptionError('--keep-waiting', '--wait');
}

/**
 * The error of a wait that ended before every delivery had settled: after its time limit, or earlier because none could settle
 * before it.
 * @param unsettled at least one delivery
 */
export async function createUnsettledError(
  unsettled: readonly Delivery[],
  { isStalled, timeoutMs }: Pick<TrackResult, 'isStalled'> & Pick<CommandWait, 'timeoutMs'>,
  control: Pick<ControlPlane, 'getClock'>,
  context: Pick<Context, 'getWorkspaceId'>,
): Promise<SvcError> {
  const next = await findNextAttempt(unsettled, control);
  const message = isStalled
    ? describeStalled(unsettled, next, timeoutMs)
    : describeUnsettled(unsettled, timeoutMs);
  const code = isStalled ? 'stalled' : 'timeout';
  if (next === null) return new SvcError(code, message, { hint: suggestEnable(countPaused(unsettled)) });
  const failing = findFailing(unsettled, next);
  if (failing !== undefined) return new SvcError(code, message, { hint: suggestExplain(failing) });
  const send = isStalled
    ? await suggestAdvance(next, context)
    : {
        text: 'Run svc deliveries list --status pending to see when each is due, or send them now',
        command: 'svc clock settle',
      };
  return new SvcError(code, message, { hint: send });
}

function suggestExplain({ id }: Delivery): Hint {
  return { text: 'Show why', command: `svc explain ${id}` };
}

/** Prints the command that explains the first delivery whose last attempt failed. With `--json` it prints nothing. */
export function hintToExplain(
  deliveries: readonly Delivery[],
  { io, json }: Pick<Context, 'io' | 'json'>,
): void {
  const failed = deliveries.find(({ last_attempt: last }) => last !== null && last.outcome !== 'succeeded');
  if (failed !== undefined && !json) printHint(suggestExplain(failed), io);
}

/** The command that moves the clock to the next attempt. */
async function suggestAdvance(
  { workspaceId, dueIn }: NextAttempt,
  context: Pick<Context, 'getWorkspaceId'>,
): Promise<Hint> {
  const workspace = workspaceId === (await context.getWorkspaceId()) ? '' : ` --workspace ${workspaceId}`;
  return { text: 'Send the next attempt now', command: `svc clock advance ${dueIn}${workspace}` };
}

/**
 * The exit code of a command that waited for deliveries to settle. Prints the next step if one was not delivered.
 * @throws SvcError `timeout` or `stalled` when one is still pending
 */
export async function toWaitExitCode(
  { deliveries, ...result }: TrackResult & Pick<CommandWait, 'timeoutMs'>,
  control: Pick<ControlPlane, 'getClock'>,
  context: Pick<Context, 'getWorkspaceId' | 'io' | 'json'>,
): Promise<ExitCode> {
  const pending = deliveries.filter(isPending);
  if (pending.length > 0) throw await createUnsettledError(pending, result, control, context);
  const undelivered = deliveries.filter(({ status }) => status !== 'succeeded');
  hintToExplain(undelivered, context);
  return undelivered.length === 0 ? ExitCode.success : ExitCode.failure;
}

/** The command that enables the endpoints, or the first of many. */
export function suggestEnable(paused: PausedDeliveries): Hint {
  const shown = paused.slice(0, MAX_ENDPOINTS);
  const which = paused.length === 1 ? 'it' : paused.length === shown.length ? 'them' : 'the first of them';
  const commands = shown.map(({ webhook_id: id }) => `svc webhooks update ${id} --enable`);
  return { text: `Enable ${which}`, command: commands.join('; ') };
}
