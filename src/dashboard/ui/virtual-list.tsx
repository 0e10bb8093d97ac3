// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one are no table to a browser, and roles say what they are.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and says which row is active.
/** A list of which only the rows in view, and a few around them, are in the page. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useMemo, useRef } from 'preact/hooks';
import type { ListItems } from './list-items.ts';
import { useRowNavigation } from './use-row-navigation.ts';
import { type Range, useVisibleRows, type VisibleRange } from './use-visible-rows.ts';

interface Props<Item> {
  readonly label: string;
  /** Titles of the columns. */
  readonly columns: readonly string[];
  readonly items: ListItems<Item>;
  readonly getKey: (item: Item) => string;
  /** The cells of a row, one for each column. While it stays the same function, rows that stay the same are left alone. */
  readonly cells: (item: Item) => readonly ComponentChildren[];
  /** Height of every row, in rem. */
  readonly rowHeight: number;
  /** Whether the list goes on behind the last item. */
  readonly hasMore?: boolean;
  /** Key of the row that the keys j, k and the arrows move from. */
  readonly active?: string | null;
  readonly onActive?: (item: Item) => void;
  /** Called for Enter on the active row and for a press on any. */
  readonly onOpen?: (item: Item) => void;
  /** Called when other rows come into view, and when the list has changed. */
  readonly onVisibleRangeChange?: (visibleRange: VisibleRange) => void;
  /** What scrolls. */
  readonly scrollContainer?: RefObject<HTMLDivElement | null>;
}

/**
 * A grid as the ARIA practices have it: one stop of the Tab key, in which the arrows move from row to row. When rows
 * come or go above those in view, these stay where they are; at the top new rows slide in.
 */
export function VirtualList<Item>(props: Props<Item>) {
  const { label, columns, items, hasMore = false, active = null, onOpen } = props;
  const id = useId();
  const own = useRef<HTMLDivElement>(null);
  const box = props.scrollContainer ?? own;
  const rowHeight = props.rowHeight * rootFontSize;
  const { range, hasActive } = useVisibleRows(box, rowHeight, { ...props, active });
  const onKeyDown = useRowNavigation(box, rowHeight, props);
  return (
    <div
      ref={box}
      class="virtual"
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      aria-activedescendant={hasActive.value ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={({ target }) => {
        const item = findItem(target, items);
        if (item !== undefined) onOpen?.(item);
      }}
    >
      <div role="rowgroup" class="virtual-head">
        <div role="row" aria-rowindex={1} class="virtual-row">
          {columns.map((title) => (
            <div key={title} role="columnheader">
              {title}
            </div>
          ))}
        </div>
      </div>
      <Body {...props} active={active} id={id} range={range} rowHeight={rowHeight} />
    </div>
  );
}

interface BodyProps<Item> extends Pick<Props<Item>, 'columns' | 'items' | 'getKey' | 'cells' | 'rowHeight'> {
  readonly id: string;
  readonly range: ReadonlySignal<Range>;
  readonly active: string | null;
}

/** Scrolling changes this alone. */
function Body<Item>({ items, getKey, rowHeight, range, ...rest }: BodyProps<Item>) {
  const { first } = range.value;
  const last = Math.min(items.length - 1, range.value.last);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => {
    const item = items.at(first + place);
    const key = item === undefined ? `absent ${first + place}` : getKey(item);
    return <Row key={key} name={key} item={item} index={first + place} rowHeight={rowHeight} {...rest} />;
  });
  return (
    <div
      role="rowgroup"
      class="virtual-body"
      style={{ height: `${items.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
    >
      {rows}
    </div>
  );
}

interface RowProps<Item> extends Pick<BodyProps<Item>, 'columns' | 'cells' | 'rowHeight' | 'id' | 'active'> {
  /** Its key. */
  readonly name: string;
  /** Undefined while it is not here. */
  readonly item: Item | undefined;
  readonly index: number;
}

/** Looked at again only when something of it has changed. */
function Row<Item>({ name, item, index, columns, cells, rowHeight, id, active }: RowProps<Item>) {
  const isActive = name === active;
  return useMemo(
    () => (
      <div
        id={`${id}-${name}`}
        role="row"
        class="virtual-row"
        data-index={index}
        aria-rowindex={index + 2}
        aria-selected={item === undefined ? undefined : isActive}
        style={{ height: `${rowHeight}px` }}
      >
        {item === undefined ? (
          <div role="gridcell">Loading…</div>
        ) : (
          cells(item).map((cell, column) => (
            <div key={columns[column]} role="gridcell">
              {cell}
            </div>
          ))
        )}
      </div>
    ),
    [item, index, isActive, cells, rowHeight],
  );
}

const rootFontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The item of the row in which something was pressed that does nothing of its own; none where text was marked. */
function findItem<Item>(target: EventTarget | null, items: ListItems<Item>): Item | undefined {
  if (!(target instanceof Element) || target.closest('a, button') !== null) return undefined;
  if (getSelection()?.type === 'Range') return undefined;
  const index = target.closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? undefined : items.at(Number(index));
}
