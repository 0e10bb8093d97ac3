/** A list and, beside it where there is room, the one thing of it that is shown; elsewhere in its place. */
import './list-detail.css';
import type { ComponentChildren } from 'preact';
import { type Route, toHash } from '../address.ts';
import { navigate } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { Icon } from './icon.tsx';

interface Props {
  readonly list: ComponentChildren;
  /** Null where nothing is chosen. */
  readonly detail: ComponentChildren | null;
  /** What the one thing is, such as "Event". */
  readonly label: string;
  /** Where the list is, and what leads there. */
  readonly back: Pick<Route, 'section' | 'query'>;
  readonly backTitle: string;
}

export function ListDetail({ list, detail, label, back, backTitle }: Props) {
  const isOpen = detail !== null;
  useShortcuts(isOpen ? [{ key: 'Escape', description: 'Back to the list', run: () => navigate(back) }] : []);
  return (
    <div class={`split ${isOpen ? 'open' : ''}`}>
      <section class="split-list" aria-label="List">
        {list}
      </section>
      {isOpen && (
        <article class="split-one" aria-label={label}>
          <a class="split-back" href={toHash(back)}>
            <Icon name="back" /> {backTitle}
          </a>
          {detail}
        </article>
      )}
    </div>
  );
}
