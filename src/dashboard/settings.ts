/** How the user wants the dashboard to look. The browser keeps the settings for all tabs. */
import { effect, signal } from '@preact/signals';
import * as v from 'valibot';

/** Titles by value; the first is the default. */
export const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export const zones = { local: 'Local', utc: 'UTC' } as const;

const Settings = v.object({
  theme: v.fallback(v.picklist(Object.keys(themes) as (keyof typeof themes)[]), 'system'),
  zone: v.fallback(v.picklist(Object.keys(zones) as (keyof typeof zones)[]), 'local'),
  /** Whether single keys run actions (WCAG 2.1.4). */
  shortcuts: v.fallback(v.boolean(), true),
});
export type Settings = v.InferOutput<typeof Settings>;

const STORAGE_KEY = 'svc.settings';

export const settings = signal(parseSettings(readStorage()));

export function changeSettings(change: Partial<Settings>): void {
  settings.value = { ...settings.peek(), ...change };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings.peek()));
  } catch {
    // The browser blocks storage: the settings apply until the page is reloaded or closed.
  }
}

/** Settings from their JSON. Values that this version does not know get the default. */
export function parseSettings(json: string | null): Settings {
  try {
    // `Object` returns an object without fields for a number, a text or null.
    return v.parse(Settings, Object(JSON.parse(json ?? '{}')));
  } catch {
    return v.parse(Settings, {});
  }
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

/** Applies the settings to the page, and adopts those that the user changes in another tab. */
export function applySettings(): void {
  effect(() => {
    document.documentElement.dataset.theme = settings.value.theme;
  });
  addEventListener('storage', ({ key, newValue }) => {
    // The key is null after the whole storage was cleared.
    if (key === STORAGE_KEY || key === null) settings.value = parseSettings(newValue);
  });
}
