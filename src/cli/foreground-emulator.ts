/** The emulator that `svc emulator start`, `svc listen` and `svc mcp` run in their own process until they end. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/resolve-config.ts';
import {
  createRunFile,
  createStateFolder,
  LOCK_FILE,
  removeRunFile,
  removeStateFolder,
  STATE_FOLDER,
} from '../config/run-file.ts';
import { SvcError } from '../domain/errors.ts';
import type { Emulator } from '../emulator.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import type { Rules } from '../profile/rules.ts';
import { bootEmulator, type FolderClaim, writeCertificate } from './boot-emulator.ts';
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
  close(): Promise<void>;
}

interface ForegroundSettings {
  readonly config: Config;
  readonly rules: Rules;
  /** Removes all data of the database first. */
  readonly fresh?: boolean | undefined;
}

/**
 * Starts an emulator that the commands in this folder find.
 * @throws SvcError as `bootEmulator`; `untrusted_file` as `createStateFolder`; `already_running`
 */
export async function startInForeground(
  { config, rules, fresh }: ForegroundSettings,
  context: Context,
): Promise<ForegroundEmulator> {
  const { projectFolder, values } = config;
  await warnAboutSettings(config, context);
  const { lockFile } = await import('../emulator.ts');
  const claim = () => claimFolder(projectFolder, context.env, lockFile);
  const emulator = await bootEmulator(config, rules, context, { fresh, claim });
  try {
    const { certificate, remove } = registerEmulator(emulator, projectFolder, context);
    return {
      emulator,
      certificate,
      async announce(status) {
        await announceReady(status, emulator.control, { certificate, rules }, context);
        if (values.open) void showDashboard(status.dashboard_url, context);
      },
      async close() {
        remove();
        await emulator.close();
      },
    };
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

/**
 * Makes this process the only one that runs an emulator for a folder. In a read-only folder, which can have no run file, any
 * number can run.
 * @param lockFile that of the store, which commands load only with the emulator
 * @throws SvcError `already_running`; `untrusted_file` as `createStateFolder`; `sqlite_unavailable`
 */
function claimFolder(
  projectFolder: string,
  env: ProcessContext['env'],
  lockFile: (path: string) => (() => void) | null,
): FolderClaim {
  const isNew = !existsSync(join(projectFolder, STATE_FOLDER));
  try {
    const release = lockFile(join(createStateFolder(projectFolder, env), LOCK_FILE));
    if (release === null) throw createAlreadyRunningError(projectFolder);
    return {
      release,
      undo() {
        if (isNew) removeStateFolder(projectFolder);
        release();
      },
    };
  } catch (error) {
    const isUnwritable =
      error instanceof SvcError && (error.code === 'usage' || error.code === 'database_unusable');
    if (!isUnwritable) throw error;
    return { release() {}, undo() {} };
  }
}

function createAlreadyRunningError(projectFolder: string): SvcError {
  return new SvcError('already_running', `Another process runs or starts an emulator in ${projectFolder}.`, {
    hint: { text: 'Wait until it responds, and use it', command: 'svc emulator wait' },
  });
}

async function showDashboard(url: string, context: Context): Promise<void> {
  if (!(await openUrl(url, context))) context.io.note(`No browser was found. Open this address: ${url}`);
}

/**
 * Connects to the emulator of a command, or starts one if none runs and none is configured.
 * @throws SvcError `no_emulator` if its address is configured, but it does not respond
 */
export async function connectOrStart<Running>(
  connect: () => Promise<Running>,
  start: () => Promise<Running>,
  { values }: Pick<Config, 'values'>,
): Promise<Running> {
  return connect().catch((error: unknown) => {
    const isMissing = error instanceof SvcError && error.code === 'no_emulator';
    if (!isMissing || values.controlUrl !== null) throw error;
    return start();
  });
}

interface Registration {
  /** Path of the self-signed certificate; null without one. */
  readonly certificate: string | null;
  readonly remove: () => void;
}

/**
 * Lets the commands in the folder find the emulator, with a run file. If it cannot be written, as in a read-only folder, a
 * warning says so, and the emulator runs without it.
 */
export function registerEmulator(
  emulator: Emulator,
  projectFolder: string,
  { env, io }: Pick<ProcessContext, 'env'> & { readonly io: NoteOutput },
): Registration {
  const status = emulator.status();
  try {
    const certificate = writeCertificate(createStateFolder(projectFolder, env), emulator.certificate);
    // Commands in this folder run on this machine, so they do not use the public address.
    const runFile = { ...status, control_url: `${status.url}/_svc`, ...(certificate && { certificate }) };
    createRunFile(projectFolder, runFile, env);
    return { certificate, remove: () => removeRunFile(projectFolder, status.pid) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    printWarning(`${error.message} Other commands in this folder do not find this emulator.`, io);
    printHint(`Pass its URL to them with --url ${status.url}, or set SVC_CONTROL_URL.`, io);
    return { certificate: null, remove() {} };
  }
}
