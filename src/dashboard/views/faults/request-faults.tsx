import './faults.css';
import { useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FaultList, useFaults } from './fault-list.tsx';
import { RequestFaultForm } from './request-fault-form.tsx';

/** A button with the number of active request faults, and a dialog with the faults. */
export function RequestFaults() {
  const [isOpen, setOpen] = useState(false);
  const query = useFaults(({ on }) => on === 'request');
  const count = query.value?.length ?? 0;
  return (
    <>
      <button type="button" class={count > 0 ? 'faults-active' : ''} onClick={() => setOpen(true)}>
        <Icon name="bolt" /> {count === 0 ? 'Faults' : `${count} ${count === 1 ? 'fault' : 'faults'}`}
      </button>
      {isOpen && (
        <Dialog title="Request faults" onClose={() => setOpen(false)}>
          <div class="faults">
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
