import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Height of every row in pixels. */
  readonly rowHeight: number;
  readonly renderRow: (item: Item, index: number) => ComponentChildren;
  /** Called when the end of the list comes near. */
  readonly onEnd?: () => void;
}

/** Rows beyond the visible ones, so that quick scrolling meets rows and not white. */
const OVERSCAN = 10;

/** A list of which only the rows in view, and a few around them, are in the page. */
export function VirtualList<Item>({ label, items, keyOf, rowHeight, renderRow, onEnd }: Props<Item>) {
  const box = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  useLayoutEffect(() => {
    if (view.height > 0 && last === items.length) onEnd?.();
  }, [last, items.length, view.height]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section class="virtual" ref={box} aria-label={label} tabIndex={0}>
      <ul style={{ height: items.length * rowHeight, paddingTop: first * rowHeight }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ height: rowHeight }}
          >
            {renderRow(item, first + index)}
          </li>
        ))}
      </ul>
    </section>
  );
}
