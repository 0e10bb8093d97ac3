/** The windows in which a replay is asked for: of one delivery, or of all that a filter selects. */
import './replay.css';
import { Dialog } from '../../ui/dialog.tsx';
import { BulkReplayForm } from './bulk-replay-form.tsx';
import { ReplayForm } from './replay-form.tsx';
import { replayRequest } from './replay-request.ts';

/** Shows itself while there is a question; the frame of the page has it once. */
export function ReplayDialog() {
  const asked = replayRequest.value;
  if (asked === null) return null;
  const close = () => {
    replayRequest.value = null;
  };
  if ('filter' in asked) {
    return (
      <Dialog title="Replay all that match" onClose={close}>
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
