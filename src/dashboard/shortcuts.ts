/** Keys that do something wherever the focus is, but in a field. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

interface Shortcut {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  /** What it does, for the list that `?` shows. */
  readonly does: string;
  readonly run: () => void;
}

/** Those that are in force, the newest component's last. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Puts keys in force for as long as the component is there. Of two for one key, the newer counts. */
export function useShortcuts(own: readonly Shortcut[]): void {
  const latest = useRef(own);
  latest.current = own;
  const names = own.map(({ key, does }) => `${key} ${does}`).join('\n');
  useEffect(() => {
    const mine = latest.current.map(({ key, does }, index) => ({
      key,
      does,
      run: () => latest.current[index]?.run(),
    }));
    shortcuts.value = [...shortcuts.value, ...mine];
    return () => {
      shortcuts.value = shortcuts.value.filter((each) => !mine.includes(each));
    };
  }, [names]);
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event)) return;
  const shortcut = shortcuts.value.findLast(({ key }) => key === event.key);
  if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return;
  event.preventDefault();
  shortcut.run();
});

const FIELDS = 'input, textarea, select, [contenteditable]';
const PRESSED = `${FIELDS}, a, button, summary, [role="option"]`;

/** Whether the key means something to the element that has the focus: text to a field, a press to a button. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  const takers = key === 'Enter' || key === ' ' ? PRESSED : FIELDS;
  return target instanceof Element && target.closest(takers) !== null;
}
