/** Keyboard shortcuts, active unless a text field has the focus. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** `KeyboardEvent.key`, or `Ctrl+K` for a key with Ctrl or Command, which also works in text fields. */
  readonly key: string;
  readonly description: string;
  readonly run: () => void;
}

/** Those of the newest component come last. */
const shortcuts = signal<readonly Shortcut[]>([]);

/** The shortcut that runs for each key: the newest. */
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
  const hasModifier = event.ctrlKey || event.metaKey;
  if (event.altKey || event.defaultPrevented || (!hasModifier && isHandledByTarget(event))) return;
  const name = hasModifier ? `Ctrl+${event.key.toUpperCase()}` : event.key;
  const shortcut = activeShortcuts.value.find(({ key }) => key === name);
  if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  shortcut.run();
});

const TEXT_INPUTS = 'input, textarea, select, [contenteditable]';
const ACTIVATABLE = `${TEXT_INPUTS}, a, button, summary, [role="option"]`;

/** Whether the focused element handles the key itself: text in a field, or Enter on a button. */
function isHandledByTarget(event: KeyboardEvent): boolean {
  const { key } = event;
  // The target of an event in a shadow tree, such as that of an editor, is the element around the tree.
  const [target] = event.composedPath();
  const handlers = key === 'Enter' || key === ' ' ? ACTIVATABLE : TEXT_INPUTS;
  return target instanceof Element && target.closest(handlers) !== null;
}
