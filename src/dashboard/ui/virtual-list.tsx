// biome-ignore-all lint/a11y/useSemanticElements: the rows are positioned individually, so they need roles instead of table elements.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names the active row in aria-activedescendant.
/** A list that renders only the rows in view and a few around them. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { useShortcuts } from '../shortcuts.ts';
import {
  bodyHeightOf,
  findNearby,
  type KeyedListItems,
  type ListItems,
  type Range,
  rootFontSize,
  useVisibleRows,
  type VisibleRange,
} from './use-visible-rows.ts';

interface Props<Item> {
  readonly label: string;
  readonly columns: readonly string[];
  readonly items: ListItems<Item>;
  readonly getKey: (item: Item) => string;
  /**
   * The cells of a row, one per column. Keep the function identical between renders so that unchanged rows are not
   * rendered again.
   */
  readonly cells: (item: Item) => readonly ComponentChildren[];
  /** Height of every row, in rem. */
  readonly rowHeight: number;
  readonly hasMore: boolean;
  /** Key of the row that keyboard navigation starts from. */
  readonly active: string | null;
  readonly onActive: (item: Item) => void;
  /** Called for Enter on the active row and for a click on any row. */
  readonly onOpen: (item: Item) => void;
  /** Called when the visible range or the list changes. */
  readonly onVisibleRangeChange: (visibleRange: VisibleRange) => void;
  readonly scrollContainer: RefObject<HTMLDivElement | null>;
}

/**
 * A grid following the ARIA practices: one tab stop, arrow keys move between rows. When rows are added or removed above
 * the visible ones, these keep their position; new rows at the top slide in.
 */
export function VirtualList<Item>(props: Props<Item>) {
  const { label, columns, items, hasMore, active, onOpen, scrollContainer } = props;
  const id = useId();
  const rowHeight = props.rowHeight * rootFontSize;
  const { renderedRange, isActiveRendered } = useVisibleRows(scrollContainer, rowHeight, props);
  const onKeyDown = useRowNavigation(scrollContainer, rowHeight, props);
  return (
    <div
      ref={scrollContainer}
      class="virtual-list"
      role="grid"
      aria-label={label}
      // Includes the header; -1 means unknown.
      aria-rowcount={hasMore ? -1 : items.length + 1}
      aria-activedescendant={isActiveRendered.value ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={({ target }) => {
        const item = findItem(target, items);
        if (item !== undefined) onOpen(item);
      }}
    >
      <div role="rowgroup" class="virtual-list-header">
        <div role="row" aria-rowindex={1} class="virtual-list-row">
          {columns.map((title) => (
            <div key={title} role="columnheader">
              {title}
            </div>
          ))}
        </div>
      </div>
      <Body {...props} id={id} renderedRange={renderedRange} rowHeight={rowHeight} />
    </div>
  );
}

interface BodyProps<Item> extends Pick<Props<Item>, 'columns' | 'items' | 'getKey' | 'cells' | 'rowHeight'> {
  readonly id: string;
  readonly renderedRange: ReadonlySignal<Range>;
  readonly active: string | null;
}

/** A separate component, so that scrolling renders only the rows. */
function Body<Item>({ items, getKey, rowHeight, renderedRange, ...rest }: BodyProps<Item>) {
  const { first } = renderedRange.value;
  const last = Math.min(items.length - 1, renderedRange.value.last);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
    const index = first + offset;
    const item = items.at(index);
    const key = item === undefined ? `unloaded ${index}` : getKey(item);
    return <Row key={key} rowKey={key} item={item} index={index} rowHeight={rowHeight} {...rest} />;
  });
  return (
    <div
      role="rowgroup"
      class="virtual-list-body"
      style={{ height: `${items.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
    >
      {rows}
    </div>
  );
}

interface RowProps<Item> extends Pick<BodyProps<Item>, 'columns' | 'cells' | 'rowHeight' | 'id' | 'active'> {
  readonly rowKey: string;
  /** Undefined while it is not loaded. */
  readonly item: Item | undefined;
  readonly index: number;
}

/** Memoized, so that a row renders only when it changes. */
function Row<Item>({ rowKey, item, index, columns, cells, rowHeight, id, active }: RowProps<Item>) {
  const isActive = rowKey === active;
  return useMemo(
    () => (
      <div
        id={`${id}-${rowKey}`}
        role="row"
        class="virtual-list-row"
        data-index={index}
        // Starts at 1, which is the header.
        aria-rowindex={index + 2}
        aria-selected={item === undefined ? undefined : isActive}
        style={{ height: `${rowHeight}px` }}
      >
        {item === undefined ? (
          <div role="gridcell">Loading…</div>
        ) : (
          cells(item).map((cell, column) => (
            <div key={columns[column]} role="gridcell">
              {cell}
            </div>
          ))
        )}
      </div>
    ),
    [item, index, isActive, cells, rowHeight],
  );
}

/** The item of the clicked row; undefined for a click on a link or button, or after a text selection. */
function findItem<Item>(target: EventTarget | null, items: ListItems<Item>): Item | undefined {
  if (!(target instanceof Element) || target.closest('a, button') !== null) return undefined;
  if (getSelection()?.type === 'Range') return undefined;
  const index = target.closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? undefined : items.at(Number(index));
}

interface RowNavigationOptions<Item> extends KeyedListItems<Item> {
  readonly active: string | null;
  readonly onActive: (item: Item) => void;
  readonly onOpen: (item: Item) => void;
}

/**
 * Moves the active row with the keyboard.
 * @returns the handler for keys that only work while the list has the focus
 */
function useRowNavigation<Item>(
  scrollContainer: RefObject<HTMLDivElement | null>,
  rowHeight: number,
  { items, getKey, active, onActive, onOpen }: RowNavigationOptions<Item>,
): (event: KeyboardEvent) => void {
  /** Where the active row was when it was selected. */
  const lastIndex = useRef(0);
  /** A row that the keys have scrolled to. It becomes active when it is loaded; null if there is none. */
  const pendingIndex = useRef<number | null>(null);
  const findActiveIndex = () =>
    active === null ? null : findNearby({ items, getKey }, active, lastIndex.current);
  const moveBy = (step: number) => {
    if (scrollContainer.current === null) return;
    const from = findActiveIndex();
    // Without an active row, the first visible one becomes active.
    const target = from === null ? Math.floor(scrollContainer.current.scrollTop / rowHeight) : from + step;
    const index = Math.max(0, Math.min(items.length - 1, target));
    scrollContainer.current.focus({ preventScroll: true });
    scrollRowIntoView(scrollContainer.current, index * rowHeight, rowHeight);
    activate(index);
  };
  const activate = (index: number) => {
    const item = items.at(index);
    pendingIndex.current = item === undefined ? index : null;
    if (item === undefined) return;
    lastIndex.current = index;
    onActive(item);
  };
  // After each render, because the row may be loaded now. Not after the user has scrolled away from it.
  useEffect(() => {
    const { current: index } = pendingIndex;
    if (index === null || scrollContainer.current === null) return;
    if (isRowVisible(scrollContainer.current, index * rowHeight, rowHeight)) activate(index);
    else pendingIndex.current = null;
  });
  const open = () => {
    const index = findActiveIndex();
    const item = index === null ? undefined : items.at(index);
    if (item !== undefined) onOpen(item);
  };
  useShortcuts([
    { key: 'j', description: 'Next row', run: () => moveBy(1) },
    { key: 'k', description: 'Previous row', run: () => moveBy(-1) },
    { key: 'Enter', description: 'Open the row', run: open },
  ]);
  return (event) => {
    const page = Math.floor(bodyHeightOf(scrollContainer.current) / rowHeight);
    // More than there are rows in that direction.
    const end = items.length;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -end, End: end };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveBy(steps[event.key as keyof typeof steps]);
  };
}

/** Whether the middle of a row is visible. */
function isRowVisible(element: HTMLElement, top: number, rowHeight: number): boolean {
  const middle = top + rowHeight / 2;
  return element.scrollTop < middle && middle < element.scrollTop + bodyHeightOf(element);
}

/** Scrolls as little as possible to show a row. */
function scrollRowIntoView(element: HTMLElement, top: number, rowHeight: number): void {
  const minScrollTop = top + rowHeight - bodyHeightOf(element);
  if (element.scrollTop > top) element.scrollTop = top;
  else if (element.scrollTop < minScrollTop) element.scrollTop = minScrollTop;
}
