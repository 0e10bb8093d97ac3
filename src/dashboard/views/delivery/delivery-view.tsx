import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { Answer } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { ReplayButton } from '../replay/replay-button.tsx';

/** One delivery. */
export function DeliveryView({ id }: { readonly id: string }) {
  const asked = useAsked(() => control.getDelivery({ id }), [id]);
  return (
    <Answer asked={asked} what="the delivery">
      {(delivery) => (
        <>
          <h2 class="row">
            {delivery.event_type} <StatusBadge status={delivery.status} />
          </h2>
          <ReplayButton key={id} delivery={delivery} />
        </>
      )}
    </Answer>
  );
}
