/** A list that is looked through while it changes: held while somebody reads further down, or pauses it. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Page } from '../contract/resources.ts';
import type { StreamItem } from '../contract/stream-schemas.ts';
import { isConnected } from './connection.ts';
import { Feed, type PageRequest } from './feed.ts';
import { useLiveItems } from './live-stream.ts';
import type { HasId } from './paged-list.ts';
import { status } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import type { VisibleRange } from './ui/use-visible-rows.ts';

interface LiveListOptions<Item extends HasId> {
  /** Another one is another list; null while it is not known which. */
  readonly key: string | null;
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  /** Tells the feed of what happened; a reset is no part of it. */
  readonly onItems: (items: readonly StreamItem[], feed: Feed<Item>) => void;
}

export interface LiveList<Item extends HasId> {
  readonly feed: Feed<Item>;
  /** What scrolls. */
  readonly scrollContainer: RefObject<HTMLDivElement | null>;
  readonly isPaused: boolean;
  readonly togglePause: () => void;
  /** Goes on, and back to the top. */
  readonly jumpToTop: () => void;
  readonly onVisibleRangeChange: (visibleRange: VisibleRange) => void;
  /** Id of the row that the keys move from while nothing is shown beside the list. */
  readonly selectedId: string | null;
  readonly select: (id: string) => void;
}

/** Narrowed to something else, it shows what it had until the answer is there. */
export function useLiveList<Item extends HasId>({
  key,
  fetchPage,
  onItems,
}: LiveListOptions<Item>): LiveList<Item> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [isPaused, setPaused] = useState(false);
  const [isAtTop, setAtTop] = useState(true);
  const [chosen, choose] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // An emulator that was started anew may hold other things.
  const feed = useMemo(
    () => new Feed<Item>({ fetchPage, onChange: () => redraw(0) }),
    [key, status.value?.started_at],
  );
  useEffect(() => {
    if (key !== null) feed.load();
    return () => feed.cancel();
  }, [feed]);
  const isHeld = isPaused || !isAtTop;
  useEffect(() => feed.setPaused(isHeld), [feed, isHeld]);
  useEffect(() => {
    if (isConnected.value) feed.retry();
  }, [feed, isConnected.value]);
  useLiveItems((items) => {
    const replaced = items.findLastIndex(({ type }) => type === 'reset');
    if (replaced !== -1 && key !== null) feed.load();
    onItems(items.slice(replaced + 1), feed);
  });
  const shown = useRef(feed);
  if (feed.isLoaded || feed.error !== null) shown.current = feed;
  const togglePause = () => setPaused(!isPaused);
  useShortcuts([{ key: 'p', description: isPaused ? 'Go on' : 'Pause', run: togglePause }]);
  const scrollUp = () => {
    setAtTop(true);
    box.current?.scrollTo({ top: 0 });
  };
  useLayoutEffect(scrollUp, [shown.current]);
  return {
    ...{
      feed: shown.current,
      scrollContainer: box,
      isPaused,
      togglePause,
      selectedId: chosen,
      select: choose,
    },
    jumpToTop: () => {
      setPaused(false);
      scrollUp();
    },
    onVisibleRangeChange: ({ first, last, isAtTop }) => {
      setAtTop(isAtTop);
      shown.current.setVisibleRange(first, last);
    },
  };
}
