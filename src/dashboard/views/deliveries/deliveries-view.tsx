/** The deliveries of the workspace, and the open one. */
import './deliveries.css';
import type { Route } from '../../address.ts';
import { ListDetail } from '../../ui/list-detail.tsx';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { parseFilter } from './delivery-filter.ts';
import { DeliveryList } from './delivery-list.tsx';

export function DeliveriesView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="deliveries">
      <ListDetail
        list={<DeliveryList query={query} openId={id} />}
        detail={id === null ? null : <DeliveryView id={id} />}
        label="Delivery"
        back={{ section: 'deliveries', query: { ...parseFilter(query) } }}
        backTitle="All deliveries"
      />
    </div>
  );
}
