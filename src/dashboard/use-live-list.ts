/** A live list with its scroll and pause state. It pauses while the user has scrolled down. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Page } from '../contract/resources.ts';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { isConnected } from './control.ts';
import { Feed, type PageRequest } from './feed.ts';
import { useLiveItems } from './live-stream.ts';
import { type HasId, MAX_PAGE_SIZE, PAGE_SIZE } from './paged-list.ts';
import { getEntryId } from './router.ts';
import { status } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import type { VisibleRange } from './ui/use-visible-rows.ts';

interface LiveListOptions<Item extends HasId> {
  /** A new key creates a new list; null while the key is unknown. */
  readonly key: string | null;
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  /** Applies stream items to the feed. A reset is handled before. */
  readonly onItems: (items: readonly StreamItem[], feed: Feed<Item>) => void;
}

export interface LiveList<Item extends HasId> {
  readonly feed: Feed<Item>;
  readonly scrollContainer: RefObject<HTMLDivElement | null>;
  readonly isPaused: boolean;
  readonly togglePause: () => void;
  /** Resumes the list and scrolls to the top. */
  readonly jumpToTop: () => void;
  readonly onVisibleRangeChange: (visibleRange: VisibleRange) => void;
  /** ID of the row that keyboard navigation starts from when no item is open. */
  readonly selectedId: string | null;
  readonly select: (id: string) => void;
}

/** Where a list was scrolled to. */
interface ScrollPosition {
  readonly top: number;
  /** Index of the last visible item. */
  readonly last: number;
}

/** Scroll positions by history entry, so that Back restores them. */
const scrollPositions = new Map<string, ScrollPosition>();

/** After a change of the filter, the previous list stays visible until the first page arrives. */
export function useLiveList<Item extends HasId>({
  key,
  fetchPage,
  onItems,
}: LiveListOptions<Item>): LiveList<Item> {
  const [, rerender] = useReducer((count: number, _: undefined) => count + 1, 0);
  const [isPaused, setPaused] = useState(false);
  const [isAtTop, setAtTop] = useState(true);
  const [selectedId, select] = useState<string | null>(null);
  const scrollContainer = useRef<HTMLDivElement>(null);
  const entryId = getEntryId();
  const positionToRestore = useRef(scrollPositions.get(entryId));
  // A restarted emulator may contain other data.
  const feed = useMemo(
    () => new Feed<Item>({ fetchPage, onChange: () => rerender(undefined) }),
    [key, status.value?.started_at],
  );
  useEffect(() => {
    // The position can only be restored if the list is long enough.
    const lastIndex = positionToRestore.current?.last ?? 0;
    if (key !== null) feed.load(Math.min(MAX_PAGE_SIZE, PAGE_SIZE + lastIndex));
    return () => feed.cancel();
  }, [feed]);
  const isFeedPaused = isPaused || !isAtTop;
  // Before the browser paints, so that no update is applied after the button shows the pause.
  useLayoutEffect(() => feed.setPaused(isFeedPaused), [feed, isFeedPaused]);
  useEffect(() => {
    if (isConnected.value) feed.retry();
  }, [feed, isConnected.value]);
  useLiveItems((items) => {
    const resetIndex = items.findLastIndex(({ type }) => type === 'reset');
    if (resetIndex !== -1 && key !== null) feed.load();
    onItems(items.slice(resetIndex + 1), feed);
  });
  const shownFeed = useRef(feed);
  if (feed.isLoaded || feed.error !== null) shownFeed.current = feed;
  const togglePause = () => setPaused(!isPaused);
  useShortcuts([
    { key: 'p', description: isPaused ? 'Resume live updates' : 'Pause live updates', run: togglePause },
  ]);
  const scrollToTop = () => {
    setAtTop(true);
    scrollContainer.current?.scrollTo({ top: 0 });
  };
  useLayoutEffect(scrollToTop, [shownFeed.current]);
  // After the effect that scrolls to the top.
  useLayoutEffect(() => {
    if (!feed.isLoaded || positionToRestore.current === undefined) return;
    scrollContainer.current?.scrollTo({ top: positionToRestore.current.top });
    positionToRestore.current = undefined;
  }, [feed.isLoaded]);
  return {
    feed: shownFeed.current,
    scrollContainer,
    isPaused,
    togglePause,
    selectedId,
    select,
    jumpToTop: () => {
      setPaused(false);
      scrollToTop();
    },
    onVisibleRangeChange: ({ first, last, isAtTop }) => {
      setAtTop(isAtTop);
      scrollPositions.set(entryId, { top: scrollContainer.current?.scrollTop ?? 0, last });
      shownFeed.current.setVisibleRange(first, last);
    },
  };
}
