import { changeSettings, densities, type Settings, settings, themes } from '../../settings.ts';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';

/** A button that opens the settings of the dashboard. */
export function SettingsMenu() {
  return (
    <Popover
      label="Settings"
      class="subtle"
      button={
        <>
          <Icon name="settings" />
          <span class="visually-hidden">Settings</span>
        </>
      }
    >
      <div class="stack">
        <SettingSelect name="theme" label="Theme" titles={themes} />
        <SettingSelect name="density" label="Rows" titles={densities} />
      </div>
    </Popover>
  );
}

interface SettingSelectProps<Name extends keyof Settings> {
  readonly name: Name;
  readonly label: string;
  readonly titles: Readonly<Record<Settings[Name], string>>;
}

function SettingSelect<Name extends keyof Settings>({ name, label, titles }: SettingSelectProps<Name>) {
  return (
    <label class="row">
      {label}
      <select
        class="push-right"
        value={settings.value[name]}
        onChange={({ currentTarget }) => changeSettings({ [name]: currentTarget.value })}
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
