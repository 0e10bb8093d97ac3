import { changeSettings, densities, type Settings, settings, themes } from '../../settings.ts';
import { showErrorToast } from '../../toasts.ts';
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
        <SettingSelect name="density" label="Row height" titles={densities} />
        {'Notification' in globalThis && <NotificationsCheckbox />}
      </div>
    </Popover>
  );
}

function NotificationsCheckbox() {
  const toggle = async (checkbox: HTMLInputElement) => {
    const isAllowed = !checkbox.checked || (await Notification.requestPermission()) === 'granted';
    if (isAllowed) changeSettings({ notifications: checkbox.checked });
    else showErrorToast('The browser blocks notifications from this page. Allow them in its site settings.');
    // If the setting has not changed, Preact does not render the checkbox again.
    checkbox.checked = settings.value.notifications;
  };
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={settings.value.notifications}
        onChange={({ currentTarget }) => void toggle(currentTarget)}
      />
      Notify me of failures while this page is hidden
    </label>
  );
}

type SelectName = 'theme' | 'density';

interface SettingSelectProps<Name extends SelectName> {
  readonly name: Name;
  readonly label: string;
  readonly titles: Readonly<Record<Settings[Name], string>>;
}

function SettingSelect<Name extends SelectName>({ name, label, titles }: SettingSelectProps<Name>) {
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
