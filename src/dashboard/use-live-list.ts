/** A live list whose rows do not move while the user points at them, has the focus on one, or has scrolled down. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { Page } from '../resources/define-resource.ts';
import { getEntryId } from './router.ts';
import { useQuery } from './use-query.ts';

/** Number of items in a page. Without older pages, a list shows this many. */
const PAGE_SIZE = 200;
/** The largest page of the control plane. */
export const MAX_PAGE_SIZE = 1_000;

/** IDs sort by creation time. */
export interface HasId {
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly starting_after?: string;
}

interface LiveListOptions<Item> {
  /** A new key creates a new list; null while the key is unknown. */
  readonly key: string | null;
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
}

/** The newest items, newest first. */
interface Newest<Item> {
  readonly key: string | null;
  readonly items: readonly Item[];
  /** How many were requested. */
  readonly count: number;
  readonly hasOlder: boolean;
}

export interface LiveList<Item extends HasId> extends Newest<Item> {
  readonly isLoaded: boolean;
  readonly error: string | null;
  /** How many new items wait while the list is held. */
  readonly newCount: number;
  /** Null while they are loading. */
  readonly loadOlder: (() => void) | null;
  readonly retry: () => void;
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
export function useLiveList<Item extends HasId>({ key, fetchPage }: LiveListOptions<Item>): LiveList<Item> {
  const [, rerender] = useReducer((count: number, _: undefined) => count + 1, 0);
  const scrollContainer = useRef<HTMLDivElement>(null);
  const entryId = getEntryId();
  const positionToRestore = useRef(scrollPositions.get(entryId));
  const [older, setOlder] = useState({ key, count: positionToRestore.current?.count ?? PAGE_SIZE });
  const count = older.key === key ? older.count : PAGE_SIZE;
  const query = useQuery(
    async () => (key === null ? null : { key, count, ...(await fetchNewest(fetchPage, count)) }),
    [key],
    { isLive: true },
  );
  const nothing: Newest<Item> = { key: null, items: [], count, hasOlder: false };
  const shown = useRef(nothing);
  if (query.error !== null && shown.current.key !== key) shown.current = nothing;
  const reasons = useRef(new Set<string>());
  const latest = query.value ?? null;
  if (latest !== null && latest !== shown.current) {
    const isSameList = latest.key === shown.current.key;
    // An empty list has no rows that could move.
    const isHeld = isSameList && reasons.current.size > 0 && shown.current.items.length > 0;
    shown.current = isHeld ? { ...latest, items: updateItems(shown.current.items, latest.items) } : latest;
  }
  useEffect(() => {
    if (count !== shown.current.count) query.refetch();
  }, [count]);
  const hold = (reason: string, isHeld: boolean) => {
    if (isHeld) reasons.current.add(reason);
    else if (reasons.current.delete(reason)) rerender(undefined);
  };
  const onScroll = () => {
    const top = scrollContainer.current?.scrollTop ?? 0;
    scrollPositions.set(entryId, { top, count: shown.current.count });
    hold('scroll', top > 0);
  };
  const scrollTo = (top: number) => {
    scrollContainer.current?.scrollTo({ top });
    // A list that has become shorter does not scroll as far, so there may be no scroll event.
    onScroll();
  };
  // Another list starts at the top, except after Back.
  useLayoutEffect(() => {
    if (shown.current.key === null) return;
    scrollTo(positionToRestore.current?.top ?? 0);
    positionToRestore.current = undefined;
  }, [shown.current.key]);
  const shownIds = new Set(shown.current.items.map(({ id }) => id));
  return {
    ...shown.current,
    isLoaded: shown.current.key !== null,
    error: query.error,
    newCount: latest?.items.filter(({ id }) => !shownIds.has(id)).length ?? 0,
    loadOlder: count === shown.current.count ? () => setOlder({ key, count: count + PAGE_SIZE }) : null,
    retry: query.refetch,
    scrollContainer,
    holdHandlers: {
      onPointerEnter: () => hold('pointer', true),
      onPointerLeave: () => hold('pointer', false),
      onFocusIn: () => hold('focus', true),
      onFocusOut: () => hold('focus', false),
    },
    showNew: () => {
      if (latest !== null) shown.current = latest;
      rerender(undefined);
      scrollTo(0);
    },
    onScroll,
  };
}

async function fetchNewest<Item extends HasId>(
  fetchPage: LiveListOptions<Item>['fetchPage'],
  count: number,
): Promise<Pick<Newest<Item>, 'items' | 'hasOlder'>> {
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1)?.id;
    const limit = Math.min(MAX_PAGE_SIZE, count - items.length);
    const page = await fetchPage({ limit, ...(last !== undefined && { starting_after: last }) });
    items.push(...page.data);
    if (!page.has_more || items.length >= count) return { items, hasOlder: page.has_more };
  }
}

/** The items that are shown, as they are now, and older ones that were loaded. */
function updateItems<Item extends HasId>(shown: readonly Item[], latest: readonly Item[]): readonly Item[] {
  const byId = new Map(latest.map((item) => [item.id, item]));
  const last = shown.at(-1)?.id;
  const older = latest.filter(({ id }) => last === undefined || id < last);
  return [...shown.map((item) => byId.get(item.id) ?? item), ...older];
}
