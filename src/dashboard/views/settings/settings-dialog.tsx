/** How the dashboard looks and behaves. */
import { changeSettings, type Settings, settings, themes, timeForms, zones } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';

export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div class="stack">
        <SettingSelect name="theme" label="Theme" titles={themes} />
        <SettingSelect name="times" label="Times" titles={timeForms} />
        <SettingSelect name="zone" label="Time zone" titles={zones} />
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
      </div>
    </Dialog>
  );
}

interface SettingSelectProps<Name extends 'theme' | 'times' | 'zone'> {
  readonly name: Name;
  readonly label: string;
  readonly titles: Readonly<Record<Settings[Name], string>>;
}

function SettingSelect<Name extends 'theme' | 'times' | 'zone'>({
  name,
  label,
  titles,
}: SettingSelectProps<Name>) {
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
