/** API keys: creation, and authentication, authorization and rate limits of requests (§5). */

import type { WallClock } from '../../domain/clock.ts';
import { type Environment, getApiKeyEnvironment, type Scope } from '../../domain/credentials.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import {
  describeIdMistake,
  formatIdForMessage,
  type IdKind,
  nounOf,
  suggestWhereToLook,
} from '../../domain/ids.ts';
import { capitalize } from '../../domain/message-parts.ts';
import { hashApiKey } from '../../domain/secret.ts';
import type { Rules } from '../../profile/rules.ts';
import { type CreatedApiKey, keySettings, type NewKey } from '../../resources/key.ts';
import { toApiKey } from '../../store/api-keys.ts';
import { toNewColumns } from '../../store/columns.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface Caller {
  readonly keySeq: number;
  readonly keyId: string;
  /** The workspace that the key is bound to; null for a key for all workspaces. */
  readonly workspaceSeq: number | null;
  readonly scopes: readonly Scope[];
}

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Finds the key of an `Authorization: Bearer <API_KEY>` header (§5.1).
 * @throws SvcError `unauthenticated` with a message that names the exact cause.
 */
export function authenticate({ store, environment }: Sandbox, authorization: string | null): Caller {
  if (authorization === null)
    throw createUnauthenticatedError(
      'The request has no Authorization header; send `Authorization: Bearer <API_KEY>`.',
    );
  const key = BEARER.exec(authorization)?.[1];
  if (key === undefined)
    throw createUnauthenticatedError('The Authorization header does not have the form `Bearer <API_KEY>`.');
  assertEnvironment(key, environment);
  const row = store.apiKeys.findByKey(key);
  if (row === undefined) throw createUnauthenticatedError('The API key does not exist in this emulator.');
  if (row.revoked_at !== null) throw createUnauthenticatedError('The API key has been revoked.');
  const { seq: keySeq, id: keyId, workspace_seq: workspaceSeq } = row;
  return { keySeq, keyId, workspaceSeq, scopes: JSON.parse(row.scopes) };
}

function assertEnvironment(key: string, ownEnvironment: Environment): void {
  const environment = getApiKeyEnvironment(key);
  if (environment === null)
    throw createUnauthenticatedError('The API key starts with neither svc_test_ nor svc_live_.');
  if (environment !== ownEnvironment)
    throw createUnauthenticatedError(
      `The API key is for the ${environment} environment, but this emulator runs as ${ownEnvironment}.`,
    );
}

function createUnauthenticatedError(message: string): SvcError {
  return new SvcError('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** @throws SvcError `permission_denied` that names the missing scope (§5.4). */
export function requireScope({ rules }: Pick<Sandbox, 'rules'>, caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  if (scope.endsWith(':read') && rules.readScopes === 'not_required') return;
  throw new SvcError('permission_denied', `The API key lacks the scope ${scope}.`);
}

/**
 * Returns the workspace that a request names, or the one that the key is bound to.
 * @param ifMissing error code, and field name for the message, if neither the request nor the key names a workspace.
 * @throws SvcError `not_found` for a workspace that the key cannot access (gap `workspace.hidden`).
 */
export function resolveWorkspace(
  sandbox: Sandbox,
  caller: Caller,
  id: string | undefined,
  ifMissing: { readonly field: string; readonly code: 'invalid_request' | 'validation_failed' },
): LoadedWorkspace {
  if (id === undefined) {
    if (caller.workspaceSeq !== null) return sandbox.workspaces.get(caller.workspaceSeq);
    throw new SvcError(
      ifMissing.code,
      `${ifMissing.field} is required, because the API key is not bound to a workspace.`,
    );
  }
  const workspace = sandbox.workspaces.find(id);
  if (workspace === undefined || !canAccess(caller, workspace.seq))
    throw createNotFoundError('workspace', id);
  return workspace;
}

export function canAccess(caller: Caller, workspaceSeq: number): boolean {
  return caller.workspaceSeq === null || caller.workspaceSeq === workspaceSeq;
}

/** @param id what the client passed */
export function createNotFoundError(kind: IdKind, id: string): SvcError {
  const missing = `${capitalize(nounOf(kind))} ${formatIdForMessage(id)} does not exist`;
  const message = describeIdMistake(id, kind) ?? missing;
  return new SvcError('not_found', `${message}.`, { hint: suggestWhereToLook(id, kind) });
}

/** The row of a resource. @throws SvcError `not_found` without one */
export function requireRow<Row>(row: Row | undefined, kind: IdKind, id: string): Row {
  if (row === undefined) throw createNotFoundError(kind, id);
  return row;
}

/** The row of a delivery. @throws SvcError `not_found` */
export function getDeliveryRow({ store }: Sandbox, id: string): DeliveryRow {
  return requireRow(store.deliveryQueries.find(id), 'delivery', id);
}

interface NewApiKey extends NewKey {
  /** Null for a key for all workspaces. */
  readonly workspace: Pick<LoadedWorkspace, 'seq' | 'id'> | null;
  /** The key itself; default: a new one. */
  readonly key?: string;
}

/** Writes an API key. Only its hash is stored, so only the returned value contains the key. Call inside a store transaction. */
export function createApiKey(
  sandbox: Sandbox,
  { workspace, key = sandbox.generator.apiKey(sandbox.environment), ...fields }: NewApiKey,
): CreatedApiKey {
  const { store, generator } = sandbox;
  const createdAt = sandbox.timestamp();
  const last4 = key.slice(-4);
  const row = {
    seq: store.nextSeq(),
    id: generator.ids('resources').next('apiKey', createdAt),
    workspace_seq: workspace?.seq ?? null,
    hash: hashApiKey(key),
    last4,
    ...toNewColumns(keySettings, { ...fields, name: fields.name ?? `…${last4}` }),
    created_at: createdAt,
    revoked_at: null,
  };
  store.apiKeys.insert(row);
  return { ...toApiKey({ ...row, workspace_id: workspace?.id ?? null }), key };
}

type RateLimit = NonNullable<Rules['rateLimit']>;

/** Limits the requests per second of each API key with a token bucket (gap `rate.limit`). */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #wall: Pick<WallClock, 'monotonic'>;
  readonly #buckets = new Map<number, { readonly tokens: number; readonly filledAt: number }>();

  constructor(limit: RateLimit, wall: Pick<WallClock, 'monotonic'>) {
    this.#limit = limit;
    this.#wall = wall;
  }

  /**
   * Takes a token from the bucket of a key.
   * @returns the headers that report the limit (gap `rate.headers`).
   * @throws SvcError `rate_limited` with those headers and `Retry-After` if the bucket is empty.
   */
  take(keySeq: number): Record<string, string> {
    const { perSecond, burst } = this.#limit;
    const filledAt = this.#wall.monotonic();
    const bucket = this.#buckets.get(keySeq) ?? { tokens: burst, filledAt };
    const filled = Math.min(burst, bucket.tokens + ((filledAt - bucket.filledAt) / SECOND_MS) * perSecond);
    const isAllowed = filled >= 1;
    const tokens = isAllowed ? filled - 1 : filled;
    this.#buckets.set(keySeq, { tokens, filledAt });
    const headers = {
      'RateLimit-Policy': `"api-key";q=${burst};w=${Math.ceil(burst / perSecond)}`,
      RateLimit: `"api-key";r=${Math.floor(tokens)};t=${Math.ceil((burst - tokens) / perSecond)}`,
    };
    if (isAllowed) return headers;
    const retryAfter = String(Math.max(1, Math.ceil((1 - tokens) / perSecond)));
    throw new SvcError('rate_limited', `The API key is limited to ${perSecond} requests per second.`, {
      headers: { ...headers, 'Retry-After': retryAfter },
    });
  }

  reset(): void {
    this.#buckets.clear();
  }
}
