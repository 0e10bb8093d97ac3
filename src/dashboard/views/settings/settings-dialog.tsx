/** How the dashboard looks and behaves, and the API keys of the emulator. */
import { listAll } from '../../../contract/control-plane.ts';
import type { ApiKey } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { status, workspaces } from '../../session.ts';
import { changeSettings, type Settings, settings, themes, timeForms } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';

export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div class="stack">
        <SettingSelect name="theme" label="Theme" titles={themes} />
        <SettingSelect name="times" label="Times" titles={timeForms} />
        <label class="check">
          <input
            type="checkbox"
            checked={settings.value.shortcuts}
            onChange={({ currentTarget: { checked } }) => changeSettings({ shortcuts: checked })}
          />
          <span>
            Shortcuts with a single key (<kbd>?</kbd> lists them)
          </span>
        </label>
        <h3>API keys</h3>
        <KeyList />
      </div>
    </Dialog>
  );
}

interface SettingSelectProps<Name extends 'theme' | 'times'> {
  readonly name: Name;
  readonly label: string;
  readonly titles: Readonly<Record<Settings[Name], string>>;
}

function SettingSelect<Name extends 'theme' | 'times'>({ name, label, titles }: SettingSelectProps<Name>) {
  return (
    <label class="row">
      {label}
      <select
        value={settings.value[name]}
        onChange={({ currentTarget: { value } }) => changeSettings({ [name]: value })}
      >
        {Object.entries<string>(titles).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function KeyList() {
  const query = useQuery(() => listAll((page) => control.listKeys(page)), [], {
    refetchOn: ({ type }) => type === 'reset',
  });
  return (
    <>
      <QueryView query={query} what="keys">
        {(keys) => (
          <ul class="divided-list" aria-label="API keys">
            {keys.map((key) => (
              <Key key={key.id} apiKey={key} />
            ))}
          </ul>
        )}
      </QueryView>
      <p class="muted">
        To create or revoke a key, use <code>svc keys create</code> or <code>svc keys revoke</code>.
      </p>
    </>
  );
}

function Key({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, last4, scopes, workspace_id: workspaceId, revoked_at: revokedAt } = apiKey;
  const prefix = status.value?.environment === 'production' ? 'svc_live_' : 'svc_test_';
  const workspace = workspaces.value.find((workspace) => workspace.id === workspaceId)?.name;
  return (
    <li>
      <span class="grow">
        <span class="mono">
          {prefix}…{last4}
        </span>{' '}
        {name !== `…${last4}` && name} {revokedAt !== null && <span class="badge failed">revoked</span>}
        {status.value?.api_key.endsWith(last4) && (
          <span class="badge highlighted">used by the dashboard and svc</span>
        )}
        <small>
          {scopes.join(', ')} · {workspaceId === null ? 'all workspaces' : (workspace ?? workspaceId)} · {id}
        </small>
      </span>
    </li>
  );
}
