/** The replay dialogs: for one delivery, or for all that a filter selects. */
import './replay.css';
import { Dialog } from '../../ui/dialog.tsx';
import { BulkReplayForm } from './bulk-replay-form.tsx';
import { ReplayForm } from './replay-form.tsx';
import { replayRequest } from './replay-request.ts';

/** Rendered once, by the layout. */
export function ReplayDialog() {
  const asked = replayRequest.value;
  if (asked === null) return null;
  const close = () => {
    replayRequest.value = null;
  };
  if ('filter' in asked) {
    return (
      <Dialog title="Replay all matching" onClose={close}>
        <BulkReplayForm filter={asked.filter} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Replay" onClose={close}>
      <ReplayForm key={asked.delivery.id} delivery={asked.delivery} onClose={close} />
    </Dialog>
  );
}
