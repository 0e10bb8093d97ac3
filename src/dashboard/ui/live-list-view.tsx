/** A view with a filtered live list and the open item: side by side on wide screens, otherwise the item replaces the list. */
import { ActionButton } from './action-button.tsx';
import './live-list-view.css';
import type { ComponentChildren, JSX } from 'preact';
import { useCallback, useId, useMemo } from 'preact/hooks';
import { type Route, toHash } from '../address.ts';
import { MAX_NEW_COUNT } from '../feed.ts';
import type { HasId } from '../paged-list.ts';
import { navigate, replaceRoute } from '../router.ts';
import { settings } from '../settings.ts';
import { useShortcuts } from '../shortcuts.ts';
import type { LiveList } from '../use-live-list.ts';
import { FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { Icon } from './icon.tsx';
import { PaneSeparator } from './pane-separator.tsx';
import { VirtualList } from './virtual-list.tsx';

interface Props<Item extends HasId> extends FilterBarProps {
  readonly route: Route;
  readonly list: LiveList<Item>;
  /** Kind of the items, such as "Event". The section of the route is its plural. */
  readonly label: string;
  readonly columns: readonly string[];
  /** The cells of a row, one per column; `address` links the item. Must be the same function on every render. */
  readonly renderCells: (item: Item, address: string) => readonly ComponentChildren[];
  /** Shown when the list has no items and no filter. */
  readonly empty: ComponentChildren;
  readonly Detail: (props: { readonly id: string }) => JSX.Element;
}

export function LiveListView<Item extends HasId>(props: Props<Item>) {
  const { route, list, label, filter, controls, Detail } = props;
  const { section, id: openId } = route;
  const back = { section, query: filter };
  const listId = useId();
  useShortcuts(
    openId === null ? [] : [{ key: 'Escape', description: 'Back to the list', run: () => navigate(back) }],
  );
  // Live updates of the list do not render the open item.
  const detail = useMemo(() => openId !== null && <Detail id={openId} />, [openId]);
  return (
    <div class={section}>
      <div class={`list-detail ${openId === null ? '' : 'open'}`}>
        <section id={listId} class="list-detail-list" aria-label="List">
          <FilterBar
            {...props}
            controls={
              <>
                {controls}
                <PauseButton {...list} />
              </>
            }
          />
          <LiveTable {...props} />
        </section>
        {openId !== null && <PaneSeparator controls={listId} />}
        {openId !== null && (
          <article class="list-detail-item" aria-label={label}>
            <a class="list-detail-back" href={toHash(back)}>
              <Icon name="back" /> All {section}
            </a>
            {detail}
          </article>
        )}
      </div>
    </div>
  );
}

/** Height of a row by density, in rem. */
const ROW_HEIGHTS = { comfortable: 3.25, compact: 2 } as const;

/** The rows of a live list, or its loading, error or empty state. */
function LiveTable<Item extends HasId>({ route, list, filter, columns, renderCells, empty }: Props<Item>) {
  const { feed, scrollContainer, jumpToTop, onVisibleRangeChange, selectedId, select } = list;
  const { section, id: openId } = route;
  // The open tab stays the same when the user opens another item.
  const toRoute = (id: string) => ({ section, id, query: { ...filter, tab: route.query.tab ?? '' } });
  const toCells = useCallback(
    (item: Item) => renderCells(item, toHash(toRoute(item.id))),
    // The links of the rows change only with the section, the filter and the tab.
    [toHash(toRoute(''))],
  );
  const isEmpty = feed.list.length === 0;
  // Live updates can remove all loaded items.
  const isSearching = isEmpty && feed.list.nextCursor !== null;
  const isFirstPageLoading = !feed.isLoaded && feed.error === null;
  return (
    <div class="live-table">
      <NewItemsButton section={section} count={feed.newCount} onPress={jumpToTop} />
      {feed.error !== null && (
        <p class="placeholder error" role="alert">
          {feed.error} <ActionButton onClick={() => feed.retry()}>Try again</ActionButton>
        </p>
      )}
      {feed.isLoaded && !isEmpty && (
        <VirtualList
          label={`${section.charAt(0).toUpperCase()}${section.slice(1)}, newest first`}
          columns={columns}
          items={feed.list}
          getKey={({ id }) => id}
          cells={toCells}
          rowHeight={ROW_HEIGHTS[settings.value.density]}
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
        isEmpty &&
        !isSearching &&
        (Object.keys(filter).length > 0 ? (
          <div class="placeholder">No {section} match these filters.</div>
        ) : (
          empty
        ))}
      {(isFirstPageLoading || isSearching) && (
        <p class="placeholder" role="status">
          {isSearching ? 'Searching older' : 'Loading'} {section}…
        </p>
      )}
    </div>
  );
}

interface NewItemsButtonProps {
  readonly section: string;
  readonly count: number;
  readonly onPress: () => void;
}

const numberFormat = new Intl.NumberFormat('en');

/** Announced once when the first new item arrives, not for each one. */
function NewItemsButton({ section, count, onPress }: NewItemsButtonProps) {
  return (
    <>
      <span class="visually-hidden" role="status">
        {count > 0 ? `New ${section} at the top of the list` : ''}
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

function PauseButton({ isPaused, togglePause }: Pick<LiveList<HasId>, 'isPaused' | 'togglePause'>) {
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
