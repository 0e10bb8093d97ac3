/** A view with a filtered live list and the open item: side by side on wide screens, otherwise the item replaces the list. */
import { Component, type ComponentChildren, type JSX } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { capitalize } from '../../domain/message-parts.ts';
import { type Route, toHash } from '../address.ts';
import { navigate, replaceRoute } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import type { HasId, LiveList } from '../use-live-list.ts';
import { ActionButton } from './action-button.tsx';
import { ClearFilters, FilterBar, type FilterBarProps } from './filter-bar.tsx';
import { Icon } from './icon.tsx';
import { QueryView } from './query-view.tsx';
import { useRovingFocus } from './roving-focus.ts';

interface Props<Item extends HasId> extends FilterBarProps {
  readonly route: Route;
  readonly list: LiveList<Item>;
  /** Kind of the items, such as "Event". The section of the route is its plural. */
  readonly label: string;
  /** The titles of the columns. */
  readonly columns: readonly string[];
  /** The content of a row, which is a link to the item. Must be the same function on every render. */
  readonly renderRow: (item: Item) => ComponentChildren;
  /** Shown when the list has no items and no filter. */
  readonly empty: ComponentChildren;
  readonly Detail: (props: { readonly id: string }) => JSX.Element;
}

export function LiveListView<Item extends HasId>(props: Props<Item>) {
  const { route, filter, label, Detail } = props;
  const { section, id: openId } = route;
  const back = { section, query: filter };
  const listId = useId();
  const article = useRef<HTMLElement>(null);
  const lastOpenId = useRef(openId);
  useShortcuts(
    openId === null ? [] : [{ key: 'Escape', description: 'Back to the list', run: () => navigate(back) }],
  );
  // The focus follows what replaces the element that had it.
  useEffect(() => {
    const list = document.getElementById(listId);
    const isListHidden = list === null || getComputedStyle(list).visibility === 'hidden';
    if (openId !== null && isListHidden) article.current?.focus();
    if (openId === null && document.activeElement === document.body && lastOpenId.current !== null)
      list?.querySelector<HTMLElement>(`[data-id="${CSS.escape(lastOpenId.current)}"]`)?.focus();
    lastOpenId.current = openId;
  }, [openId]);
  // Live updates of the list do not render the open item.
  const detail = useMemo(() => openId !== null && <Detail id={openId} />, [openId]);
  return (
    <div class="split">
      <section id={listId} aria-label="List">
        <FilterBar {...props} />
        <Rows {...props} />
      </section>
      {openId !== null && (
        <article ref={article} aria-label={label} tabIndex={-1}>
          <a href={toHash(back)}>
            <Icon name="back" /> All {section}
          </a>
          {detail}
        </article>
      )}
    </div>
  );
}

/** Rows of a live list, or its loading, error or empty state. */
function Rows<Item extends HasId>({ route, list, filter, columns, renderRow, empty }: Props<Item>) {
  const { scrollContainer, holdHandlers, showNew, onScroll } = list;
  const { items, newCount, hasOlder, loadOlder, isLoaded, error, retry } = list;
  const { section, id: openId } = route;
  // The open tab stays the same when the user opens another item.
  const toRoute = (id: string) => ({ section, id, query: { ...filter, tab: route.query.tab ?? '' } });
  const { move, handlers } = useRovingFocus(scrollContainer, 'li > a', ({ dataset: { id } }) => {
    if (openId !== null && id !== undefined) replaceRoute(toRoute(id));
  });
  useShortcuts([
    { key: 'j', description: 'Next row', run: () => move(1) },
    { key: 'k', description: 'Previous row', run: () => move(-1) },
  ]);
  useOpenRowInView(list, openId);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div ref={scrollContainer} onScroll={onScroll} {...holdHandlers}>
      <NewItemsButton section={section} count={newCount} onPress={showNew} />
      <QueryView query={{ value: isLoaded ? items : undefined, error, refetch: retry }} what={section}>
        {() => {
          if (items.length === 0 && isFiltered)
            return (
              <p class="placeholder">
                No {section} match these filters. <ClearFilters filter={filter} />
              </p>
            );
          if (items.length === 0) return <div class="page">{empty}</div>;
          return (
            <ol aria-label={capitalize(section)} {...handlers}>
              <li aria-hidden="true">
                {['', ...columns].map((title) => (
                  <span key={title}>{title}</span>
                ))}
              </li>
              {items.map((item) => (
                <Row
                  key={item.id}
                  item={item}
                  address={toHash(toRoute(item.id))}
                  isOpen={item.id === openId}
                  renderRow={renderRow}
                />
              ))}
            </ol>
          );
        }}
      </QueryView>
      {isLoaded && hasOlder && (
        <p class="placeholder">
          <ActionButton disabled={loadOlder === null} onClick={() => loadOlder?.()}>
            Show older {section}
          </ActionButton>
        </p>
      )}
    </div>
  );
}

interface RowProps<Item> {
  readonly item: Item;
  readonly address: string;
  readonly isOpen: boolean;
  readonly renderRow: (item: Item) => ComponentChildren;
}

/**
 * Renders only when it changes. Not with `useMemo`: a memoized element refers to the list of its first render, so that all rows that were
 * ever shown would stay in memory.
 */
class Row<Item extends HasId> extends Component<RowProps<Item>> {
  override shouldComponentUpdate(next: RowProps<Item>): boolean {
    const { item, address, isOpen } = this.props;
    if (next.address !== address || next.isOpen !== isOpen) return true;
    return next.item !== item && JSON.stringify(next.item) !== JSON.stringify(item);
  }

  override render({ item, address, isOpen, renderRow }: RowProps<Item>) {
    return (
      <li>
        <a data-id={item.id} title={item.id} href={address} aria-current={isOpen ? 'true' : undefined}>
          {renderRow(item)}
        </a>
      </li>
    );
  }
}

/** How many items are loaded to find the open one in the list. */
const MAX_SEARCHED = 1_000;

/** Scrolls to the row of the item that is open when the list appears, as after a reload. */
function useOpenRowInView<Item extends HasId>(
  { items, isLoaded, hasOlder, loadOlder, scrollContainer }: LiveList<Item>,
  openId: string | null,
) {
  const isDone = useRef(openId === null);
  useEffect(() => {
    if (isDone.current || !isLoaded || loadOlder === null || openId === null) return;
    const isOlder = openId < (items.at(-1)?.id ?? openId);
    if (isOlder && hasOlder && items.length < MAX_SEARCHED) return loadOlder();
    isDone.current = true;
    scrollContainer.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'center' });
  });
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
      <span class="hidden" role="status">
        {count > 0 ? `New ${section} at the top of the list` : ''}
      </span>
      {count > 0 && (
        <button type="button" onClick={onPress}>
          {numberFormat.format(count)} new
        </button>
      )}
    </>
  );
}
