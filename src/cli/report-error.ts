/** Explains errors, and prints errors, warnings and hints to standard error. */
import type { ControlPlane } from '../contract/control-plane.ts';
import { suggestWhereToLook } from '../domain/ids.ts';
import { type ErrorCode, type ExitCode, formatHint, type Hint, SvcError } from '../errors.ts';
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

/** Prints the next step. */
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

const FAULTS_HINT = { text: 'List the faults', command: 'svc faults list' };

/**
 * Explains a failed API request by the newest row of the request log, which is usually its own: did a fault cause the failure?
 * Otherwise, does its workspace exist, so that only the API key cannot access it?
 * @param connect returns the control plane of the emulator that the request was sent to
 * @param workspaceId the workspace that the request names
 * @returns an error that names the cause; the same error for another cause, or when the control plane does not respond
 */
export async function explainApiError(
  error: unknown,
  connect: () => Promise<Pick<ControlPlane, 'listRequests' | 'getWorkspace'>>,
  workspaceId: string | undefined,
): Promise<unknown> {
  if (!(error instanceof SvcError) || error.code === 'interrupted') return error;
  const isDropped = error.code === 'no_emulator' && isConnectionLost(error.cause);
  if (error.code === 'no_emulator' && !isDropped) return error;
  const control = await connect().catch(() => null);
  const page = await control?.listRequests({ limit: 1 }).catch(() => null);
  if (!control || !page) return error;
  const [newestRequest] = page.data;
  const fault = newestRequest?.fault ?? null;
  if (isDropped) {
    const message = 'The API closed the connection without a response';
    return fault === null
      ? new SvcError('api_failure', `${message}.`, {
          hint: { text: 'Find the request', command: 'svc logs list --limit 1' },
          cause: error,
        })
      : new SvcError('api_failure', `${message}, probably because of the injected fault ${fault.id}.`, {
          hint: FAULTS_HINT,
          cause: error,
        });
  }
  if (newestRequest === undefined || fault === null) {
    if (workspaceId === undefined || error.code !== 'not_found' || !error.message.includes(workspaceId))
      return error;
    const workspace = await control.getWorkspace({ id: workspaceId }).catch(() => null);
    return workspace === null ? error : createOtherWorkspaceError(workspaceId, error);
  }
  const code = error.code === 'internal_error' ? 'api_failure' : error.code;
  const message = `The API responded with ${newestRequest.status} because of the injected fault ${fault.id}.`;
  return new SvcError(code, message, { hint: FAULTS_HINT, cause: error });
}

/** The API does not tell such a key that the workspace exists (gap `workspace.hidden`). */
function createOtherWorkspaceError(workspaceId: string, cause: SvcError): SvcError {
  return new SvcError('usage', `The API key does not belong to workspace ${workspaceId}.`, {
    hint: {
      text: 'Pass a key of this workspace with --api-key or SVC_API_KEY, and create one',
      command: `svc keys create --workspace ${workspaceId}`,
    },
    cause,
  });
}

function isConnectionLost(cause: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
