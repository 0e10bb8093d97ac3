/** One delivery: its summary, its attempts in a timeline, and the selected attempt. */
import { ActionButton } from '../../ui/action-button.tsx';
import './delivery.css';
import '../replay/replay.css';
import { useRef, useState } from 'preact/hooks';
import type { AttemptDetail, Delivery, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import type { Explanation } from '../../../contract/explanation-schemas.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { route, updateQuery } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CopyableId, Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { SelectedWorkspaceScope } from '../../ui/workspace-scope.tsx';
import { useQuery } from '../../use-query.ts';
import { openReplayDialog } from '../replay/replay-dialog.tsx';
import { ReplayProgress, useReplay } from '../replay/replay-progress.tsx';
import { AttemptView } from './attempt-view.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { DeliverySummaryCard } from './delivery-summary-card.tsx';
import { Timeline } from './timeline.tsx';

export function DeliveryView({ id }: { readonly id: string }) {
  // The previous delivery stays visible while the next one loads, so that browsing through many does not flicker.
  const shown = useRef<DeliveryProps>(undefined);
  const query = useQuery(() => loadDelivery(id), [id], {
    refetchOn: (item) => item.type === 'reset' || ('delivery' in item && item.delivery.id === id),
    // The next step depends on whether the fault can still be applied.
    isPolled: shown.current?.explanation.attempt?.fault !== undefined,
  });
  shown.current = query.value ?? shown.current;
  const shownQuery = query.error === null ? { ...query, value: shown.current } : query;
  return (
    <QueryView query={shownQuery} what="the delivery">
      {(props) => (
        <SelectedWorkspaceScope workspaceId={props.delivery.workspace_id}>
          <DeliveryContent {...props} />
        </SelectedWorkspaceScope>
      )}
    </QueryView>
  );
}

interface DeliveryProps {
  readonly delivery: DeliveryDetail;
  readonly explanation: Explanation;
}

async function loadDelivery(id: string): Promise<DeliveryProps> {
  const [delivery, explanation] = await Promise.all([
    control.getDelivery({ id }),
    control.explainDelivery({ id }),
  ]);
  return { delivery, explanation };
}

function DeliveryContent({ delivery, explanation }: DeliveryProps) {
  const { attempts } = delivery;
  const selected =
    attempts.find(({ number }) => String(number) === route.value.query.attempt) ?? attempts.at(-1);
  return (
    <div class="delivery stack">
      <div class="row">
        <h2>{delivery.event_type}</h2>
        <StatusBadge status={getDisplayStatus(delivery)} />
      </div>
      <DeliverySummaryCard delivery={delivery} explanation={explanation} />
      <div class="row delivery-actions">
        <ReplayButton key={delivery.id} delivery={delivery} />
        {selected !== undefined && <CopyAttemptButton delivery={delivery} attempt={selected} />}
        <DownloadButton selection={{ delivery_id: delivery.id }} what="this delivery" />
      </div>
      <DeliveryProperties delivery={delivery} />
      <Timeline
        delivery={delivery}
        selectedAttempt={selected}
        onSelect={(number) => updateQuery({ attempt: String(number) })}
      />
      {selected !== undefined && <AttemptView delivery={delivery} attempt={selected} />}
    </div>
  );
}

interface CopyAttemptButtonProps {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
}

function CopyAttemptButton({ delivery, attempt }: CopyAttemptButtonProps) {
  const [isOpen, setOpen] = useState(false);
  useShortcuts([{ key: 'c', description: 'Copy the attempt', run: () => setOpen(true) }]);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="copy" /> Copy as…
      </button>
      {isOpen && <CopyDialog delivery={delivery} attempt={attempt} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeliveryProperties({ delivery }: { readonly delivery: DeliveryDetail }) {
  const {
    id,
    event_id: event,
    webhook_id: webhook,
    url,
    replay_of: original,
    settled_at: settledAt,
  } = delivery;
  return (
    <Properties
      items={{
        Delivery: <CopyableId id={id} what="delivery" />,
        Endpoint: <a href={toHash({ section: 'webhooks', id: webhook })}>{url}</a>,
        Event: (
          <>
            <a class="mono" href={toHash({ section: 'events', id: event })}>
              {event}
            </a>
            {', '}
            <a href={toHash({ section: 'events', id: event, query: { show: 'trace' } })}>trace</a>
          </>
        ),
        Created: (
          <>
            <Time at={delivery.created_at} clock="schedule" />
            {settledAt !== null && (
              <>
                {', settled '}
                <Time at={settledAt} clock="schedule" />
              </>
            )}
          </>
        ),
        'Replay of': original !== null && (
          <a
            class="mono"
            href={toHash({
              section: 'deliveries',
              id: original,
              query: { ...route.value.query, attempt: '' },
            })}
          >
            {original}
          </a>
        ),
      }}
    />
  );
}

/** Replays the delivery with one click or with options, and shows the result. */
function ReplayButton({ delivery }: { readonly delivery: Delivery }) {
  const { state, send } = useReplay(delivery.id);
  const isInProgress = state.step === 'requested' || state.step === 'waiting';
  return (
    <div class="replay-button">
      <div class="row">
        <ActionButton class="primary" disabled={isInProgress} onClick={() => send({})}>
          <Icon name="replay" /> Replay
        </ActionButton>
        <ActionButton onClick={() => openReplayDialog(delivery)}>
          <Icon name="edit" /> Replay with changes
        </ActionButton>
      </div>
      <ReplayProgress state={state} />
    </div>
  );
}
