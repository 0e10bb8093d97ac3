import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import { toHash } from '../address.ts';

interface Props {
  readonly attempt: Pick<AttemptSummary, 'delivery_id' | 'number' | 'event_type'>;
}

/** Links one attempt of a delivery: `order.shipped attempt 2` */
export function AttemptLink({ attempt: { delivery_id: id, number, event_type: type } }: Props) {
  return (
    <a href={toHash({ section: 'deliveries', id, query: { attempt: String(number) } })}>
      {type} <span class="muted">attempt {number}</span>
    </a>
  );
}
