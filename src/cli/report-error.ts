/** Explains errors, and prints errors, warnings and hints to standard error. */

import { type ErrorCode, type ExitCode, formatHint, type Hint, SvcError } from '../domain/errors.ts';
import { suggestWhereToLook } from '../domain/ids.ts';
import type { Io, NoteOutput, ProcessContext } from './process-context.ts';
import { styleFor } from './render/style.ts';
import { sanitizeLine } from './terminal-text.ts';

/** Hints for errors of a client, which does not know how the command gets its key and the address of the emulator. */
const defaultHints: { readonly [Code in ErrorCode]?: Hint } = {
  unauthenticated: {
    text: 'Pass a key with --api-key or SVC_API_KEY, or set the variables of the emulator',
    command: 'eval "$(svc env)"',
  },
  // The responses of the API have no hints.
  storage_unavailable: {
    text: 'Free space on the disk of the database, and check the database',
    command: 'svc doctor',
  },
  no_emulator: {
    text: 'Connect to a running emulator with --url or SVC_CONTROL_URL, or start one',
    command: 'svc emulator start',
  },
};

/** The hint of the error, or else the one of its code. */
export function findHint({ code, hint }: SvcError): Hint | undefined {
  return hint ?? defaultHints[code];
}

/**
 * Prints an error and returns the exit code. With `--json` the error is `{"error":{"code","message","hint":{"text","command"}}}`. An
 * interruption is not printed. Anything but an `SvcError` is an internal error and is printed with its stack.
 */
export function reportError(error: unknown, io: Io, json: boolean): ExitCode {
  const svcError = error instanceof SvcError ? error : toInternalError(error);
  const { code, message } = svcError;
  const hint = findHint(svcError);
  if (json) io.noteJson({ error: { code, message, hint } });
  else if (code !== 'interrupted') {
    const { bold, red } = styleFor(io.noteCapabilities);
    // Only an internal error has several lines.
    const text = code === 'internal_error' ? message : sanitizeLine(message);
    io.note(`${bold(red('error:'))} ${text}`);
    if (hint !== undefined) printHint(hint, io);
  }
  return svcError.exitCode;
}

function toInternalError(error: unknown): SvcError {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new SvcError('internal_error', `Internal error in svc: ${trace}`, { cause: error });
}

export function printWarning(message: string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).yellow('warning:')} ${message}`);
}

export function printHint(hint: Hint | string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).cyan('hint:')} ${formatHint(hint)}`);
}

/** Says that the ID of a workspace that does not exist comes from a variable, which can be of another project. */
export function explainMissingWorkspace(
  error: unknown,
  { SVC_WORKSPACE_ID: id }: ProcessContext['env'],
): unknown {
  if (id === undefined || !(error instanceof SvcError) || error.code !== 'not_found') return error;
  // A message can also name the workspace for another reason: `ws_… is a workspace ID; event IDs start with evt_`.
  const isMissing = error.hint?.command === suggestWhereToLook(id, 'workspace').command;
  if (!isMissing || !error.message.includes(id)) return error;
  const text = 'Replace SVC_WORKSPACE_ID, which contains this ID, by setting the variables of the emulator';
  return new SvcError(error.code, error.message, {
    hint: { text, command: 'eval "$(svc env)"' },
    cause: error,
  });
}
