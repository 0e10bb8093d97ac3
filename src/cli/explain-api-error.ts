/** Explains a failed API request by its row in the request log: was the failure injected by a fault? */
import type { ControlPlane } from '../control/control-plane.ts';
import { SvcError } from '../errors.ts';

const HINT = 'List the faults with: svc faults list';

/**
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
  const [newest] = page.data;
  const fault = newest?.fault ?? null;
  if (isDropped) {
    const message = 'The API closed the connection without a response';
    return fault === null
      ? new SvcError('api_failure', `${message}.`, {
          hint: 'Find the request with: svc logs list --limit 1',
          cause: error,
        })
      : new SvcError('api_failure', `${message}, probably because of the injected fault ${fault.id}.`, {
          hint: HINT,
          cause: error,
        });
  }
  if (newest === undefined || fault === null) return error;
  const code = error.code === 'internal_error' ? 'api_failure' : error.code;
  const message = `The API responded with ${newest.status} because of the injected fault ${fault.id}.`;
  return new SvcError(code, message, { hint: HINT, cause: error });
}

function isConnectionLost(cause: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
