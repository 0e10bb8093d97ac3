import { useState } from 'preact/hooks';
import { formatCount } from '../../../domain/message-parts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FaultForm } from './fault-form.tsx';
import { FaultList, useFaults } from './fault-list.tsx';

/** A button with the number of request faults that can still be applied, and a dialog with all of them. */
export function RequestFaults() {
  const [isOpen, setOpen] = useState(false);
  const query = useFaults(({ on }) => on === 'request');
  const count = query.value?.length ?? 0;
  return (
    <>
      <button type="button" data-state={count > 0 ? 'pending' : undefined} onClick={() => setOpen(true)}>
        <Icon name="bolt" /> {count === 0 ? 'Faults' : formatCount(count, 'fault')}
      </button>
      {isOpen && (
        <Dialog title="Request faults" onClose={() => setOpen(false)}>
          <FaultList
            query={query}
            emptyText="No faults. Add one to make the API fail, respond late or close the connection, and see how your client reacts."
          />
          <FaultForm label="Add fault" target={{ on: 'request' }} initial={{ status: '503' }} />
        </Dialog>
      )}
    </>
  );
}
