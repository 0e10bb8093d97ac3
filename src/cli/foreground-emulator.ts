/** The emulator that `svc emulator start`, `svc listen` and `svc mcp` run in their own process until they end. */
import type { Config } from '../config/resolve-config.ts';
import {
  createRunFile,
  createStateFolder,
  findOwnRunFile,
  lockPathOf,
  removeRunFile,
  removeUnusedStateFolder,
} from '../config/run-file.ts';
import { SvcError } from '../domain/errors.ts';
import type { Emulator } from '../emulator.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import { bootEmulator, writeCertificate } from './boot-emulator.ts';
import type { Context } from './context.ts';
import { warnAboutSettings } from './endpoint-warnings.ts';
import { openUrl } from './open-url.ts';
import type { NoteOutput, ProcessContext } from './process-context.ts';
import { announceReady } from './ready-line.ts';
import { printHint, printWarning } from './report-error.ts';

export interface ForegroundEmulator {
  readonly emulator: Emulator;
  /** Path of the self-signed certificate that clients must trust; null without one. */
  readonly certificate: string | null;
  /** Prints the ready line or the banner, and opens the dashboard if the configuration says so. */
  announce(status: EmulatorStatus): Promise<void>;
}

/**
 * Starts an emulator that the commands in this folder find.
 * @param options settings of the command
 * @param fresh removes all data of the database first
 * @throws SvcError as `bootEmulator`; `untrusted_file` as `createStateFolder`; `already_running`
 */
export async function startInForeground(
  context: Context,
  options: object = {},
  fresh?: boolean,
): Promise<ForegroundEmulator> {
  const config = await context.resolveConfig(options);
  const rules = await context.resolveRules(options);
  const { projectFolder, values } = config;
  await warnAboutSettings(config, context);
  const release = await claimFolder(projectFolder, context.env);
  const emulator = await bootEmulator(config, rules, context, fresh).catch((error) => {
    // Before the release, so that no other start locks a file that is then removed. Windows removes no open file.
    if (process.platform === 'win32') release?.();
    if (release !== null) removeUnusedStateFolder(projectFolder);
    release?.();
    throw error;
  });
  void emulator.closed.then(() => {
    // Not earlier: `svc emulator stop` waits for it.
    removeRunFile(projectFolder, process.pid);
    release?.();
  });
  const certificate = registerEmulator(emulator, projectFolder, context);
  return {
    emulator,
    certificate,
    async announce(status) {
      await announceReady(status, emulator.control, { certificate, rules }, context);
      if (values.open) void showDashboard(status.dashboard_url, context);
    },
  };
}

/**
 * Makes this process the only one that runs an emulator for a folder. In a read-only folder, which can have no run file, any
 * number can run.
 * @returns a function that releases the folder; null for a read-only one
 * @throws SvcError `already_running`; `untrusted_file` as `createStateFolder`; `sqlite_unavailable`
 */
async function claimFolder(projectFolder: string, env: ProcessContext['env']): Promise<(() => void) | null> {
  const { lockFile } = await import('../emulator.ts');
  try {
    createStateFolder(projectFolder, env);
    const release = lockFile(lockPathOf(projectFolder));
    if (release !== null) return release;
  } catch (error) {
    const isUnwritable =
      error instanceof SvcError && (error.code === 'usage' || error.code === 'database_unusable');
    if (!isUnwritable) throw error;
    return null;
  }
  throw createAlreadyRunningError(projectFolder, env);
}

function createAlreadyRunningError(projectFolder: string, env: ProcessContext['env']): SvcError {
  const running = findOwnRunFile(projectFolder, env);
  if (running === null) {
    return new SvcError('already_running', `Another process starts an emulator in ${projectFolder}.`, {
      hint: { text: 'Wait until it responds, and use it', command: 'svc emulator wait' },
    });
  }
  const url = new URL(running.control_url).origin;
  const message = `An emulator is already running in this folder: pid ${running.pid}, ${url}.`;
  return new SvcError('already_running', message, {
    hint: {
      text: 'Start a second emulator in another folder, or stop this one',
      // A configured address can be another one.
      command: `svc emulator stop --url ${url}`,
    },
  });
}

async function showDashboard(url: string, context: Context): Promise<void> {
  if (!(await openUrl(url, context))) context.io.note(`No browser was found. Open this address: ${url}`);
}

/** Whether the error says that no emulator runs, and none is configured, so that a command can start one. */
export function canStart(error: unknown, { values }: Pick<Config, 'values'>): boolean {
  return error instanceof SvcError && error.code === 'no_emulator' && values.controlUrl === null;
}

/**
 * Lets the commands in the folder find the emulator, with a run file. If it cannot be written, as in a read-only folder, a
 * warning says so, and the emulator runs without it.
 * @returns the path of the self-signed certificate; null without one
 */
export function registerEmulator(
  emulator: Emulator,
  projectFolder: string,
  { env, io }: Pick<ProcessContext, 'env'> & { readonly io: NoteOutput },
): string | null {
  const status = emulator.status();
  try {
    const certificate = writeCertificate(createStateFolder(projectFolder, env), emulator.certificate);
    // Commands in this folder run on this machine, so they do not use the public address.
    const runFile = { ...status, control_url: `${status.url}/_svc`, ...(certificate && { certificate }) };
    createRunFile(projectFolder, runFile, env);
    return certificate;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    printWarning(`${error.message} Other commands in this folder do not find this emulator.`, io);
    printHint(`Pass its URL to them with --url ${status.url}, or set SVC_CONTROL_URL.`, io);
    return null;
  }
}
