/** Finds the emulator that uses a port or a folder. */

import { createHttpControlClient } from '../client/http-client.ts';
import type { ProjectLocation } from '../config/project-folders.ts';
import type { Config } from '../config/resolve-config.ts';
import { findOwnRunFile } from '../config/run-file.ts';
import { type Hint, SvcError } from '../domain/errors.ts';
import { addBrackets } from '../domain/http-url.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import { abortAfter } from '../platform/abort-signals.ts';
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
  const authority = `${addBrackets(host)}:${port}`;
  const signal = abortAfter(STATUS_TIMEOUT_MS);
  // Not at the same time, because `node:https` is slow to load.
  for (const scheme of ['http', 'https']) {
    const controlUrl = `${scheme}://${authority}`;
    const settings = { values: { ...values, controlUrl, controlToken: null }, sources };
    const target = await resolveTarget(settings, location).catch(() => null);
    if (target === null) continue;
    try {
      return await createHttpControlClient({ ...target, signal }).getStatus({});
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      if (cause?.code === 'ECONNREFUSED') return null;
    }
  }
  return null;
}

/** Names the emulator that responds on the configured port, for an error that no emulator is running in the folder. */
export async function suggestOtherEmulator(
  error: unknown,
  config: Config,
  location: ProjectLocation,
): Promise<unknown> {
  if (!(error instanceof SvcError) || error.code !== 'no_emulator' || error.hint !== undefined) return error;
  const other = await findEmulatorOnPort(config, location);
  if (other === null) return error;
  const hint = `Use the emulator of ${other.project_folder} with: --url ${other.url}`;
  return new SvcError(error.code, error.message, { hint, cause: error });
}

/** ` by svc (…)`, to append to "in use". Empty for another program, for which null stands. */
export function describePortOwner(emulator: EmulatorStatus | null): string {
  return emulator === null ? '' : ` by svc (pid ${emulator.pid}, database ${emulator.db})`;
}

/** The hint for a port that is in use. @param emulator the emulator that uses it; null for another program */
export function suggestForBusyPort(emulator: EmulatorStatus | null, port: number): Hint {
  const findProgram = process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`;
  const [alternative, command] =
    emulator === null
      ? [`find the program on port ${port}`, findProgram]
      : ['stop that emulator', `svc emulator stop --url ${emulator.url}`];
  return { text: `Use any free port with svc emulator start --port 0, or ${alternative}`, command };
}

/**
 * The emulator for this folder; null if none responds, although the process that the run file names may be alive.
 * @throws SvcError `untrusted_file` when another user can change the run file.
 */
export async function findEmulatorOfFolder(
  config: Config,
  { env }: Pick<ProjectLocation, 'env'>,
): Promise<EmulatorStatus | null> {
  const runFile = findOwnRunFile(config.projectFolder, env);
  if (runFile === null) return null;
  const control = await connectToFolder(config, env, abortAfter(STATUS_TIMEOUT_MS));
  return getVerifiedStatus(runFile, control).catch(() => null);
}

/** Connects to the emulator that the run file names, even if another address is configured. */
export async function connectToFolder(
  { values, sources, projectFolder }: Config,
  env: ProjectLocation['env'],
  signal: AbortSignal,
): Promise<ControlPlane> {
  const settings = { values: { ...values, controlUrl: null, controlToken: null }, sources };
  const target = await resolveTarget(settings, { cwd: projectFolder, env });
  return createHttpControlClient({ ...target, signal });
}

/**
 * A folder can have one emulator, because commands find it by the run file.
 * @throws SvcError `already_running` when an emulator in this folder responds; `untrusted_file` when another user can
 *   change its run file.
 */
export async function assertNoneRunning(
  config: Config,
  location: Pick<ProjectLocation, 'env'>,
): Promise<void> {
  const status = await findEmulatorOfFolder(config, location);
  if (status === null) return;
  const message = `An emulator is already running in this folder: pid ${status.pid}, ${status.url}, database ${status.db}.`;
  throw new SvcError('already_running', message, {
    hint: {
      text: 'Start a second emulator in another folder, or stop this one',
      // A configured address can be another one.
      command: `svc emulator stop${config.values.controlUrl === null ? '' : ` --url ${status.url}`}`,
    },
  });
}
