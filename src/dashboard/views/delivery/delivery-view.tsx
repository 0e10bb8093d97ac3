/** One delivery: its cause, its attempts in a timeline, and the selected attempt. */
import './delivery.css';
import { useRef, useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import type { Explanation } from '../../../contract/explanation-schemas.ts';
import { describeOutcome, getDisplayStatus } from '../../../domain/delivery.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { route, updateQuery } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { DownloadLinks } from '../../ui/download-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { CopyableId } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { SelectedWorkspaceScope } from '../../ui/workspace-scope.tsx';
import { useQuery } from '../../use-query.ts';
import { openReplayDialog } from '../replay/replay-dialog.tsx';
import { AttemptView } from './attempt-view.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { DeliveryCause } from './delivery-cause.tsx';
import { Timeline } from './timeline.tsx';

export function DeliveryView({ id }: { readonly id: string }) {
  // The previous delivery stays visible while the next one loads, so that browsing through many does not flicker.
  const shown = useRef<DeliveryProps>(undefined);
  const query = useQuery(() => loadDelivery(id), [id], {
    refetchOn: (item) => item.type === 'reset' || ('delivery' in item && item.delivery.id === id),
    // The stream does not announce that the endpoint was enabled, or that the fault was removed.
    isPolled: true,
  });
  shown.current = query.value ?? shown.current;
  const shownQuery = query.error === null ? { ...query, value: shown.current } : query;
  return (
    <QueryView query={shownQuery} what="the delivery">
      {(props) => (
        <SelectedWorkspaceScope workspaceId={props.delivery.workspace_id}>
          <DeliveryContent {...props} onChange={query.refetch} />
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

function DeliveryContent({
  delivery,
  explanation,
  onChange,
}: DeliveryProps & { readonly onChange: () => void }) {
  const { attempts } = delivery;
  const selected =
    attempts.find(({ number }) => String(number) === route.value.query.attempt) ?? attempts.at(-1);
  return (
    <div class="delivery stack">
      <Header key={delivery.id} delivery={delivery} selected={selected} />
      <Origin delivery={delivery} />
      <DeliveryCause
        key={`${delivery.id} ${attempts.length}`}
        delivery={delivery}
        explanation={explanation}
        onChange={onChange}
      />
      <Timeline
        delivery={delivery}
        selected={selected}
        onSelect={(number) => updateQuery({ attempt: String(number) })}
      />
      {selected !== undefined && <AttemptView delivery={delivery} attempt={selected} />}
    </div>
  );
}

interface HeaderProps {
  readonly delivery: DeliveryDetail;
  readonly selected: AttemptDetail | undefined;
}

function Header({ delivery, selected }: HeaderProps) {
  const [isCopying, setCopying] = useState(false);
  /** Number of the attempt of a replay that this page has requested. */
  const [awaited, setAwaited] = useState<number | null>(null);
  const result = delivery.attempts.find(({ number }) => number === awaited);
  const replay = async () => {
    const number = delivery.attempts.length + 1;
    if ((await withErrorToast(control.replayDelivery({ id: delivery.id }))) === undefined) return;
    setAwaited(number);
    updateQuery({ attempt: String(number) });
  };
  useShortcuts([{ key: 'c', description: 'Copy the attempt', run: () => setCopying(true) }]);
  return (
    <header>
      <div class="row">
        <h2>{delivery.event_type}</h2>
        <StatusBadge status={getDisplayStatus(delivery)} />
        <div class="row push-right">
          <ActionButton
            class="primary"
            disabled={awaited !== null && result === undefined}
            onClick={() => void replay()}
          >
            <Icon name="replay" /> Replay
          </ActionButton>
          <ActionButton onClick={() => openReplayDialog(delivery)}>
            <Icon name="edit" /> Edit and replay
          </ActionButton>
          <Popover label="More" button="More">
            {(close) => (
              <div class="stack">
                {selected !== undefined && (
                  <button type="button" onClick={() => [close(), setCopying(true)]}>
                    <Icon name="copy" /> Copy as…
                  </button>
                )}
                <DownloadLinks selection={{ delivery_id: delivery.id }} />
                <CopyableId id={delivery.id} what="delivery" />
              </div>
            )}
          </Popover>
        </div>
      </div>
      <p role="status" class="muted">
        {awaited !== null &&
          (result === undefined
            ? `Waiting for attempt ${awaited}…`
            : `Attempt ${awaited}: ${describeOutcome(result)}`)}
      </p>
      {isCopying && selected !== undefined && (
        <CopyDialog delivery={delivery} attempt={selected} onClose={() => setCopying(false)} />
      )}
    </header>
  );
}

/** Where the delivery comes from and goes to. */
function Origin({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { event_id: event, webhook_id: webhook, url, replay_of: original } = delivery;
  return (
    <p class="delivery-origin">
      to <a href={toHash({ section: 'webhooks', id: webhook })}>{url}</a>
      {' · '}
      <a href={toHash({ section: 'events', id: event })}>event</a>
      {original !== null && (
        <>
          {' · replay of '}
          <a class="mono" href={toHash({ section: 'deliveries', id: original })}>
            {original}
          </a>
        </>
      )}
      <span class="muted">
        {' · created '}
        <Time at={delivery.created_at} clock="schedule" />
      </span>
    </p>
  );
}
