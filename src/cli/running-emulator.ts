/** Finds the emulator that uses a port or a folder. */
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
 * The emulator that listens on the configured port; null for another program. The configured token is not sent, because
 * the program can belong to another user.
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

/** A hint about the program that uses the port. */
export function suggestForBusyPort(emulator: EmulatorStatus | null, port: number): string {
  const findProgram = process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`;
  return emulator === null
    ? `Find the program that uses it with: ${findProgram}. Or use any free port with --port 0.`
    : `Stop the emulator that uses it (pid ${emulator.pid}, database ${emulator.db}) with: svc emulator stop --url ${emulator.url}. Or use any free port with --port 0.`;
}

/**
 * A folder can have one emulator, because commands find it by the run file.
 * @throws SvcError `already_running` when an emulator of this folder responds; `untrusted_file` when another user can
 *   change its run file.
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
  const message = `An emulator is already running in this folder: pid ${running.pid}, ${running.url}, database ${running.db}.`;
  throw new SvcError('already_running', message, {
    hint: 'Stop it with: svc emulator stop. Or start a second emulator in another folder.',
  });
}
