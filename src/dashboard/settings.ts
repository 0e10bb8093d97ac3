/** How the user wants the dashboard to look. The browser keeps the settings for all tabs. */
import { effect, signal } from '@preact/signals';

/** Titles by value; the first is the default. */
export const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;
export const zones = { local: 'Local', utc: 'UTC' } as const;

export interface Settings {
  readonly theme: keyof typeof themes;
  readonly zone: keyof typeof zones;
  /** Whether single keys run actions (WCAG 2.1.4). */
  readonly shortcuts: boolean;
}

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
  const { theme, zone, shortcuts } = parseObject(json);
  return {
    theme: isKeyOf(themes, theme) ? theme : 'system',
    zone: isKeyOf(zones, zone) ? zone : 'local',
    shortcuts: shortcuts !== false,
  };
}

function parseObject(json: string | null): Partial<Record<string, unknown>> {
  try {
    // `Object` returns an object without fields for a number, a text or null.
    return Object(JSON.parse(json ?? '{}'));
  } catch {
    return {};
  }
}

function isKeyOf<Value extends object>(titles: Value, key: unknown): key is keyof Value {
  return typeof key === 'string' && Object.hasOwn(titles, key);
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
