/** Keyboard shortcuts of the current view. A key never changes the emulator. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { settings } from './settings.ts';

export interface Shortcut {
  /** `KeyboardEvent.key` */
  readonly key: string;
  readonly description: string;
  readonly run: () => void;
}

/** Those of the newest component come last. */
const shortcuts = signal<readonly Shortcut[]>([]);

/** Of the shortcuts with the same key, the newest. */
export const activeShortcuts = computed(() => [
  ...new Map(shortcuts.value.map((shortcut) => [shortcut.key, shortcut])).values(),
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
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (hasModifier || event.defaultPrevented || isHandledByTarget(event)) return;
  // Escape is a key with a longer name, which nobody types or dictates by accident.
  if (event.key.length === 1 && !settings.peek().shortcuts) return;
  const shortcut = activeShortcuts.value.find(({ key }) => key === event.key);
  if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  shortcut.run();
});

/** Elements that use the keys themselves. */
const FIELDS = 'input, textarea, select, [contenteditable], [role="textbox"]';

function isHandledByTarget(event: KeyboardEvent): boolean {
  // The target of an event in a shadow tree, such as that of an editor, is the element around the tree.
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(FIELDS) !== null;
}
