/** Checks the running emulator: its run file, its address, its clock and its endpoints. */

import { createFindingBuilder, type Finding, toProbeFindings } from '../../client/findings.ts';
import type { ProjectLocation } from '../../config/project-folders.ts';
import { findRunFile, inspectRunFile } from '../../config/run-file.ts';
import { type ControlPlane, listAll } from '../../contract/control-plane.ts';
import type { ClockState, EmulatorStatus } from '../../contract/emulator-schemas.ts';
import type { WebhookDetail } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { describeClock } from '../render/describe-clock.ts';
import { explainMissingWorkspace, findHint } from '../report-error.ts';

export interface RunningEmulator {
  readonly control: ControlPlane;
  readonly status: EmulatorStatus;
}

interface CheckedEmulator {
  readonly finding: Finding;
  /** Null when no emulator responds. */
  readonly running: RunningEmulator | null;
}

export async function checkEmulator(context: Context): Promise<CheckedEmulator> {
  const emulator = createFindingBuilder('emulator', 'Emulator');
  const { controlUrl } = (await context.resolveConfig()).values;
  try {
    if (controlUrl === null && findRunFile(context) === null) {
      return {
        finding: emulator.skipped('not running in this folder', {
          text: 'Start it',
          command: 'svc emulator start',
        }),
        running: null,
      };
    }
    const control = await context.connect();
    const status = await control.getStatus({});
    const finding = emulator.ok(`${status.url}, version ${status.version}, process ${status.pid}`);
    return { finding, running: { control, status } };
  } catch (error) {
    return { finding: emulator.fromError(error, findHint), running: null };
  }
}

/**
 * @param runningPid process ID of the emulator that responds; null without one
 * @param configuredUrl the address that commands use instead of that in the run file; null without one
 */
export function checkRunFile(
  location: ProjectLocation,
  runningPid: number | null,
  configuredUrl: string | null,
): Finding {
  const file = createFindingBuilder('run_file', 'Run file');
  let runFile: ReturnType<typeof inspectRunFile>;
  try {
    runFile = inspectRunFile(location);
  } catch (error) {
    return file.fromError(error);
  }
  if (runFile === null)
    return file.ok(runningPid === null ? 'none' : 'none; the emulator was started in another folder');
  const { path, run, isAlive } = runFile;
  const remove = { text: 'Remove it', command: `rm ${path}` };
  if (run === null) return file.warning(`${path} cannot be read and is ignored`, remove);
  if (!isAlive) {
    return file.warning(`${path} is ignored: its process ${run.pid} has exited`, remove);
  }
  if (runningPid === run.pid) return file.ok(`${path}, process ${run.pid}`);
  const isUsed = configuredUrl === null || hasSameOrigin(configuredUrl, run.control_url);
  return runningPid === null && isUsed
    ? file.problem(`${path} names process ${run.pid}, but no emulator responds at its address`, remove)
    : file.ok(`${path}, process ${run.pid}; commands use another address`);
}

function hasSameOrigin(first: string, second: string): boolean {
  return new URL(first).origin === new URL(second).origin;
}

/** Checks the schedule clock of the workspace that commands use. */
export async function checkClock({ control }: RunningEmulator, context: Context): Promise<Finding> {
  const clock = createFindingBuilder('clock', 'Clock');
  const workspace_id = await context.getWorkspaceId();
  let state: ClockState;
  try {
    state = await control.getClock({ workspace_id });
  } catch (error) {
    return clock.fromError(explainMissingWorkspace(error, context.env), findHint);
  }
  const { data } = await control.listDeliveries({ workspace_id, status: 'pending', limit: 1 });
  const description = describeClock(state);
  if (state.speed > 0 || data.length === 0) return clock.ok(description);
  return clock.warning(`${description}; pending deliveries wait until the clock moves`, {
    text: 'Run svc clock next to send the next scheduled attempt, or resume the clock',
    command: 'svc clock resume',
  });
}

interface EndpointCheckOptions {
  /** Whether to send two test deliveries, one with an invalid signature. Without them, only the connection is tested. */
  readonly sendsTestDeliveries: boolean;
  /** Milliseconds since 1970, to judge the expiry of certificates. */
  readonly wallTime: number;
}

/** Checks whether endpoints are reachable, and whether the receivers verify signatures (§6). */
export async function checkEndpoints(
  control: ControlPlane,
  options: EndpointCheckOptions,
): Promise<Finding[]> {
  const webhooks = await listAll((page) => control.listWebhooks(page));
  if (webhooks.length === 0) {
    return [
      createFindingBuilder('endpoints', 'Endpoints').skipped('no endpoint is registered', {
        text: 'Start the emulator with --forward-to PORT, or register one',
        command: 'svc webhooks create',
      }),
    ];
  }
  const findings = await Promise.all(webhooks.map((webhook) => checkEndpoint(control, webhook, options)));
  return findings.flat();
}

async function checkEndpoint(
  control: ControlPlane,
  { id, url, disabled }: WebhookDetail,
  { sendsTestDeliveries, wallTime }: EndpointCheckOptions,
): Promise<Finding[]> {
  if (disabled) {
    const state = createFindingBuilder(`${id}/enabled`, `state of ${url}`);
    return [
      state.warning('disabled: its deliveries are paused', {
        text: 'Enable it',
        command: `svc webhooks update ${id} --enable`,
      }),
    ];
  }
  return toProbeFindings(await control.probeWebhook({ id, send: sendsTestDeliveries }), wallTime);
}
