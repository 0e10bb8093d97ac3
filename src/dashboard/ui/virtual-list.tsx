// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one are no table to a browser, and roles say what they are.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and says which row is active.
/** A list of which only the rows in view, and a few around them, are in the page. */
import type { ComponentChildren, RefObject } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { Items } from './items.ts';
import { useMovement } from './virtual-movement.ts';
import { type Look, useView } from './virtual-view.ts';

interface Props<Item> {
  readonly label: string;
  /** Titles of the columns. */
  readonly columns: readonly string[];
  readonly items: Items<Item>;
  readonly keyOf: (item: Item) => string;
  /** The cells of a row, one for each column. */
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
  readonly onLook?: (look: Look) => void;
  /** What scrolls. */
  readonly box?: RefObject<HTMLDivElement | null>;
}

/** Rows beyond the visible ones, so that quick scrolling meets rows and not white. */
const OVERSCAN = 10;

/**
 * A grid as the ARIA practices have it: one stop of the Tab key, in which the arrows move from row to row. When rows
 * come or go above those in view, these stay where they are; at the top new rows slide in.
 */
export function VirtualList<Item>(props: Props<Item>) {
  const { label, columns, items, keyOf, cells, hasMore = false, active = null, onOpen } = props;
  const id = useId();
  const own = useRef<HTMLDivElement>(null);
  const box = props.box ?? own;
  const rowHeight = props.rowHeight * rootFontSize;
  const view = useView(box, rowHeight, props);
  const moveBy = useMovement(box, rowHeight, view, props);
  const move = (event: KeyboardEvent) => {
    const page = view.last - view.first;
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -items.length,
      End: items.length,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveBy(steps[event.key as keyof typeof steps]);
  };
  const first = Math.max(0, view.first - OVERSCAN);
  const last = Math.min(items.length - 1, view.last + OVERSCAN);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => {
    const index = first + place;
    const item = items.at(index);
    const key = item === undefined ? `absent ${index}` : keyOf(item);
    return (
      <div
        key={key}
        id={`${id}-${key}`}
        role="row"
        class="virtual-row"
        data-index={index}
        aria-rowindex={index + 2}
        aria-selected={item === undefined ? undefined : key === active}
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
    );
  });
  const isActiveHere = rows.some(({ key }) => key === active);
  return (
    <div
      ref={box}
      class="virtual"
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      aria-activedescendant={isActiveHere ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={move}
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
      <div
        role="rowgroup"
        class="virtual-body"
        style={{ height: `${items.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
      >
        {rows}
      </div>
    </div>
  );
}

const rootFontSize = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The item of the row in which something was pressed that does nothing of its own; none where text was marked. */
function findItem<Item>(target: EventTarget | null, items: Items<Item>): Item | undefined {
  if (!(target instanceof Element) || target.closest('a, button') !== null) return undefined;
  if (getSelection()?.type === 'Range') return undefined;
  const index = target.closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? undefined : items.at(Number(index));
}
