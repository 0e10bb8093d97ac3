/** The replay dialogs: for one delivery, or for all that a filter selects. */
import './replay.css';
import { Dialog } from '../../ui/dialog.tsx';
import { BulkReplayForm } from './bulk-replay-form.tsx';
import { ReplayForm } from './replay-form.tsx';
import { replayRequest } from './replay-request.ts';

/** Rendered once, by the layout. */
export function ReplayDialog() {
  const request = replayRequest.value;
  if (request === null) return null;
  const close = () => {
    replayRequest.value = null;
  };
  if ('filter' in request) {
    return (
      <Dialog title="Replay all matching" onClose={close}>
        <BulkReplayForm filter={request.filter} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Replay" onClose={close}>
      <ReplayForm key={request.delivery.id} delivery={request.delivery} onClose={close} />
    </Dialog>
  );
}
