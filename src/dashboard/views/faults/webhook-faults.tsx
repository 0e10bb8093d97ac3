import { useState } from 'preact/hooks';
import { formatDuration } from '../../../domain/duration.ts';
import { defaultDelayMs, deliveryFaultDescriptions, deliveryFaultKinds } from '../../../domain/fault.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { FailureForm } from './failure-form.tsx';
import { hasDuration, initialDeliveryFault, toDeliveryFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

interface Props {
  readonly webhook: { readonly id: string; readonly workspace_id: string };
}

/** The faults that apply to deliveries to an endpoint, including those for every endpoint. */
export function WebhookFaults({ webhook: { id, workspace_id: workspaceId } }: Props) {
  const [isAdding, setAdding] = useState(false);
  // A fault without an endpoint or a workspace applies to all.
  const query = useFaults(
    ({ on, webhook_id = id, workspace_id = workspaceId }) =>
      on === 'delivery' && webhook_id === id && workspace_id === workspaceId,
  );
  return (
    <section class="card stack" aria-label="Faults">
      <div class="row">
        <h3>Faults</h3>
        <button type="button" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          <Icon name={isAdding ? 'cross' : 'plus'} /> {isAdding ? 'Close' : 'Add fault'}
        </button>
      </div>
      <FailureForm webhookId={id} onAdded={query.refetch} />
      {isAdding && <DeliveryFaultForm webhookId={id} onAdded={query.refetch} />}
      <FaultList
        query={query}
        emptyText="No faults. To delay, duplicate, reorder or tamper with deliveries, add a fault."
      />
    </section>
  );
}

interface DeliveryFaultFormProps {
  readonly webhookId: string;
  readonly onAdded: () => void;
}

function DeliveryFaultForm({ webhookId, onAdded }: DeliveryFaultFormProps) {
  const types = useEventTypes();
  return (
    <FaultForm
      initial={initialDeliveryFault}
      toFault={(draft) => toDeliveryFault(draft, webhookId)}
      onAdded={onAdded}
    >
      {({ kind }, field) => (
        <>
          <Field
            label="Fault"
            {...field('kind')}
            hint={`${deliveryFaultDescriptions[kind]}.`}
            options={Object.fromEntries(deliveryFaultKinds.map((kind) => [kind, kind]))}
          />
          {kind === 'error-response' && (
            <Field label="Response status" {...field('status')} hint="400 to 599." inputMode="numeric" />
          )}
          {hasDuration(kind) && (
            <Field
              label="Duration"
              {...field('delay_ms')}
              hint={`For example 10m, in ${kind === 'slow-body' ? 'real' : 'schedule'} time.`}
              placeholder={formatDuration(defaultDelayMs[kind])}
            />
          )}
          <Field
            label="Event type"
            {...field('type')}
            hint="Leave empty for every type."
            placeholder="any"
            suggestions={types}
          />
        </>
      )}
    </FaultForm>
  );
}
