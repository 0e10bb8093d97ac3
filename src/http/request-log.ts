import type { H3Event } from 'h3';
import { isId } from '../domain/ids.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RequestState } from './public-api.ts';

/** Longest path that the log keeps, in characters. */
const PATH_LIMIT = 2048;
/** The same for a request without a valid key, which anybody can send. */
const PATH_LIMIT_WITHOUT_KEY = 256;

/**
 * Writes a request into the API log, soon rather than at once: nobody waits for it, and a commit of its own would
 * cost a flush to the disk.
 */
export function logRequest(
  { store, wall }: Sandbox,
  event: H3Event,
  { requestId, startedAt, caller, fault, errorCode, resourceId }: RequestState,
  status: number,
): void {
  const durationMs = wall.monotonic() - startedAt;
  const row = {
    id: requestId,
    at_wall: wall.now(),
    method: event.req.method,
    path: (event.url.pathname + event.url.search).slice(0, caller ? PATH_LIMIT : PATH_LIMIT_WITHOUT_KEY),
    status,
    error_code: errorCode,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    api_key_seq: caller?.keySeq ?? null,
    workspace_seq: caller?.workspaceSeq ?? null,
    resource_id: resourceId,
    fault: fault && JSON.stringify(fault.mark),
  };
  store.writeSoon(() => store.apiRequests.insert({ seq: store.nextSeq(), ...row }));
}

/** The id of the resource that a path names; null where it names none, or nothing that is an id. */
export function findIdInPath(event: H3Event): string | null {
  const id = event.context.params?.id;
  return id !== undefined && isId(id) ? id : null;
}

/** The id of the record that an answer is, as JSON text; every record begins with it, and a list does not. */
export function findIdOfRecord(body: string): string | null {
  return /^\{"id":"(\w+)"/.exec(body)?.[1] ?? null;
}
