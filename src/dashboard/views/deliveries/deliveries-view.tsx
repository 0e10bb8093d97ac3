/** The deliveries of the workspace and, beside them where there is room, the one of the address. */
import './deliveries.css';
import type { Route } from '../../address.ts';
import { Split } from '../../ui/split.tsx';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { parseFilter } from './filter.ts';

export function DeliveriesView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="deliveries">
      <Split
        list={<DeliveryList query={query} openId={id} />}
        one={id === null ? null : <DeliveryView id={id} />}
        label="Delivery"
        back={{ section: 'deliveries', query: { ...parseFilter(query) } }}
        backTitle="All deliveries"
      />
    </div>
  );
}
