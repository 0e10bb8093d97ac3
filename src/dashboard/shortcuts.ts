/** Keyboard shortcuts, and the commands of the current view. A key never changes the emulator: such commands have none, or ask first. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { settings } from './settings.ts';

export interface Shortcut {
  /**
   * `KeyboardEvent.key`; `Ctrl+K` for a key with Ctrl or Command, which also works in text fields; or empty for a command of the
   * palette without a key.
   */
  readonly key: string;
  readonly description: string;
  readonly run: () => void;
}

/** Those of the newest component come last. */
const shortcuts = signal<readonly Shortcut[]>([]);

/** The shortcuts and commands: of those with the same key, the newest. */
export const activeShortcuts = computed(() => [
  ...new Map(shortcuts.value.map((shortcut) => [shortcut.key || shortcut.description, shortcut])).values(),
]);

/** Registers shortcuts while the component is mounted. When two use the same key, the newer one runs. */
export function useShortcuts(componentShortcuts: readonly Shortcut[]): void {
  const latest = useRef(componentShortcuts);
  latest.current = componentShortcuts;
  // Not `run`, which `latest` provides: it is a new function in each render.
  const identity = componentShortcuts.map(({ key, description }) => `${key} ${description}`).join('\n');
  useEffect(() => {
    const newShortcuts = latest.current.map(({ key, description }, index) => ({
      key,
      description,
      run: () => latest.current[index]?.run(),
    }));
    shortcuts.value = [...shortcuts.value, ...newShortcuts];
    return () => {
      shortcuts.value = shortcuts.value.filter((shortcut) => !newShortcuts.includes(shortcut));
    };
  }, [identity]);
}

addEventListener('keydown', (event) => {
  const hasModifier = event.ctrlKey || event.metaKey;
  if (event.altKey || event.defaultPrevented || (!hasModifier && isHandledByTarget(event))) return;
  // Escape is a key with a longer name, which nobody types or dictates by accident.
  if (!hasModifier && event.key.length === 1 && !settings.peek().shortcuts) return;
  const name = hasModifier ? `Ctrl+${event.key.toUpperCase()}` : event.key;
  const shortcut = activeShortcuts.value.find(({ key }) => key === name);
  if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  shortcut.run();
});

/** Elements that use the keys themselves. Escape closes the item that they belong to, unless it is a field. */
const FIELDS = 'input, textarea, select, [contenteditable], [role="textbox"]';
const KEY_USERS = `${FIELDS}, [role="tree"], [role="listbox"]`;

function isHandledByTarget(event: KeyboardEvent): boolean {
  // The target of an event in a shadow tree, such as that of an editor, is the element around the tree.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(event.key === 'Escape' ? FIELDS : KEY_USERS) !== null;
}
