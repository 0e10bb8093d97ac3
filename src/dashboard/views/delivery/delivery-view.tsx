import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { Answer } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';

/** One delivery. */
export function DeliveryView({ id }: { readonly id: string }) {
  const asked = useAsked(() => control.getDelivery({ id }), [id]);
  return (
    <Answer asked={asked} what="the delivery">
      {({ event_type: type, status }) => (
        <h2 class="row">
          {type} <StatusBadge status={status} />
        </h2>
      )}
    </Answer>
  );
}
