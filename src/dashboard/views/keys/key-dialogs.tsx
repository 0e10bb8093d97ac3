/** The dialogs that create and revoke an API key. */
import { useState } from 'preact/hooks';
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { ApiKey, CreatedApiKey } from '../../../contract/resources.ts';
import { type Scope, scopes } from '../../../domain/credentials.ts';
import { control } from '../../control.ts';
import { workspaces } from '../../session.ts';
import { showToast, withErrorToast } from '../../toasts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';

interface CreateKeyDialogProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const create = async (input: ControlInput<'createKey'>) => {
    const key = await withErrorToast(control.createKey(input));
    if (key === undefined) return;
    setCreated(key);
    onCreated();
  };
  return (
    <Dialog title={created === null ? 'Create key' : 'New key'} onClose={onClose}>
      {created === null ? <CreateKeyForm onCreate={create} /> : <CreatedKey apiKey={created} />}
    </Dialog>
  );
}

/** The longest name that the control plane accepts. */
const MAX_NAME_LENGTH = 200;

interface CreateKeyFormProps {
  readonly onCreate: (input: ControlInput<'createKey'>) => Promise<void>;
}

function CreateKeyForm({ onCreate }: CreateKeyFormProps) {
  const [name, setName] = useState('');
  const [selectedScopes, setSelectedScopes] = useState<readonly Scope[]>([]);
  const [workspaceId, setWorkspaceId] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await onCreate({
      scopes: [...selectedScopes],
      workspace_id: workspaceId || null,
      ...(name.trim() !== '' && { name: name.trim() }),
    });
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label>
        Name
        <input
          value={name}
          maxLength={MAX_NAME_LENGTH}
          placeholder="last four characters of the key"
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
      </label>
      <fieldset class="stack">
        <legend class="muted">Scopes (choose at least one)</legend>
        {scopes.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={selectedScopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setSelectedScopes(
                  scopes.filter((other) => (other === scope ? checked : selectedScopes.includes(other))),
                )
              }
            />
            <span class="mono">{scope}</span>
            <span class="muted">{scopeDescriptions[scope]}</span>
          </label>
        ))}
      </fieldset>
      <label>
        Workspace
        <select value={workspaceId} onChange={({ currentTarget: { value } }) => setWorkspaceId(value)}>
          <option value="">All workspaces</option>
          {workspaces.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="row">
        <button type="submit" class="primary" disabled={selectedScopes.length === 0 || isBusy}>
          Create
        </button>
      </div>
    </form>
  );
}

const listFormat = new Intl.ListFormat('en');

function CreatedKey({ apiKey: { key, scopes } }: { readonly apiKey: CreatedApiKey }) {
  return (
    <div class="stack">
      <p>
        Copy the key now: it is not shown again. It can{' '}
        {listFormat.format(scopes.map((scope) => scopeDescriptions[scope]))}.
      </p>
      <p class="row notice succeeded" role="status">
        <code>{key}</code>
        <CopyButton what="key" text={key} label="Copy key" />
        <CopyButton
          what="environment variable"
          text={`export SVC_API_KEY=${key}`}
          label="Copy as environment variable"
        />
      </p>
    </div>
  );
}

interface RevokeKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly isDashboardKey: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({
  apiKey: { id, name },
  isDashboardKey,
  onRevoked,
  onClose,
}: RevokeKeyDialogProps) {
  const revoke = async () => {
    await control.revokeKey({ id });
    showToast(`Key ${name} revoked.`);
    onRevoked();
    onClose();
  };
  return (
    <ConfirmDialog title={`Revoke key ${name}?`} action="Revoke" onConfirm={revoke} onClose={onClose}>
      <p>After you revoke the key, requests with it receive a 401 response. You cannot undo this.</p>
      {isDashboardKey && (
        <p class="warning-text">
          The dashboard and the svc commands use this key. The Trigger page and <code>svc trigger</code> stop
          working until you restart the emulator, which then creates a new key.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** What a scope allows (§4 and §5, gap `key.scopes`). */
const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'events:read': 'read events',
  'events:write': 'create events',
  'webhooks:manage': 'register endpoints',
  'workspaces:read': 'read workspaces',
};
