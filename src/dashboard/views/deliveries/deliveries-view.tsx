/** The deliveries of the workspace and, beside them where there is room, the one of the address. */
import './deliveries.css';
import { type Route, toHash } from '../../address.ts';
import { navigate } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Icon } from '../../ui/icon.tsx';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { parseFilter } from './filter.ts';

export function DeliveriesView({ route: { id, query } }: { readonly route: Route }) {
  const list = { section: 'deliveries', query: { ...parseFilter(query) } } as const;
  useShortcuts(id === null ? [] : [{ key: 'Escape', does: 'Back to the list', run: () => navigate(list) }]);
  return (
    <div class={`deliveries ${id === null ? '' : 'open'}`}>
      <section class="deliveries-list" aria-label="List">
        <DeliveryList query={query} openId={id} />
      </section>
      {id !== null && (
        <article class="deliveries-one" aria-label="Delivery">
          <a class="deliveries-back" href={toHash(list)}>
            <Icon name="back" /> All deliveries
          </a>
          <DeliveryView id={id} />
        </article>
      )}
    </div>
  );
}
