/** How the dashboard looks, and its keyboard shortcuts. */
import { changeSettings, type Settings, settings, themes, zones } from '../../settings.ts';
import { activeShortcuts } from '../../shortcuts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { connectFields, Field } from '../../ui/field.tsx';
import { Properties } from '../../ui/properties.tsx';

export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const field = connectFields<Settings>(settings.value, changeSettings, null);
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div class="grid">
        <Field label="Theme" {...field('theme')} options={themes} />
        <Field label="Time zone" {...field('zone')} options={zones} />
      </div>
      <label class="row">
        <input
          type="checkbox"
          checked={settings.value.shortcuts}
          onChange={({ currentTarget: { checked } }) => changeSettings({ shortcuts: checked })}
        />
        Shortcuts with a single key
      </label>
      <Properties
        items={Object.fromEntries(activeShortcuts.value.map(({ key, description }) => [key, description]))}
      />
    </Dialog>
  );
}
