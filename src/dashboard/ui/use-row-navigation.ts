/** Keyboard navigation in a virtual list. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useShortcuts } from '../shortcuts.ts';
import { findNearby, type KeyedListItems } from './list-items.ts';
import { bodyHeightOf } from './use-visible-rows.ts';

interface RowNavigationOptions<Item> extends KeyedListItems<Item> {
  readonly active?: string | null;
  readonly onActive?: (item: Item) => void;
  readonly onOpen?: (item: Item) => void;
}

/**
 * Moves the active row with the keyboard.
 * @returns the handler for keys that only work while the list has the focus
 */
export function useRowNavigation<Item>(
  scrollContainer: RefObject<HTMLDivElement | null>,
  rowHeight: number,
  { items, getKey, active = null, onActive, onOpen }: RowNavigationOptions<Item>,
): (event: KeyboardEvent) => void {
  const lastIndex = useRef(0);
  const findActive = () =>
    active === null ? null : findNearby({ items, getKey }, active, lastIndex.current);
  const moveBy = (step: number) => {
    if (scrollContainer.current === null) return;
    const from = findActive();
    const target = from === null ? Math.floor(scrollContainer.current.scrollTop / rowHeight) : from + step;
    const index = Math.max(0, Math.min(items.length - 1, target));
    const item = items.at(index);
    if (item === undefined) return;
    lastIndex.current = index;
    scrollContainer.current.focus({ preventScroll: true });
    scrollRowIntoView(scrollContainer.current, index * rowHeight, rowHeight);
    onActive?.(item);
  };
  const open = () => {
    const index = findActive();
    const item = index === null ? undefined : items.at(index);
    if (item !== undefined) onOpen?.(item);
  };
  useShortcuts(
    onOpen === undefined
      ? []
      : [
          { key: 'j', description: 'Next row', run: () => moveBy(1) },
          { key: 'k', description: 'Previous row', run: () => moveBy(-1) },
          { key: 'Enter', description: 'Open the row', run: open },
        ],
  );
  return (event) => {
    const page = Math.floor(bodyHeightOf(scrollContainer.current) / rowHeight);
    const end = items.length;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -end, End: end };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveBy(steps[event.key as keyof typeof steps]);
  };
}

/** Scrolls as little as possible to show a row. */
function scrollRowIntoView(element: HTMLElement, top: number, rowHeight: number): void {
  const minScrollTop = top + rowHeight - bodyHeightOf(element);
  if (element.scrollTop > top) element.scrollTop = top;
  else if (element.scrollTop < minScrollTop) element.scrollTop = minScrollTop;
}
