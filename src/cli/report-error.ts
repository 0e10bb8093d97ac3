/** Prints errors, warnings and hints to standard error. */
import { type ExitCode, SvcError } from '../errors.ts';
import type { Io, NoteOutput } from './io.ts';
import { styleFor } from './render/style.ts';
import { sanitizeLine } from './terminal-text.ts';

/**
 * Prints an error and returns the exit code. With `--json` the error is `{"error":{"code","message","hint"}}`. An
 * interruption is not printed. Anything but an `SvcError` is an internal error and is printed with its stack.
 */
export function reportError(error: unknown, io: Io, json: boolean): ExitCode {
  const svcError = error instanceof SvcError ? error : toInternalError(error);
  const { code, message, hint } = svcError;
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
  return new SvcError('internal_error', `Internal error of svc: ${trace}`, { cause: error });
}

export function printWarning(message: string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).yellow('warning:')} ${message}`);
}

/** Prints the next step. */
export function printHint(hint: string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).cyan('hint:')} ${hint}`);
}
