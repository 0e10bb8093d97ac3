/** A live list whose rows do not move while the user points at them, has the focus on one, or has scrolled down. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Page } from '../contract/resources.ts';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { isConnected } from './control.ts';
import { type HasId, LiveItems, type PageRequest } from './live-items.ts';
import { useLiveItems } from './live-stream.ts';
import { getEntryId } from './router.ts';
import { status } from './session.ts';

interface LiveListOptions<Item extends HasId> {
  /** A new key creates a new list; null while the key is unknown. */
  readonly key: string | null;
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  /** Applies stream items to the list. A reset is handled before. */
  readonly onItems: (items: readonly StreamItem[], list: LiveItems<Item>) => void;
}

export interface LiveList<Item extends HasId> {
  readonly list: LiveItems<Item>;
  readonly scrollContainer: RefObject<HTMLDivElement | null>;
  /** Handlers for the element around the rows and the button that shows the new ones. */
  readonly holdHandlers: object;
  /** Shows the new items, and scrolls to the top. */
  readonly showNew: () => void;
  readonly onScroll: () => void;
}

/** Where a list was scrolled to, by history entry, so that Back restores it. */
const scrollPositions = new Map<string, { readonly top: number; readonly count: number }>();

/** After a change of the filter, the previous list stays visible until the first page arrives. */
export function useLiveList<Item extends HasId>({
  key,
  fetchPage,
  onItems,
}: LiveListOptions<Item>): LiveList<Item> {
  const [, rerender] = useReducer((count: number, _: undefined) => count + 1, 0);
  const scrollContainer = useRef<HTMLDivElement>(null);
  const entryId = getEntryId();
  const positionToRestore = useRef(scrollPositions.get(entryId));
  // A restarted emulator may contain other data.
  const list = useMemo(
    () => new LiveItems<Item>({ fetchPage, onChange: () => rerender(undefined) }),
    [key, status.value?.started_at],
  );
  useEffect(() => {
    if (key !== null) void list.load(positionToRestore.current?.count);
    return () => list.cancel();
  }, [list]);
  useEffect(() => {
    if (isConnected.value) list.retry();
  }, [list, isConnected.value]);
  useLiveItems((items) => {
    const resetIndex = items.findLastIndex(({ type }) => type === 'reset');
    if (resetIndex !== -1 && key !== null) void list.load(list.items.length);
    onItems(items.slice(resetIndex + 1), list);
  });
  const shownList = useRef(list);
  if (list.isLoaded || list.error !== null) shownList.current = list;

  const reasons = useRef(new Set<string>());
  const hold = (reason: string, isHeld: boolean) => {
    if (isHeld) reasons.current.add(reason);
    else reasons.current.delete(reason);
    shownList.current.setHeld(reasons.current.size > 0);
  };
  const onScroll = () => {
    const top = scrollContainer.current?.scrollTop ?? 0;
    scrollPositions.set(entryId, { top, count: shownList.current.items.length });
    hold('scroll', top > 0);
  };
  const scrollTo = (top: number) => {
    scrollContainer.current?.scrollTo({ top });
    // A list that has become shorter does not scroll as far, so there may be no scroll event.
    onScroll();
  };
  // Another list starts at the top, except after Back.
  useLayoutEffect(() => {
    if (!list.isLoaded) return;
    scrollTo(positionToRestore.current?.top ?? 0);
    positionToRestore.current = undefined;
  }, [list, list.isLoaded]);
  return {
    list: shownList.current,
    scrollContainer,
    holdHandlers: {
      onPointerEnter: () => hold('pointer', true),
      onPointerLeave: () => hold('pointer', false),
      onFocusIn: () => hold('focus', true),
      onFocusOut: () => hold('focus', false),
    },
    showNew: () => {
      shownList.current.showWaiting();
      scrollTo(0);
    },
    onScroll,
  };
}
