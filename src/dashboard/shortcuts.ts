/** Keys that do something wherever the focus is, but in a field. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

interface Shortcut {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  /** What it does, for the list that `?` shows. */
  readonly description: string;
  readonly run: () => void;
}

/** Those that are in force, the newest component's last. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Puts keys in force for as long as the component is there. Of two for one key, the newer counts. */
export function useShortcuts(own: readonly Shortcut[]): void {
  const latest = useRef(own);
  latest.current = own;
  const names = own.map(({ key, description }) => `${key} ${description}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map(({ key, description }, index) => ({
      key,
      description,
      run: () => latest.current[index]?.run(),
    }));
    shortcuts.value = [...shortcuts.value, ...mine];
    return () => {
      shortcuts.value = shortcuts.value.filter((each) => !mine.includes(each));
    };
  }, [names]);
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isHandledByTarget(event))
    return;
  const shortcut = shortcuts.value.findLast(({ key }) => key === event.key);
  if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  shortcut.run();
});

const TEXT_INPUTS = 'input, textarea, select, [contenteditable]';
const ACTIVATABLE = `${TEXT_INPUTS}, a, button, summary, [role="option"]`;

/** Whether the key means something to the element that has the focus: text to a field, a press to a button. */
function isHandledByTarget({ target, key }: KeyboardEvent): boolean {
  const takers = key === 'Enter' || key === ' ' ? ACTIVATABLE : TEXT_INPUTS;
  return target instanceof Element && target.closest(takers) !== null;
}
