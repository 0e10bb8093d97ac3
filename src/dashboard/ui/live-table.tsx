/** The rows of a live list, or its loading, error or empty state. */
import './live-table.css';
import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { type Route, toHash } from '../address.ts';
import { MAX_NEW_COUNT } from '../feed.ts';
import type { HasId } from '../paged-list.ts';
import { navigate, replaceRoute } from '../router.ts';
import type { LiveList } from '../use-live-list.ts';
import { Icon } from './icon.tsx';
import { VirtualList } from './virtual-list.tsx';

interface Props<Item extends HasId> {
  readonly list: LiveList<Item>;
  /** Plural of the items, such as "events". */
  readonly what: string;
  readonly columns: readonly string[];
  /** The cells of a row, one per column; `address` links the item. Must be the same function on every render. */
  readonly cells: (item: Item, address: string) => readonly ComponentChildren[];
  /** Height of every row, in rem. */
  readonly rowHeight: number;
  /** The route of an item. */
  readonly toRoute: (id: string) => Pick<Route, 'section' | 'id' | 'query'>;
  /** ID of the open item; null when none is open. */
  readonly openId: string | null;
  readonly hasFilter: boolean;
  /** Shown when the list has no items and no filter. */
  readonly empty: ComponentChildren;
}

const numberFormat = new Intl.NumberFormat('en');

export function LiveTable<Item extends HasId>(props: Props<Item>) {
  const { list, what, columns, cells, rowHeight, toRoute, openId, hasFilter, empty } = props;
  const { feed, scrollContainer, jumpToTop, onVisibleRangeChange, selectedId, select } = list;
  const toCells = useCallback((item: Item) => cells(item, toHash(toRoute(item.id))), [toHash(toRoute(''))]);
  return (
    <div class="live-table">
      <NewItemsButton what={what} count={feed.newCount} onPress={jumpToTop} />
      {feed.error !== null && (
        <p class="placeholder error" role="alert">
          {feed.error}{' '}
          <button type="button" onClick={() => feed.retry()}>
            Try again
          </button>
        </p>
      )}
      {!feed.isLoaded && feed.error === null && (
        <p class="placeholder" role="status">
          Loading {what}…
        </p>
      )}
      {feed.isLoaded && feed.list.length > 0 && (
        <VirtualList
          label={`${what.charAt(0).toUpperCase()}${what.slice(1)}, newest first`}
          columns={columns}
          items={feed.list}
          getKey={({ id }) => id}
          cells={toCells}
          rowHeight={rowHeight}
          hasMore={feed.list.nextCursor !== null}
          active={openId ?? selectedId}
          onActive={({ id }) => {
            select(id);
            if (openId !== null) replaceRoute(toRoute(id));
          }}
          onOpen={({ id }) => {
            select(id);
            navigate(toRoute(id));
          }}
          onVisibleRangeChange={onVisibleRangeChange}
          scrollContainer={scrollContainer}
        />
      )}
      {feed.isLoaded && feed.isLoading && <p class="live-loading">Loading…</p>}
      {feed.isLoaded &&
        feed.list.length === 0 &&
        feed.list.nextCursor === null &&
        (hasFilter ? <div class="placeholder">No {what} match these filters.</div> : empty)}
      {feed.isLoaded && feed.list.length === 0 && feed.list.nextCursor !== null && (
        <p class="placeholder" role="status">
          Searching older {what}…
        </p>
      )}
    </div>
  );
}

/** Announced once when the first new item arrives, not for each one. */
function NewItemsButton({
  what,
  count,
  onPress,
}: {
  readonly what: string;
  readonly count: number;
  readonly onPress: () => void;
}) {
  return (
    <>
      <span class="visually-hidden" role="status">
        {count > 0 ? `New ${what} at the top of the list` : ''}
      </span>
      {count > 0 && (
        <button type="button" class="primary live-new" onClick={onPress}>
          {numberFormat.format(count)}
          {count === MAX_NEW_COUNT ? '+' : ''} new
        </button>
      )}
    </>
  );
}

type PauseProps = Pick<LiveList<HasId>, 'isPaused' | 'togglePause'>;

export function PauseButton({ isPaused, togglePause }: PauseProps) {
  const label = isPaused ? 'Resume' : 'Pause';
  return (
    <button
      type="button"
      aria-label={`${label} live updates`}
      title={`${label} live updates (p)`}
      onClick={togglePause}
    >
      <Icon name={isPaused ? 'play' : 'pause'} /> {label}
    </button>
  );
}
