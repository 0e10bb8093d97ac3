import { useState } from 'preact/hooks';
import { getDefaultErrorCode } from '../../../domain/fault.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { initialRequestFault, toRequestFault } from './fault-draft.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

/** A button with the number of active request faults, and a dialog with the faults. */
export function RequestFaults() {
  const [isOpen, setOpen] = useState(false);
  const query = useFaults(({ on }) => on === 'request');
  const count = query.value?.length ?? 0;
  return (
    <>
      <button type="button" class={count > 0 ? 'warning-text' : ''} onClick={() => setOpen(true)}>
        <Icon name="bolt" /> {count === 0 ? 'Faults' : `${count} ${count === 1 ? 'fault' : 'faults'}`}
      </button>
      {isOpen && (
        <Dialog title="Request faults" onClose={() => setOpen(false)}>
          <div class="stack">
            <FaultList
              query={query}
              emptyText="No faults. Add one to make the API fail, respond late or close the connection, and see how your client reacts."
            />
            <h3>Add fault</h3>
            <RequestFaultForm onAdded={query.refetch} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function RequestFaultForm({ onAdded }: { readonly onAdded: () => void }) {
  return (
    <FaultForm initial={initialRequestFault} toFault={toRequestFault} onAdded={onAdded}>
      {(draft, field) => (
        <>
          <Field
            label="Response status"
            {...field('status')}
            hint="400 to 599. Leave empty for the normal status."
            inputMode="numeric"
            placeholder="none"
          />
          <Field
            label="Error code"
            {...field('error_code')}
            placeholder={Number(draft.status) >= 400 ? getDefaultErrorCode(Number(draft.status)) : 'none'}
          />
          <Field
            label="Latency"
            {...field('latency_ms')}
            hint="For example 2s, in real time."
            placeholder="none"
          />
          <Field label="Close the connection" {...field('drop')} options={DROP_OPTIONS} />
          <Field label="Method" {...field('method')} options={{ '': 'any', GET: 'GET', POST: 'POST' }} />
          <Field
            label="Path"
            {...field('path')}
            hint="{id} and * match any segment."
            placeholder="/events/{id}"
          />
        </>
      )}
    </FaultForm>
  );
}

const DROP_OPTIONS = {
  '': 'no',
  before: 'before the operation',
  after: 'after the operation',
};
