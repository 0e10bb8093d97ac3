/** A logged request as a command that sends it again. */

import { REMOVED } from '../domain/secret-remover.ts';
import { toCurl } from '../domain/shell.ts';
import type { ApiRequestDetail, LoggedMessage } from './request.ts';

const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** Whether the request has a body that was not read, for example because its API key is invalid. */
export function hasUnreadBody({ body, headers }: LoggedMessage): boolean {
  if (body !== null) return false;
  return Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined;
}

/** Why the command of {@link toCurlCommand} does not send the same request, as a clause; null if it does. */
export function findCurlProblem({ method, path, request }: ApiRequestDetail): string | null {
  if (path.includes(REMOVED)) return 'its query contained a secret, which is not stored';
  if (request.truncated) return 'only a part of it is stored';
  return METHODS_WITH_BODY.includes(method) && hasUnreadBody(request) ? 'its body was not read' : null;
}

/** Headers that curl or the connection sets, or that say only which client sent the request. */
const OMITTED_HEADER =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect|accept|accept-.*|user-agent|origin|referer|sec-.*|priority)$/;

/**
 * A command for a POSIX shell that sends the request again. It reads the API key from the variable SVC_API_KEY, and leaves out other
 * secrets.
 * @param origin of the API, such as `http://127.0.0.1:4777`
 */
export function toCurlCommand({ method, path, request }: ApiRequestDetail, origin: string): string {
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => name !== 'authorization' && !OMITTED_HEADER.test(name) && !value.includes(REMOVED),
  );
  const body = METHODS_WITH_BODY.includes(method) ? request.body : null;
  // An argument of a command cannot contain these bytes.
  const isPiped = body !== null && (request.encoding === 'base64' || body.includes('\0'));
  const command = toCurl({
    url: origin + path,
    method,
    apiKeyVariable: 'SVC_API_KEY',
    headers: Object.fromEntries(headers),
    body: isPiped ? { file: '-' } : body,
  });
  if (!isPiped) return command;
  const base64 = request.encoding === 'base64' ? body : toBase64(body);
  return `printf %s '${base64}' | base64 --decode | ${command}`;
}

/** Not with `Buffer`, which browsers do not have. */
function toBase64(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join(''));
}
