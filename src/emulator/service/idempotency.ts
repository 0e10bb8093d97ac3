/** Handles requests with an `Idempotency-Key` (§4.3 and gaps `idempotency.*`). */
import { createHash } from 'node:crypto';
import { SvcError } from '../../domain/errors.ts';
import { readIdempotencyKey } from '../../domain/idempotency-key.ts';
import type { Caller } from './access.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface OperationResponse {
  readonly status: number;
  /** The body, JSON text. */
  readonly text: string;
  /** ID of the resource that it returns; null for a list. */
  readonly resourceId: string | null;
  /** Whether it is the stored response to an earlier request. */
  readonly isReplayed?: boolean;
}

interface IdempotentRequest {
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: Uint8Array;
}

/**
 * Parses the header, bare or quoted (gap `idempotency.scope`).
 * @returns null if the request has no such header. @throws SvcError `invalid_request` if it is malformed.
 */
export function parseIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  const key = readIdempotencyKey(header);
  if (key !== null) return key;
  throw new SvcError('invalid_request', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

/** Stores responses, and tracks which requests are in progress. */
export class Idempotency {
  readonly #sandbox: Sandbox;
  /** Scope hashes of the requests in progress, as Base64. */
  readonly #runningScopes = new Set<string>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /**
   * Runs an operation once per key, in a store transaction. Later requests with the same key and body get the same status and bytes. The response
   * is stored in the transaction of the operation. An error is not stored, so the request can be retried.
   * @throws SvcError `idempotency_key_reused` if the body differs, `idempotency_in_progress` while the first request is
   *   running.
   */
  async run(
    request: IdempotentRequest,
    workspace: LoadedWorkspace,
    operation: () => OperationResponse,
  ): Promise<OperationResponse> {
    const scope = this.#hashScope(request);
    const scopeText = scope.toString('base64');
    if (this.#runningScopes.has(scopeText)) {
      const message = 'The first request with this Idempotency-Key is still running.';
      throw new SvcError('idempotency_in_progress', message, { headers: { 'Retry-After': '1' } });
    }
    this.#runningScopes.add(scopeText);
    try {
      const bodyHash = createHash('sha256').update(request.body).digest();
      return await this.#sandbox.store.write(() => this.#respond(scope, bodyHash, workspace, operation));
    } finally {
      this.#runningScopes.delete(scopeText);
    }
  }

  #respond(
    scope: Buffer,
    bodyHash: Buffer,
    workspace: LoadedWorkspace,
    operation: () => OperationResponse,
  ): OperationResponse {
    const { store, rules } = this.#sandbox;
    const stored = this.#findStored(scope);
    if (stored) {
      if (stored.body_hash.equals(bodyHash)) {
        const { id } = JSON.parse(stored.body) as { readonly id: string };
        return { status: stored.status, text: stored.body, resourceId: id, isReplayed: true };
      }
      throw new SvcError(
        'idempotency_key_reused',
        'The Idempotency-Key was already used with a different body.',
      );
    }
    const response = operation();
    const now = workspace.clock.now();
    store.idempotency.deleteExpired(workspace.seq, now);
    store.idempotency.save({
      scope_hash: scope,
      // The newest row that the operation wrote.
      seq: store.lastSeq,
      workspace_seq: workspace.seq,
      body_hash: bodyHash,
      status: response.status,
      body: response.text,
      expires_at: now + rules.idempotency.retentionMs,
    });
    return response;
  }

  #findStored(scope: Buffer) {
    const { store, workspaces } = this.#sandbox;
    const stored = store.idempotency.find(scope);
    // A key for all workspaces can have sent the first request to another workspace, which has its own clock.
    return stored && stored.expires_at > workspaces.get(stored.workspace_seq).clock.now()
      ? stored
      : undefined;
  }

  #hashScope({ caller, method, path, key }: IdempotentRequest): Buffer {
    const parts = [caller.keyId, key];
    if (this.#sandbox.rules.idempotency.scope === 'api_key_method_path') parts.push(method, path);
    // No part contains a line feed, so the joined text is unambiguous.
    return createHash('sha256').update(parts.join('\n')).digest();
  }
}
