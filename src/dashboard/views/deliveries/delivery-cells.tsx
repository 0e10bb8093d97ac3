/** The columns of the delivery list. */
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { settledReasonDescriptions } from '../../../domain/delivery.ts';
import { shortenUrl } from '../../shorten-url.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';

export const COLUMNS = ['Status', 'Event', 'Endpoint', 'Attempts', 'Created'];

/** One cell per column. `address` links the delivery. */
export function renderCells(delivery: Delivery, address: string) {
  const { id, status, event_type: type, url, attempt_count: attempts, created_at: createdAt } = delivery;
  return [
    <StatusBadge status={status} paused={delivery.paused} />,
    <>
      <a href={address} tabIndex={-1}>
        {type}
      </a>
      <small class="mono">{id}</small>
    </>,
    <>
      <span class="deliveries-url" title={url}>
        {shortenUrl(url)}
      </span>
      <small>
        <NextAttempt delivery={delivery} />
      </small>
    </>,
    <>
      {attempts}
      <span class="deliveries-times">×</span>
    </>,
    <Time at={createdAt} of="schedule" />,
  ];
}

/** The due time of the next attempt, or why it stopped. */
function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const { status, paused, attempt_count: attempts, next_attempt_at: next, settled_reason: reason } = delivery;
  const { replay_of: original } = delivery;
  if (paused) return <>endpoint disabled</>;
  if (status === 'pending' && next === null) return <>sending</>;
  if (next !== null) {
    return (
      <>
        {attempts === 0 ? 'first' : 'next'} attempt <Time at={next} of="schedule" />
      </>
    );
  }
  if (reason !== null) return <>{settledReasonDescriptions[reason]}</>;
  return <>{original === null ? '' : `replay of ${original}`}</>;
}
