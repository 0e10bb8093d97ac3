/** The deliveries of the workspace and, beside them where there is room, the one of the address. */
import './deliveries.css';
import { type Route, toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Answer } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { DeliveryView } from '../delivery/delivery-view.tsx';

export function DeliveriesView({ route: { id, query } }: { readonly route: Route }) {
  const list = { section: 'deliveries', query } as const;
  useShortcuts(id === null ? [] : [{ key: 'Escape', does: 'Back to the list', run: () => navigate(list) }]);
  return (
    <div class={`deliveries ${id === null ? '' : 'open'}`}>
      <section class="deliveries-list" aria-label="List">
        <List query={query} />
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

function List({ query }: Pick<Route, 'query'>) {
  const workspace = workspaceId.value;
  const asked = useAsked(() => control.listDeliveries({ workspace_id: workspace, limit: 50 }), [workspace]);
  return (
    <Answer asked={asked} what="deliveries">
      {({ data }) => (
        <ul>
          {data.map(({ id, event_type: type, status }) => (
            <li key={id}>
              <a href={toHash({ section: 'deliveries', id, query })}>{type}</a>{' '}
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </Answer>
  );
}
