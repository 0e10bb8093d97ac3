/** A list and the open item: side by side on wide screens, otherwise the item replaces the list. */
import './list-detail.css';
import type { ComponentChildren } from 'preact';
import { type Route, toHash } from '../address.ts';
import { navigate } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { Icon } from './icon.tsx';

interface Props {
  readonly list: ComponentChildren;
  /** Null when no item is open. */
  readonly detail: ComponentChildren | null;
  /** Kind of the item, such as "Event". */
  readonly label: string;
  /** The route of the list. */
  readonly back: Pick<Route, 'section' | 'query'>;
  readonly backTitle: string;
}

export function ListDetail({ list, detail, label, back, backTitle }: Props) {
  const isOpen = detail !== null;
  useShortcuts(isOpen ? [{ key: 'Escape', description: 'Back to the list', run: () => navigate(back) }] : []);
  return (
    <div class={`list-detail ${isOpen ? 'open' : ''}`}>
      <section class="list-detail-list" aria-label="List">
        {list}
      </section>
      {isOpen && (
        <article class="list-detail-item" aria-label={label}>
          <a class="list-detail-back" href={toHash(back)}>
            <Icon name="back" /> {backTitle}
          </a>
          {detail}
        </article>
      )}
    </div>
  );
}
