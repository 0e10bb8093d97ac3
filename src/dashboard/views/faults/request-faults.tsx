import { useState } from 'preact/hooks';
import { getDefaultErrorCode, isFaultActive } from '../../../domain/fault.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type FaultField, FaultForm, limitFields } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

/** A button with the number of request faults that can still be applied, and a dialog with all of them. */
export function RequestFaults() {
  const [isOpen, setOpen] = useState(false);
  const query = useFaults(({ on }) => on === 'request');
  const count = query.value?.filter(isFaultActive).length ?? 0;
  return (
    <>
      <button type="button" class={count > 0 ? 'warning-text' : ''} onClick={() => setOpen(true)}>
        <Icon name="bolt" /> {count === 0 ? 'Faults' : formatCount(count, 'fault')}
      </button>
      {isOpen && (
        <Dialog title="Request faults" onClose={() => setOpen(false)}>
          <div class="stack">
            <FaultList
              query={query}
              emptyText="No faults. Add one to make the API fail, respond late or close the connection, and see how your client reacts."
            />
            <FaultForm
              label="Add fault"
              initial={{ status: '503' }}
              fields={listFields}
              toFault={(values) => ({ on: 'request', ...values })}
              onAdded={query.refetch}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

function listFields({ status }: Readonly<Record<string, string>>): readonly FaultField[] {
  return [
    {
      name: 'status',
      label: 'Response status',
      hint: 'Leave empty for the normal status.',
      inputMode: 'numeric',
      placeholder: 'none',
    },
    {
      name: 'error_code',
      label: 'Error code',
      placeholder: Number(status) >= 400 ? getDefaultErrorCode(Number(status)) : 'none',
    },
    { name: 'latency', label: 'Latency', hint: 'For example 2s, in real time.', placeholder: 'none' },
    {
      name: 'drop',
      label: 'Close the connection',
      options: { '': 'no', before: 'before the operation', after: 'after the operation' },
    },
    { name: 'method', label: 'Method', options: { '': 'any', GET: 'GET', POST: 'POST' } },
    { name: 'path', label: 'Path', hint: '{id} and * match any segment.', placeholder: '/events/{id}' },
    ...limitFields,
  ];
}
