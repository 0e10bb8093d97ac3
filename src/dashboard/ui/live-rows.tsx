/** The rows of a live list, or what stands in their place. */
import './live-rows.css';
import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { type Route, toHash } from '../address.ts';
import { MOST_WAITING } from '../feed.ts';
import type { LiveList } from '../live-list.ts';
import type { Identified } from '../paged-list.ts';
import { navigate, replace } from '../router.ts';
import { Icon } from './icon.tsx';
import { VirtualList } from './virtual-list.tsx';

interface Props<Item extends Identified> {
  readonly list: LiveList<Item>;
  /** What the rows are, such as "events". */
  readonly what: string;
  readonly columns: readonly string[];
  /** The cells of a row, one for each column; `address` is that of the item in the page. The same function each time. */
  readonly cells: (item: Item, address: string) => readonly ComponentChildren[];
  /** Height of every row, in rem. */
  readonly rowHeight: number;
  /** Where an item is. */
  readonly toRoute: (id: string) => Pick<Route, 'section' | 'id' | 'query'>;
  /** Id of the item that is shown beside the list; null where none is. */
  readonly openId: string | null;
  /** What is said where there is none. */
  readonly empty: ComponentChildren;
}

const grouped = new Intl.NumberFormat('en');

export function LiveRows<Item extends Identified>(props: Props<Item>) {
  const { list, what, columns, cells, rowHeight, toRoute, openId, empty } = props;
  const { feed, box, leadUp, onLook, chosen, choose } = list;
  const toCells = useCallback((item: Item) => cells(item, toHash(toRoute(item.id))), [toHash(toRoute(''))]);
  return (
    <div class="live-rows">
      <Waiting what={what} count={feed.waiting} onPress={leadUp} />
      {feed.error !== null && (
        <p class="state error" role="alert">
          {feed.error}{' '}
          <button type="button" onClick={() => feed.again()}>
            Try again
          </button>
        </p>
      )}
      {!feed.isOpen && feed.error === null && (
        <p class="state" role="status">
          Loading {what}…
        </p>
      )}
      {feed.isOpen && feed.list.length > 0 && (
        <VirtualList
          label={`${what.charAt(0).toUpperCase()}${what.slice(1)}, newest first`}
          columns={columns}
          items={feed.list}
          keyOf={({ id }) => id}
          cells={toCells}
          rowHeight={rowHeight}
          hasMore={feed.list.next !== null}
          active={openId ?? chosen}
          onActive={({ id }) => {
            choose(id);
            if (openId !== null) replace(toRoute(id));
          }}
          onOpen={({ id }) => {
            choose(id);
            navigate(toRoute(id));
          }}
          onLook={onLook}
          box={box}
        />
      )}
      {feed.isOpen && feed.isLoading && <p class="live-loading">Loading…</p>}
      {feed.isOpen &&
        feed.list.length === 0 &&
        (feed.list.next === null ? (
          empty
        ) : (
          <p class="state" role="status">
            Searching older {what}…
          </p>
        ))}
    </div>
  );
}

/** Said once when the first one waits, not again with every further one. */
function Waiting({
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
      <span class="unseen" role="status">
        {count > 0 ? `New ${what} wait at the top of the list` : ''}
      </span>
      {count > 0 && (
        <button type="button" class="main live-waiting" onClick={onPress}>
          {grouped.format(count)}
          {count === MOST_WAITING ? '+' : ''} new
        </button>
      )}
    </>
  );
}

type PauseProps = Pick<LiveList<Identified>, 'isPaused' | 'togglePause'>;

export function PauseButton({ isPaused, togglePause }: PauseProps) {
  return (
    <button type="button" aria-pressed={isPaused} title="Key p" onClick={togglePause}>
      <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Paused' : 'Pause'}
    </button>
  );
}
