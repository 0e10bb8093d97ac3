/** Computes which rows of a virtual list are visible and which are rendered. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Extra rows outside the viewport, so that fast scrolling does not show blank space. */
const OVERSCAN = 10;
/** The rendered range starts and ends at a multiple of this, so that most scroll events render nothing. */
const STEP = 4;
/** More new rows appear without the animation, because it would flicker. */
const MAX_ANIMATED_ROWS = 3;
const SLIDE_MS = 180;

/** Indexes of rows. */
export interface Range {
  readonly first: number;
  /** Can be larger than the index of the last item. */
  readonly last: number;
}

export interface VisibleRange extends Range {
  readonly isAtTop: boolean;
}

/** Pixels per rem. */
export const rootFontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

interface VisibleRowsOptions<Item> extends KeyedListItems<Item> {
  /** Key of the active row. */
  readonly active: string | null;
  readonly onVisibleRangeChange?: ((visibleRange: VisibleRange) => void) | undefined;
}

interface VisibleRows {
  /** The visible rows and some around them. */
  readonly renderedRange: ReadonlySignal<Range>;
  /** Whether the active row is rendered. */
  readonly isActiveRendered: ReadonlySignal<boolean>;
}

/** Tracks the visible rows and keeps them in place when rows are added or removed above them. */
export function useVisibleRows<Item>(
  scrollContainer: RefObject<HTMLElement | null>,
  rowHeight: number,
  options: VisibleRowsOptions<Item>,
): VisibleRows {
  const renderedRange = useSignal<Range>({ first: 0, last: -1 });
  const isActiveRendered = useSignal(false);
  const anchor = useRef<Anchor | null>(null);
  /** The row height of the previous render: it changes with the density of the lists. */
  const lastRowHeight = useRef(rowHeight);
  const update = () => {
    const element = scrollContainer.current;
    const height = bodyHeightOf(element);
    if (element === null || height <= 0) return;
    const { items, getKey, onVisibleRangeChange, active } = latest.current;
    const first = Math.floor(element.scrollTop / rowHeight);
    const last = Math.ceil((element.scrollTop + height) / rowHeight) - 1;
    const item = items.at(first);
    anchor.current = item === undefined ? null : { key: getKey(item), index: first };
    const rendered = withOverscan({ first, last });
    const previous = renderedRange.peek();
    if (previous.first !== rendered.first || previous.last !== rendered.last) renderedRange.value = rendered;
    isActiveRendered.value = active !== null && isWithin(latest.current, active, rendered);
    onVisibleRangeChange?.({ first, last, isAtTop: isAtTop(element, rowHeight) });
  };
  const latest = useRef({ ...options, update });
  latest.current = { ...options, update };
  useLayoutEffect(() => {
    const element = scrollContainer.current;
    if (element === null) return;
    const updateLatest = () => latest.current.update();
    const observer = new ResizeObserver(updateLatest);
    observer.observe(element);
    element.addEventListener('scroll', updateLatest, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', updateLatest);
    };
  }, []);
  // After each render, because the items may have changed.
  useLayoutEffect(() => {
    if (scrollContainer.current !== null && anchor.current !== null) {
      if (lastRowHeight.current !== rowHeight)
        scrollContainer.current.scrollTop = anchor.current.index * rowHeight;
      const shift = findAnchorShift(options, anchor.current);
      if (!isAtTop(scrollContainer.current, rowHeight))
        scrollContainer.current.scrollTop += shift * rowHeight;
      else if (shift > 0 && shift <= MAX_ANIMATED_ROWS)
        slideIn(scrollContainer.current.lastElementChild, shift * rowHeight);
    }
    lastRowHeight.current = rowHeight;
    update();
  });
  return { renderedRange, isActiveRendered };
}

function withOverscan({ first, last }: Range): Range {
  return {
    first: Math.max(0, Math.floor((first - OVERSCAN) / STEP) * STEP),
    last: Math.ceil((last + OVERSCAN) / STEP) * STEP,
  };
}

function isWithin<Item>(
  { items, getKey }: KeyedListItems<Item>,
  key: string,
  { first, last }: Range,
): boolean {
  for (let index = first; index <= last; index++) {
    const item = items.at(index);
    if (item !== undefined && getKey(item) === key) return true;
  }
  return false;
}

/** The first visible row, which keeps its position on the screen. */
interface Anchor {
  readonly key: string;
  readonly index: number;
}

/** By how many rows the anchor moved down; 0 when it is no longer in the list. */
function findAnchorShift<Item>(keyed: KeyedListItems<Item>, { key, index }: Anchor): number {
  return (findNearby(keyed, key, index) ?? index) - index;
}

function isAtTop({ scrollTop }: Element, rowHeight: number): boolean {
  return scrollTop < rowHeight / 2;
}

/** Height of the area in which rows are visible. The rows are the last child; a header before them stays at the top. */
export function bodyHeightOf(element: HTMLElement | null): number {
  const header = element?.lastElementChild?.previousElementSibling;
  return (element?.clientHeight ?? 0) - (header?.clientHeight ?? 0);
}

function slideIn(rows: Element | null, height: number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  rows?.animate([{ transform: `translateY(-${height}px)` }, { transform: 'none' }], {
    duration: SLIDE_MS,
    easing: 'ease-out',
  });
}

/** An array, or a list that is only partly loaded. */
export interface ListItems<Item> {
  readonly length: number;
  /** Undefined for an item that is not loaded. */
  at(index: number): Item | undefined;
}

export interface KeyedListItems<Item> {
  readonly items: ListItems<Item>;
  readonly getKey: (item: Item) => string;
}

/** How far from the expected index an item is searched. */
const MAX_DISTANCE = 500;

/** The index of an item at or near `around`; null when it is not found. */
export function findNearby<Item>(
  { items, getKey }: KeyedListItems<Item>,
  key: string,
  around: number,
): number | null {
  for (let distance = 0; distance < MAX_DISTANCE; distance++) {
    for (const index of [around + distance, around - distance]) {
      const item = index < 0 ? undefined : items.at(index);
      if (item !== undefined && getKey(item) === key) return index;
    }
  }
  return null;
}
