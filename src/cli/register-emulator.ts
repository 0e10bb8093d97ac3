/** Lets the commands in a folder find an emulator of this process. */
import {
  createRunFile,
  createStateFolder,
  ensureRunFile,
  type RunFile,
  removeRunFile,
} from '../config/run-file.ts';
import type { Emulator } from '../emulator.ts';
import { SvcError } from '../errors.ts';
import { clearInterval, setInterval } from '../timers.ts';
import { writeCertificate } from './boot-emulator.ts';
import type { NoteOutput, ProcessContext } from './process-context.ts';
import { printHint, printWarning } from './report-error.ts';

const CHECK_INTERVAL_MS = 500;

interface Registration {
  /** Path of the self-signed certificate that clients must trust; null without one. */
  readonly certificate: string | null;
  readonly remove: () => void;
}

/** Keeps a run file. If it cannot be written, as in a read-only folder, a warning says so, and the emulator runs without it. */
export function registerEmulator(
  emulator: Emulator,
  projectFolder: string,
  { env, io }: Pick<ProcessContext, 'env'> & { readonly io: NoteOutput },
): Registration {
  try {
    return keepRunFile(emulator, projectFolder, env);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    printWarning(`${error.message} Other commands in this folder do not find this emulator.`, io);
    printHint(`Pass its URL to them with --url ${emulator.status().url}, or set SVC_CONTROL_URL.`, io);
    return { certificate: null, remove() {} };
  }
}

/**
 * Writes the run file, and writes it again if it is removed: `git clean -fdx` can do that.
 * @throws SvcError as `createStateFolder`, `writeCertificate` and `createRunFile`
 */
function keepRunFile(emulator: Emulator, projectFolder: string, env: ProcessContext['env']): Registration {
  const status = emulator.status();
  const certificate = writeCertificate(createStateFolder(projectFolder, env), emulator.certificate);
  // Commands in this folder run on this machine, so they do not use the public address.
  const control_url = `${status.url}/_svc`;
  const runFile: RunFile = { ...status, control_url, ...(certificate && { certificate }) };
  createRunFile(projectFolder, runFile, env);
  const timer = setInterval(() => {
    try {
      ensureRunFile(projectFolder, runFile, env);
    } catch {
      // The emulator keeps running. Without a run file, commands need --url.
    }
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return {
    certificate,
    remove() {
      clearInterval(timer);
      removeRunFile(projectFolder, status.pid);
    },
  };
}
