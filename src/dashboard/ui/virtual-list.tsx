/** A list of which only the rows in view, and a few around them, are in the page. */
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../shortcuts.ts';

/** What an array has, and a list that is only partly here. */
export interface Items<Item> {
  readonly length: number;
  /** Undefined for an item that is not here yet. */
  at(index: number): Item | undefined;
}

interface Props<Item> {
  readonly label: string;
  /** Titles of the columns. */
  readonly columns: readonly string[];
  readonly items: Items<Item>;
  readonly keyOf: (item: Item) => string;
  /** The cells of a row, one for each column. */
  readonly cells: (item: Item) => readonly ComponentChildren[];
  /** Height of every row, in rem. */
  readonly rowHeight: number;
  /** Whether the list goes on behind the last item. */
  readonly hasMore?: boolean;
  /** Key of the row that the keys j, k and the arrows move from. */
  readonly active?: string | null;
  readonly onActive?: (item: Item) => void;
  /** Called for Enter on the active row and for a press on any. */
  readonly onOpen?: (item: Item) => void;
  /** Called when other rows come into view, and when the list has changed. */
  readonly onLook?: (look: Look) => void;
}

export interface Look {
  /** Indices of the first and the last row in view. */
  readonly first: number;
  readonly last: number;
  readonly isAtTop: boolean;
}

/** Rows beyond the visible ones, so that quick scrolling meets rows and not white. */
const OVERSCAN = 10;
/** New rows at the top slide in when they are few; more of them would only flicker. */
const SLIDING = 3;
const SLIDE_MS = 180;

/**
 * A grid as the ARIA practices have it: one stop of the Tab key, in which the arrows move from row to row. When rows
 * come or go above those in view, these stay where they are; at the top new rows slide in.
 */
export function VirtualList<Item>(props: Props<Item>) {
  const { label, columns, items, keyOf, cells, hasMore = false, active = null, onOpen } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = props.rowHeight * rootFontSize;
  const view = useView(box, rowHeight, props);
  const moveBy = useMovement(box, rowHeight, view, props);
  const move = (event: KeyboardEvent) => {
    const page = view.last - view.first;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -items.length, End: items.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveBy(steps[event.key as keyof typeof steps]);
  };
  const first = Math.max(0, view.first - OVERSCAN);
  const last = Math.min(items.length - 1, view.last + OVERSCAN);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => {
    const index = first + place;
    const item = items.at(index);
    const key = item === undefined ? `absent ${index}` : keyOf(item);
    return (
      <div
        key={key}
        id={`${id}-${key}`}
        role="row"
        class="virtual-row"
        data-index={index}
        aria-rowindex={index + 2}
        aria-selected={item === undefined ? undefined : key === active}
        style={{ height: rowHeight }}
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
    );
  });
  const isActiveHere = rows.some(({ key }) => key === active);
  return (
    <div
      ref={box}
      class="virtual"
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      aria-activedescendant={isActiveHere ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={move}
      onClick={({ target }) => {
        const item = findItem(target, items);
        if (item !== undefined) onOpen?.(item);
      }}
    >
      <div role="rowgroup" class="virtual-head">
        <div role="row" aria-rowindex={1} class="virtual-row">
          {columns.map((title) => (
            <div key={title} role="columnheader">
              {title}
            </div>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        class="virtual-body"
        style={{ height: items.length * rowHeight, paddingTop: first * rowHeight }}
      >
        {rows}
      </div>
    </div>
  );
}

const rootFontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

interface View {
  /** Indices of the first and the last place for a row in view, whether there is a row or not. */
  readonly first: number;
  readonly last: number;
}

/** Which rows are in view; keeps them there when others come or go above them. */
function useView<Item>(box: RefObject<HTMLDivElement>, rowHeight: number, props: Props<Item>): View {
  const [view, setView] = useState<View>({ first: 0, last: -1 });
  const anchor = useRef<Anchor | null>(null);
  const look = () => {
    const element = box.current;
    const height = heightOf(element);
    if (element === null || height <= 0) return;
    const { items, keyOf, onLook } = latest.current;
    const first = Math.floor(element.scrollTop / rowHeight);
    const last = Math.ceil((element.scrollTop + height) / rowHeight) - 1;
    const item = items.at(first);
    anchor.current = item === undefined ? null : { key: keyOf(item), index: first };
    setView((before) => (before.first === first && before.last === last ? before : { first, last }));
    onLook?.({ first, last, isAtTop: isAtTop(element, rowHeight) });
  };
  const latest = useRef({ ...props, look });
  latest.current = { ...props, look };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const lookAgain = () => latest.current.look();
    const observer = new ResizeObserver(lookAgain);
    observer.observe(element);
    element.addEventListener('scroll', lookAgain, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', lookAgain);
    };
  }, []);
  useLayoutEffect(() => {
    if (box.current !== null && anchor.current !== null) {
      const moved = findMove(props, anchor.current);
      if (!isAtTop(box.current, rowHeight)) box.current.scrollTop += moved * rowHeight;
      else if (moved > 0 && moved <= SLIDING) slideIn(box.current.lastElementChild, moved * rowHeight);
    }
    look();
  });
  return view;
}

/** The row that is kept where it is. */
interface Anchor {
  readonly key: string;
  readonly index: number;
}

/** By how many rows the anchor is now further down. */
function findMove<Item>({ items, keyOf }: Props<Item>, { key, index }: Anchor): number {
  return (findNear(items, keyOf, key, index) ?? index) - index;
}

/** The index of an item that was at `around`, or not far from there; null where it is not. */
function findNear<Item>(
  items: Items<Item>,
  keyOf: (item: Item) => string,
  key: string,
  around: number,
): number | null {
  for (let distance = 0; distance < 500; distance++) {
    for (const index of [around + distance, around - distance]) {
      const item = index < 0 ? undefined : items.at(index);
      if (item !== undefined && keyOf(item) === key) return index;
    }
  }
  return null;
}

function isAtTop({ scrollTop }: Element, rowHeight: number): boolean {
  return scrollTop < rowHeight / 2;
}

/** Of what is below the titles. */
function heightOf(element: HTMLElement | null): number {
  return (element?.clientHeight ?? 0) - (element?.firstElementChild?.clientHeight ?? 0);
}

function slideIn(rows: Element | null, height: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  rows?.animate([{ transform: `translateY(-${height}px)` }, { transform: 'none' }], {
    duration: SLIDE_MS,
    easing: 'ease-out',
  });
}

/** Moves the active row. @returns what moves it by a number of rows. */
function useMovement<Item>(
  box: RefObject<HTMLDivElement>,
  rowHeight: number,
  view: View,
  { items, keyOf, active = null, onActive, onOpen }: Props<Item>,
): (step: number) => void {
  const lastIndex = useRef(0);
  const findActive = () => (active === null ? null : findNear(items, keyOf, active, lastIndex.current));
  const moveBy = (step: number) => {
    const from = findActive();
    const index = Math.max(0, Math.min(items.length - 1, from === null ? view.first : from + step));
    const item = items.at(index);
    if (box.current === null || item === undefined) return;
    lastIndex.current = index;
    box.current.focus({ preventScroll: true });
    scrollTo(box.current, index * rowHeight, rowHeight);
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
          { key: 'j', does: 'Next row', run: () => moveBy(1) },
          { key: 'k', does: 'Previous row', run: () => moveBy(-1) },
          { key: 'Enter', does: 'Open the row', run: open },
        ],
  );
  return moveBy;
}

/** Brings a row into view, with as little movement as that takes. */
function scrollTo(element: HTMLElement, top: number, rowHeight: number): void {
  const lowest = top + rowHeight - heightOf(element);
  if (element.scrollTop > top) element.scrollTop = top;
  else if (element.scrollTop < lowest) element.scrollTop = lowest;
}

/** The item of the row in which something was pressed that does nothing of its own; none where text was marked. */
function findItem<Item>(target: EventTarget | null, items: Items<Item>): Item | undefined {
  if (!(target instanceof Element) || target.closest('a, button') !== null) return undefined;
  if (getSelection()?.type === 'Range') return undefined;
  const index = target.closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? undefined : items.at(Number(index));
}
