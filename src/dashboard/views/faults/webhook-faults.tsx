import './faults.css';
import { useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import { DeliveryFaultForm } from './delivery-fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

interface Props {
  readonly webhook: { readonly id: string; readonly workspace_id: string };
}

/** The faults that apply to deliveries to an endpoint, including those for every endpoint. */
export function WebhookFaults({ webhook: { id, workspace_id: workspaceId } }: Props) {
  const [isAdding, setAdding] = useState(false);
  const query = useFaults(
    ({ on, webhook_id = id, workspace_id = workspaceId }) =>
      on === 'delivery' && webhook_id === id && workspace_id === workspaceId,
  );
  return (
    <section class="card faults" aria-label="Faults">
      <div class="row">
        <h3>Faults</h3>
        <button type="button" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          <Icon name={isAdding ? 'cross' : 'plus'} /> {isAdding ? 'Close' : 'Add fault'}
        </button>
      </div>
      {isAdding && <DeliveryFaultForm webhookId={id} onAdded={query.refetch} />}
      <FaultList
        query={query}
        emptyText="No faults. Add one to delay, duplicate, reorder or tamper with deliveries and see how your receiver reacts."
      />
    </section>
  );
}
