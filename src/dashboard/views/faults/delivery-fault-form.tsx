import { useId } from 'preact/hooks';
import { formatDuration } from '../../../domain/duration.ts';
import {
  type DeliveryFaultKind,
  defaultDelayMs,
  deliveryFaultKinds,
  deliveryFaultText,
} from '../../../domain/fault.ts';
import { useEventTypes } from '../../event-types.ts';
import { Field } from '../../ui/field.tsx';
import { emptyDeliveryFault, lasts, toDeliveryFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';

interface Props {
  readonly webhookId: string;
  readonly onAdded: () => void;
}

/** Orders a fault on the deliveries to one endpoint. */
export function DeliveryFaultForm({ webhookId, onAdded }: Props) {
  const list = useId();
  const types = useEventTypes();
  return (
    <FaultForm
      empty={emptyDeliveryFault}
      toFault={(draft) => toDeliveryFault(draft, webhookId)}
      onAdded={onAdded}
    >
      {({ draft, problem, change }) => (
        <>
          <Field
            label="What becomes of a delivery"
            name="kind"
            hint={`${deliveryFaultText[draft.kind]}.`}
            problem={problem}
          >
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
          {lasts(draft.kind) && (
            <Field
              label="For how long"
              name="delay_ms"
              hint={`Such as 10m, in ${draft.kind === 'slow-body' ? 'real' : 'schedule'} time.`}
              problem={problem}
            >
              {(control) => (
                <input
                  {...control}
                  value={draft.delay_ms}
                  placeholder={lasts(draft.kind) ? formatDuration(defaultDelayMs[draft.kind]) : ''}
                  onInput={({ currentTarget }) => change({ delay_ms: currentTarget.value })}
                />
              )}
            </Field>
          )}
          <Field label="Only events of type" name="type" hint="Empty: of every type." problem={problem}>
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
