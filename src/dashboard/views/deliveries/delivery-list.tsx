/** The live list: what is shown of each delivery, and what stands in its place where there are none. */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Delivery } from '../../../contract/deliveries.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { MOST_WAITING } from '../../feed.ts';
import { attempt } from '../../notices.ts';
import { navigate, refine, replace } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty } from '../../ui/state.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { openReplay } from '../replay/question.ts';
import { COLUMNS, toCells } from './delivery-cells.tsx';
import { type Filter, filterNames, parseFilter } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { FirstSteps } from './first-steps.tsx';
import { useDeliveries } from './use-deliveries.ts';

const ROW_REM = 3.25;
const grouped = new Intl.NumberFormat('en');

interface Props {
  readonly query: Route['query'];
  /** Id of the delivery that is shown beside the list; null where none is. */
  readonly openId: string | null;
}

export function DeliveryList({ query, openId }: Props) {
  const filter = parseFilter(query);
  const [isPaused, setPaused] = useState(false);
  const [isAtTop, setAtTop] = useState(true);
  const [chosen, setChosen] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const feed = useDeliveries(filter, isPaused || !isAtTop);
  const active = openId ?? chosen;
  // Who compares deliveries stays at the same part of them.
  const tab = query.tab ?? '';
  const to = (id: string) => ({ section: 'deliveries', id, query: { ...filter, tab } }) as const;
  const cells = useCallback((row: Delivery) => toCells(row, toHash(to(row.id))), [toHash(to(''))]);
  useShortcuts([
    { key: 'p', does: isPaused ? 'Go on' : 'Pause', run: () => setPaused(!isPaused) },
    { key: 'r', does: 'Replay the delivery', run: () => active !== null && void replay(active) },
  ]);
  const leadUp = () => {
    setAtTop(true);
    box.current?.scrollTo({ top: 0 });
  };
  useLayoutEffect(leadUp, [feed]);
  return (
    <>
      <FilterBar filter={filter} types={typesOf(feed.list)}>
        <button type="button" aria-pressed={isPaused} title="Key p" onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Paused' : 'Pause'}
        </button>
      </FilterBar>
      <div class="deliveries-rows">
        <Waiting
          count={feed.waiting}
          onPress={() => {
            setPaused(false);
            leadUp();
          }}
        />
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
            Loading deliveries…
          </p>
        )}
        {feed.isOpen && feed.list.length > 0 && (
          <VirtualList
            label="Deliveries, newest first"
            columns={COLUMNS}
            items={feed.list}
            keyOf={({ id }) => id}
            cells={cells}
            rowHeight={ROW_REM}
            hasMore={feed.list.next !== null}
            active={active}
            onActive={({ id }) => {
              setChosen(id);
              if (openId !== null) replace(to(id));
            }}
            onOpen={({ id }) => {
              setChosen(id);
              navigate(to(id));
            }}
            onLook={({ first, last, isAtTop }) => {
              setAtTop(isAtTop);
              feed.look(first, last);
            }}
            box={box}
          />
        )}
        {feed.isOpen && feed.isLoading && <p class="deliveries-loading">Loading…</p>}
        {feed.isOpen && feed.list.length === 0 && (
          <Nothing filter={filter} isSearching={feed.list.next !== null} />
        )}
      </div>
    </>
  );
}

/** The delivery that is shown beside the list need not be in it. */
async function replay(id: string): Promise<void> {
  const delivery = await attempt(control.getDelivery({ id }));
  if (delivery !== undefined) openReplay(delivery);
}

/** Said once when the first one waits, not again with every further one. */
function Waiting({ count, onPress }: { readonly count: number; readonly onPress: () => void }) {
  return (
    <>
      <span class="unseen" role="status">
        {count > 0 ? 'New deliveries wait at the top of the list' : ''}
      </span>
      {count > 0 && (
        <button type="button" class="main deliveries-waiting" onClick={onPress}>
          {grouped.format(count)}
          {count === MOST_WAITING ? '+' : ''} new
        </button>
      )}
    </>
  );
}

function Nothing({ filter, isSearching }: { readonly filter: Filter; readonly isSearching: boolean }) {
  if (isSearching) {
    return (
      <p class="state" role="status">
        Searching older deliveries…
      </p>
    );
  }
  if (Object.keys(filter).length === 0) return <FirstSteps />;
  return (
    <Empty>
      No delivery matches.{' '}
      <button type="button" onClick={() => refine(Object.fromEntries(filterNames.map((name) => [name, ''])))}>
        Show all
      </button>
    </Empty>
  );
}

/** Types of what is at the top of the list. */
function typesOf(list: { at(index: number): Delivery | undefined }): string[] {
  const found = Array.from({ length: 100 }, (_, index) => list.at(index)?.event_type);
  return found.filter((type) => type !== undefined);
}
