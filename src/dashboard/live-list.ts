/** A list that is looked through while it changes: held while somebody reads further down, or pauses it. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Page } from '../contract/resources.ts';
import type { StreamItem } from '../contract/stream.ts';
import { isConnected } from './connection.ts';
import { Feed, type PageInput } from './feed.ts';
import { useLive } from './live.ts';
import type { Identified } from './paged-list.ts';
import { status } from './session.ts';
import { useShortcuts } from './shortcuts.ts';
import type { Look } from './ui/virtual-view.ts';

interface Source<Item extends Identified> {
  /** Another one is another list; null while it is not known which. */
  readonly key: string | null;
  readonly ask: (page: PageInput) => Promise<Page<Item>>;
  /** Tells the feed of what happened; a reset is no part of it. */
  readonly hear: (items: readonly StreamItem[], feed: Feed<Item>) => void;
}

export interface LiveList<Item extends Identified> {
  readonly feed: Feed<Item>;
  /** What scrolls. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly isPaused: boolean;
  readonly togglePause: () => void;
  /** Goes on, and back to the top. */
  readonly leadUp: () => void;
  readonly onLook: (look: Look) => void;
  /** Id of the row that the keys move from while nothing is shown beside the list. */
  readonly chosen: string | null;
  readonly choose: (id: string) => void;
}

/** Narrowed to something else, it shows what it had until the answer is there. */
export function useLiveList<Item extends Identified>({ key, ask, hear }: Source<Item>): LiveList<Item> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [isPaused, setPaused] = useState(false);
  const [isAtTop, setAtTop] = useState(true);
  const [chosen, choose] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // An emulator that was started anew may hold other things.
  const feed = useMemo(
    () => new Feed<Item>({ ask, onChange: () => redraw(0) }),
    [key, status.value?.started_at],
  );
  useEffect(() => {
    if (key !== null) feed.open();
    return () => feed.close();
  }, [feed]);
  const isHeld = isPaused || !isAtTop;
  useEffect(() => feed.hold(isHeld), [feed, isHeld]);
  useEffect(() => {
    if (isConnected.value) feed.again();
  }, [feed, isConnected.value]);
  useLive((items) => {
    const replaced = items.findLastIndex(({ type }) => type === 'reset');
    if (replaced !== -1 && key !== null) feed.open();
    hear(items.slice(replaced + 1), feed);
  });
  const shown = useRef(feed);
  if (feed.isOpen || feed.error !== null) shown.current = feed;
  const togglePause = () => setPaused(!isPaused);
  useShortcuts([{ key: 'p', does: isPaused ? 'Go on' : 'Pause', run: togglePause }]);
  const scrollUp = () => {
    setAtTop(true);
    box.current?.scrollTo({ top: 0 });
  };
  useLayoutEffect(scrollUp, [shown.current]);
  return {
    ...{ feed: shown.current, box, isPaused, togglePause, chosen, choose },
    leadUp: () => {
      setPaused(false);
      scrollUp();
    },
    onLook: ({ first, last, isAtTop }) => {
      setAtTop(isAtTop);
      shown.current.look(first, last);
    },
  };
}
