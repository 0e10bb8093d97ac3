/** Creates API keys. */
import type { CreatedApiKey } from '../contract/resources.ts';
import type { Scope } from '../domain/credentials.ts';
import { hashApiKey } from '../domain/secret.ts';
import { toApiKey } from '../store/api-keys.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface NewApiKey {
  readonly scopes: readonly Scope[];
  /** Null for a key for all workspaces. */
  readonly workspace: Pick<LoadedWorkspace, 'seq' | 'id'> | null;
  /** The key itself; default: a new one. */
  readonly key?: string;
}

/** Writes an API key. Only its hash is stored, so only the returned value contains the key. Call inside a write. */
export function createApiKey(
  sandbox: Pick<Sandbox, 'store' | 'generator' | 'environment' | 'timestamp'>,
  { scopes, workspace, key = sandbox.generator.apiKey(sandbox.environment) }: NewApiKey,
): CreatedApiKey {
  const { store, generator } = sandbox;
  const createdAt = sandbox.timestamp();
  const row = {
    seq: store.nextSeq(),
    id: generator.ids('resources').next('apiKey', createdAt),
    workspace_seq: workspace?.seq ?? null,
    hash: hashApiKey(key),
    last4: key.slice(-4),
    scopes: JSON.stringify(scopes),
    created_at: createdAt,
    revoked_at: null,
  };
  store.apiKeys.insert(row);
  return { ...toApiKey({ ...row, workspace_id: workspace?.id ?? null }), key };
}
