/** The windows in which a replay is asked for: of one delivery, or of all that a filter selects. */
import './replay.css';
import { Dialog } from '../../ui/dialog.tsx';
import { question } from './question.ts';
import { ReplayMany } from './replay-many.tsx';
import { ReplayOne } from './replay-one.tsx';

/** Shows itself while there is a question; the frame of the page has it once. */
export function ReplayDialog() {
  const asked = question.value;
  if (asked === null) return null;
  const close = () => {
    question.value = null;
  };
  if ('filter' in asked) {
    return (
      <Dialog title="Replay all that match" onClose={close}>
        <ReplayMany filter={asked.filter} onClose={close} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Replay" onClose={close}>
      <ReplayOne key={asked.delivery.id} delivery={asked.delivery} onClose={close} />
    </Dialog>
  );
}
