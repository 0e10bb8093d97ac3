import { useId, useState } from 'preact/hooks';
import { formatDuration } from '../../../domain/duration.ts';
import {
  type DeliveryFaultKind,
  defaultDelayMs,
  deliveryFaultDescriptions,
  deliveryFaultKinds,
} from '../../../domain/fault.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { emptyDeliveryFault, hasDuration, toDeliveryFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
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
    <section class="card stack" aria-label="Faults">
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

interface DeliveryFaultFormProps {
  readonly webhookId: string;
  readonly onAdded: () => void;
}

/** Adds a fault for the deliveries to one endpoint. */
function DeliveryFaultForm({ webhookId, onAdded }: DeliveryFaultFormProps) {
  const list = useId();
  const types = useEventTypes();
  return (
    <FaultForm
      empty={emptyDeliveryFault}
      toFault={(draft) => toDeliveryFault(draft, webhookId)}
      onAdded={onAdded}
    >
      {({ draft, error, change }) => (
        <>
          <Field label="Fault" name="kind" hint={`${deliveryFaultDescriptions[draft.kind]}.`} error={error}>
            {(control) => (
              <select
                {...control}
                value={draft.kind}
                onChange={({ currentTarget }) => change({ kind: currentTarget.value as DeliveryFaultKind })}
              >
                {deliveryFaultKinds.map((kind) => (
                  <option key={kind}>{kind}</option>
                ))}
              </select>
            )}
          </Field>
          {hasDuration(draft.kind) && (
            <Field
              label="Duration"
              name="delay_ms"
              hint={`For example 10m, in ${draft.kind === 'slow-body' ? 'real' : 'schedule'} time.`}
              error={error}
            >
              {(control) => (
                <input
                  {...control}
                  value={draft.delay_ms}
                  placeholder={hasDuration(draft.kind) ? formatDuration(defaultDelayMs[draft.kind]) : ''}
                  onInput={({ currentTarget }) => change({ delay_ms: currentTarget.value })}
                />
              )}
            </Field>
          )}
          <Field label="Event type" name="type" hint="Leave empty for every type." error={error}>
            {(control) => (
              <input
                {...control}
                list={list}
                value={draft.type}
                placeholder="any"
                onInput={({ currentTarget }) => change({ type: currentTarget.value })}
              />
            )}
          </Field>
          <datalist id={list}>
            {types.map((type) => (
              <option key={type} value={type} />
            ))}
          </datalist>
        </>
      )}
    </FaultForm>
  );
}
