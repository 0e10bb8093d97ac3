/** Explains errors, and prints errors, warnings and hints to standard error. */
import type { ControlPlane } from '../control/control-plane.ts';
import { listNextSteps } from '../domain/next-step.ts';
import { type ExitCode, SvcError } from '../errors.ts';
import type { Io, NoteOutput } from './process-context.ts';
import { styleFor } from './render/style.ts';
import { sanitizeLine } from './terminal-text.ts';

/**
 * Prints an error and returns the exit code. With `--json` the error is `{"error":{"code","message","hint","next"}}`. An
 * interruption is not printed. Anything but an `SvcError` is an internal error and is printed with its stack.
 */
export function reportError(error: unknown, io: Io, json: boolean): ExitCode {
  const svcError = error instanceof SvcError ? error : toInternalError(error);
  const { code, message, hint } = svcError;
  const next = hint === undefined ? [] : listNextSteps(hint);
  if (json) io.noteJson({ error: { code, message, hint, ...(next.length > 0 && { next }) } });
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

/** Prints the next step. */
export function printHint(hint: string, { note, noteCapabilities }: NoteOutput): void {
  note(`${styleFor(noteCapabilities).cyan('hint:')} ${hint}`);
}

const FAULTS_HINT = 'List the faults with: svc faults list';

/**
 * Explains a failed API request by the newest row of the request log, which is usually its own: did a fault cause the failure?
 * @param connect returns the control plane of the emulator that the request was sent to
 * @returns an error that names the fault; the same error when no fault caused it, or the control plane does not respond
 */
export async function explainApiError(
  error: unknown,
  connect: () => Promise<Pick<ControlPlane, 'listRequests'>>,
): Promise<unknown> {
  if (!(error instanceof SvcError) || error.code === 'interrupted') return error;
  const isDropped = error.code === 'no_emulator' && isConnectionLost(error.cause);
  if (error.code === 'no_emulator' && !isDropped) return error;
  const page = await connect()
    .then((control) => control.listRequests({ limit: 1 }))
    .catch(() => null);
  if (page === null) return error;
  const [newestRequest] = page.data;
  const fault = newestRequest?.fault ?? null;
  if (isDropped) {
    const message = 'The API closed the connection without a response';
    return fault === null
      ? new SvcError('api_failure', `${message}.`, {
          hint: 'Find the request with: svc logs list --limit 1',
          cause: error,
        })
      : new SvcError('api_failure', `${message}, probably because of the injected fault ${fault.id}.`, {
          hint: FAULTS_HINT,
          cause: error,
        });
  }
  if (newestRequest === undefined || fault === null) return error;
  const code = error.code === 'internal_error' ? 'api_failure' : error.code;
  const message = `The API responded with ${newestRequest.status} because of the injected fault ${fault.id}.`;
  return new SvcError(code, message, { hint: FAULTS_HINT, cause: error });
}

function isConnectionLost(cause: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
