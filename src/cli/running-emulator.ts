/** Whose a port is, and whose a folder. */
import type { ProjectLocation } from '../config/project-folders.ts';
import type { Config } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import { createHttpControlClient } from '../control/http-control-client.ts';
import { findOwnRunFile } from '../control/run-file.ts';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import { getVerifiedStatus, resolveTarget } from './emulator-target.ts';

const STATUS_TIMEOUT_MS = 1_000;

/**
 * The emulator that has the configured port; null where another program has it, or none. The program that listens
 * there may be another user's, so it is not sent the configured token.
 */
export async function findEmulatorOnPort(
  { values, sources }: Config,
  location: ProjectLocation,
): Promise<EmulatorStatus | null> {
  const { host, port } = values;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const signal = abortAfter(STATUS_TIMEOUT_MS);
  const asked = ['http', 'https'].map(async (scheme) => {
    const controlUrl = `${scheme}://${authority}`;
    const settings = { values: { ...values, controlUrl, controlToken: null }, sources };
    const target = await resolveTarget(settings, location);
    return createHttpControlClient({ ...target, signal }).getStatus({});
  });
  return Promise.any(asked).catch(() => null);
}

/** Whom to ask for the port, and what else there is to do. */
export function suggestForBusyPort(occupant: EmulatorStatus | null, port: number): string {
  return occupant === null
    ? `Another program listens there: lsof -i :${port} names it. Or take any free port with --port 0.`
    : `An emulator listens there: process ${occupant.pid}, database ${occupant.db}. Stop it with svc emulator stop --url ${occupant.url}, or take any free port with --port 0.`;
}

/**
 * One emulator a folder: the commands in it find no more than that.
 * @throws SvcError `already_running` when one answers that was started in this very folder; `untrusted_file` when
 *   another user can change its run file.
 */
export async function assertNoneRunning(
  { values, sources, projectFolder }: Config,
  { env }: Pick<ProjectLocation, 'env'>,
): Promise<void> {
  const run = findOwnRunFile(projectFolder, env);
  if (run === null) return;
  const settings = { values: { ...values, controlUrl: null, controlToken: null }, sources };
  const target = await resolveTarget(settings, { cwd: projectFolder, env });
  const control = createHttpControlClient({ ...target, signal: abortAfter(STATUS_TIMEOUT_MS) });
  const running = await getVerifiedStatus(run, control).catch(() => null);
  if (running === null) return;
  const message = `An emulator runs in this folder already: process ${running.pid} at ${running.url}, database ${running.db}.`;
  throw new SvcError('already_running', message, {
    hint: 'svc emulator stop ends it. Another one beside it needs a folder of its own.',
  });
}
