import { useState } from 'preact/hooks';
import type { CreatedApiKey } from '../../../contract/resources.ts';
import { type Scope, scopes } from '../../../domain/environment.ts';
import { control } from '../../control.ts';
import { workspaces } from '../../session.ts';
import { withErrorToast } from '../../toasts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { scopeDescriptions } from './scope-descriptions.ts';

interface Props {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ onCreated, onClose }: Props) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const create = async (scopes: Scope[], workspaceId: string | null) => {
    const key = await withErrorToast(control.createKey({ scopes, workspace_id: workspaceId }));
    if (key === undefined) return;
    setCreated(key);
    onCreated();
  };
  return (
    <Dialog title={created === null ? 'Create key' : 'New key'} onClose={onClose}>
      {created === null ? <Form onCreate={create} /> : <Created apiKey={created} />}
    </Dialog>
  );
}

interface FormProps {
  readonly onCreate: (scopes: Scope[], workspaceId: string | null) => Promise<void>;
}

function Form({ onCreate }: FormProps) {
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [workspaceId, setWorkspaceId] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await onCreate([...chosen], workspaceId || null);
    setBusy(false);
  };
  return (
    <form class="keys-form" onSubmit={submit}>
      <fieldset>
        <legend class="muted">Scopes (choose at least one)</legend>
        {scopes.map((scope) => (
          <label key={scope} class="row keys-scope">
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setChosen(scopes.filter((each) => (each === scope ? checked : chosen.includes(each))))
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
        <button type="submit" class="primary" disabled={chosen.length === 0 || isBusy}>
          Create
        </button>
      </div>
    </form>
  );
}

function Created({ apiKey: { key, scopes } }: { readonly apiKey: CreatedApiKey }) {
  return (
    <div class="keys-form">
      <p>
        Copy the key now: it is not shown again. It can{' '}
        {scopes.map((scope) => scopeDescriptions[scope]).join(', ')}.
      </p>
      <p class="row keys-new" role="status">
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
