/** The API keys with their scopes and workspaces (§5). */

import { useState } from 'preact/hooks';
import { listAll } from '../../../contract/control-plane.ts';
import type { ApiKey } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { status, workspaces } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { CreateKeyDialog, RevokeKeyDialog } from './key-dialogs.tsx';

export function KeysView() {
  const query = useQuery(() => listAll((page) => control.listKeys(page)), [], {
    refetchOn: ({ type }) => type === 'reset',
  });
  const [isCreating, setCreating] = useState(false);
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null);
  return (
    <div class="page">
      <div class="row">
        <p class="muted">
          API clients send a key as their bearer token. The emulator stores a hash of each key and its last
          four characters.
        </p>
        <ActionButton class="primary push-right" onClick={() => setCreating(true)}>
          <Icon name="plus" /> Create key
        </ActionButton>
      </div>
      <QueryView query={query} what="keys">
        {(keys) => (keys.length === 0 ? <NoKeys /> : <KeyList keys={keys} onRevoke={setKeyToRevoke} />)}
      </QueryView>
      {isCreating && <CreateKeyDialog onCreated={query.refetch} onClose={() => setCreating(false)} />}
      {keyToRevoke !== null && (
        <RevokeKeyDialog
          apiKey={keyToRevoke}
          isDashboardKey={isDashboardKey(keyToRevoke)}
          onRevoked={query.refetch}
          onClose={() => setKeyToRevoke(null)}
        />
      )}
    </div>
  );
}

function NoKeys() {
  return <EmptyState>No API keys. The API rejects every request until you create one.</EmptyState>;
}

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyList({ keys, onRevoke }: KeyListProps) {
  return (
    <ul class="stack plain-list" aria-label="API keys">
      {keys.map((key) => (
        <li key={key.id} class="card stack">
          <div class="row">
            <Icon name="key" />
            <strong class="mono">
              {key.revoked_at === null ? maskKey(key) : <s class="muted">{maskKey(key)}</s>}
            </strong>
            {isNamedByUser(key) && <span>{key.name}</span>}
            {isDashboardKey(key) && <span class="badge highlighted">used by the dashboard and svc</span>}
            {key.revoked_at !== null && (
              <span class="badge failed">
                revoked <Time at={key.revoked_at} clock="wall" />
              </span>
            )}
            {key.revoked_at === null && (
              <ActionButton class="danger push-right" onClick={() => onRevoke(key)}>
                Revoke<span class="visually-hidden"> {maskKey(key)}</span>
              </ActionButton>
            )}
          </div>
          <ul class="row plain-list" aria-label="Scopes">
            {key.scopes.map((scope) => (
              <li key={scope} class="badge canceled">
                {scope}
              </li>
            ))}
          </ul>
          <p class="row muted">
            <span>{describeWorkspace(key)}</span>
            <span>
              Created <Time at={key.created_at} clock="wall" />
            </span>
            <span class="mono">{key.id}</span>
            <CopyButton what={`ID of ${maskKey(key)}`} text={key.id} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** `svc_test_…abcd` (§5: the prefix depends on the environment) */
function maskKey({ last4 }: ApiKey): string {
  return `${status.value?.environment === 'production' ? 'svc_live_' : 'svc_test_'}…${last4}`;
}

/** Whether the user has named the key. The default name is the end of the masked key. */
function isNamedByUser({ name, last4 }: ApiKey): boolean {
  return name !== `…${last4}`;
}

function isDashboardKey({ last4 }: ApiKey): boolean {
  return status.value?.api_key.endsWith(last4) === true;
}

function describeWorkspace({ workspace_id: id }: ApiKey): string {
  if (id === null) return 'All workspaces';
  const name = workspaces.value.find((workspace) => workspace.id === id)?.name;
  return `Workspace: ${name ?? id}`;
}
