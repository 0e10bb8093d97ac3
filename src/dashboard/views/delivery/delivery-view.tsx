/** One delivery: what became of it and why, its attempts on a line, and the chosen one in full. */
import './delivery.css';
import { useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/deliveries.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { refine, route } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Answer } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ReplayButton } from '../replay/replay-button.tsx';
import { AttemptView } from './attempt-view.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { Timeline } from './timeline.tsx';
import { VerdictCard } from './verdict-card.tsx';

export function DeliveryView({ id }: { readonly id: string }) {
  const asked = useAsked(() => control.getDelivery({ id }), [id]);
  useLive((items) => {
    const concerns = (item: StreamItem) =>
      item.type === 'reset' || ('delivery' in item && item.delivery.id === id);
    if (items.some(concerns)) asked.again();
  });
  return (
    <Answer asked={asked} what="the delivery">
      {(delivery) => <Whole delivery={delivery} />}
    </Answer>
  );
}

function Whole({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { attempts } = delivery;
  const chosen =
    attempts.find(({ number }) => String(number) === route.value.query.attempt) ?? attempts.at(-1);
  return (
    <div class="delivery">
      <Head delivery={delivery} attempt={chosen} />
      <VerdictCard delivery={delivery} />
      <ReplayButton key={delivery.id} delivery={delivery} />
      <Facts delivery={delivery} />
      <Timeline
        delivery={delivery}
        chosen={chosen}
        onChoose={(number) => refine({ attempt: String(number) })}
      />
      {chosen !== undefined && <AttemptView delivery={delivery} attempt={chosen} />}
    </div>
  );
}

interface HeadProps {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail | undefined;
}

function Head({ delivery, attempt }: HeadProps) {
  const [isCopying, setCopying] = useState(false);
  const canCopy = attempt !== undefined;
  useShortcuts(canCopy ? [{ key: 'c', does: 'Copy the attempt as…', run: () => setCopying(true) }] : []);
  return (
    <header class="row delivery-head">
      <h2>{delivery.event_type}</h2>
      <StatusBadge status={delivery.status} />
      <div class="row delivery-actions">
        {canCopy && (
          <button type="button" onClick={() => setCopying(true)}>
            Copy as…
          </button>
        )}
      </div>
      {isCopying && canCopy && (
        <CopyDialog delivery={delivery} attempt={attempt} onClose={() => setCopying(false)} />
      )}
    </header>
  );
}

function Facts({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { id, event_id: event, webhook_id: webhook, url, replay_of: original } = delivery;
  return (
    <dl class="facts delivery-facts">
      <dt>Delivery</dt>
      <dd>
        <span class="delivery-id">
          <code>{id}</code>
          <CopyButton what="the id of the delivery" text={id} />
        </span>
      </dd>
      <dt>Event</dt>
      <dd>
        <a href={toHash({ section: 'events', id: event })}>
          <code>{event}</code>
        </a>
      </dd>
      <dt>Endpoint</dt>
      <dd>
        <a href={toHash({ section: 'webhooks', id: webhook })}>{url}</a>
      </dd>
      {original !== null && (
        <>
          <dt>Replay of</dt>
          <dd>
            <a
              href={toHash({
                section: 'deliveries',
                id: original,
                query: { ...route.value.query, attempt: '' },
              })}
            >
              <code>{original}</code>
            </a>
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={delivery.created_at} of="schedule" />
        {delivery.settled_at !== null && (
          <>
            {', settled '}
            <Time at={delivery.settled_at} of="schedule" />
          </>
        )}
      </dd>
    </dl>
  );
}
