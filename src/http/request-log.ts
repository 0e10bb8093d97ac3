import type { H3Event } from 'h3';
import type { FaultMark } from '../domain/fault.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Exchange } from './public-api.ts';

/** Longest path that the log keeps, in characters. */
const PATH_LIMIT = 2048;

/**
 * Writes a request into the API log, soon rather than at once: nobody waits for it, and a commit of its own would
 * cost a flush to the disk.
 */
export function logRequest(
  { store, wall }: Sandbox,
  event: H3Event,
  { requestId, startedAt, caller, fault, errorCode }: Exchange,
  status: number,
): void {
  const durationMs = wall.monotonic() - startedAt;
  const row = {
    id: requestId,
    at_wall: wall.now(),
    method: event.req.method,
    path: (event.url.pathname + event.url.search).slice(0, PATH_LIMIT),
    status,
    error_code: errorCode,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    api_key_seq: caller?.keySeq ?? null,
    workspace_seq: caller?.workspaceSeq ?? null,
    fault: fault && JSON.stringify({ id: fault.id, kind: fault.kind } satisfies FaultMark),
  };
  store.writeSoon(() => store.apiRequests.insert({ seq: store.nextSeq(), ...row }));
}
