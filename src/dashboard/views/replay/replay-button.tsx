import './replay.css';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { Icon } from '../../ui/icon.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { openReplayDialog } from './replay-request.ts';
import { useReplay } from './use-replay.ts';

/** Replays the delivery with one click or with options, and shows the result. */
export function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const { state, send } = useReplay(delivery.id);
  const isInProgress = state.step === 'requested' || state.step === 'waiting';
  return (
    <div class="replay-button">
      <div class="row">
        <button type="button" class="primary" disabled={isInProgress} onClick={() => send({})}>
          <Icon name="replay" /> Replay
        </button>
        <button type="button" onClick={() => openReplayDialog(delivery)}>
          <Icon name="edit" /> Replay with changes
        </button>
      </div>
      <ReplayProgress state={state} />
    </div>
  );
}
