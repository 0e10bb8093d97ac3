/** One delivery: its cause, its attempts in a timeline, and the selected attempt. */
import { useRef, useState } from 'preact/hooks';
import { describeOutcome, getDisplayStatus } from '../../../domain/delivery.ts';
import { toCurl } from '../../../domain/shell.ts';
import type { Explanation } from '../../../operations/explanation-schemas.ts';
import type { Attempt } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { route, updateQuery } from '../../router.ts';
import { useWorkspaceOf } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Copyable, CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { EditReplayDialog } from '../replay/edit-replay-dialog.tsx';
import { AttemptView } from './attempt-view.tsx';
import { DeliveryCause } from './delivery-cause.tsx';
import { DeliveryTimeline } from './delivery-timeline.tsx';
import { loadMarkdown } from './load-markdown.ts';

export function DeliveryView({ id }: { readonly id: string }) {
  // The previous delivery stays visible while the next one loads, so that browsing through many does not flicker.
  const shown = useRef<DeliveryProps>(undefined);
  const query = useQuery(() => loadDelivery(id), [id], { isLive: true });
  shown.current = query.value ?? shown.current;
  const shownQuery = query.error === null ? { ...query, value: shown.current } : query;
  return (
    <QueryView query={shownQuery} what="the delivery">
      {(props) => <DeliveryContent {...props} />}
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
  useWorkspaceOf(delivery.workspace_id);
  const { attempts } = delivery;
  const selected =
    attempts.find(({ number }) => String(number) === route.value.query.attempt) ?? attempts.at(-1);
  return (
    <div class="stack">
      <Header key={delivery.id} delivery={delivery} selected={selected} />
      <Origin delivery={delivery} />
      <DeliveryCause key={delivery.id} delivery={delivery} explanation={explanation} />
      <DeliveryTimeline delivery={delivery} selected={selected} />
      {selected !== undefined && <AttemptView delivery={delivery} attempt={selected} />}
    </div>
  );
}

interface HeaderProps {
  readonly delivery: DeliveryDetail;
  readonly selected: Attempt | undefined;
}

function Header({ delivery, selected }: HeaderProps) {
  /** Number of the attempt of a replay that this page has requested. */
  const [awaited, setAwaited] = useState<number | null>(null);
  const [isEditing, setEditing] = useState(false);
  useShortcuts([{ key: 'r', description: 'Edit and replay the delivery', run: () => setEditing(true) }]);
  const result = delivery.attempts.find(({ number }) => number === awaited);
  const replay = async () => {
    const number = delivery.attempts.length + 1;
    if ((await withErrorToast(control.replayDelivery({ id: delivery.id }))) === undefined) return;
    setAwaited(number);
    updateQuery({ attempt: String(number) });
  };
  return (
    <header class="row">
      {isEditing && <EditReplayDialog delivery={delivery} onClose={() => setEditing(false)} />}
      <h2>{delivery.event_type}</h2>
      <span>
        <StatusBadge status={getDisplayStatus(delivery)} />{' '}
        <span role="status" class="muted">
          {awaited !== null &&
            (result === undefined
              ? `Waiting for attempt ${awaited}…`
              : `Attempt ${awaited}: ${describeOutcome(result)}`)}
        </span>
      </span>
      <div class="row">
        <ActionButton
          data-variant="primary"
          disabled={awaited !== null && result === undefined}
          onClick={() => void replay()}
        >
          <Icon name="replay" /> Replay
        </ActionButton>
        <ActionButton onClick={() => setEditing(true)}>
          <Icon name="edit" /> Edit and replay
        </ActionButton>
        {selected !== undefined && (
          <>
            <CopyButton
              what="as Markdown, without secrets"
              label="Copy as Markdown"
              text={() => loadMarkdown(delivery, selected)}
            />
            <CopyButton what="as curl" label="Copy as curl" text={toCurl(selected.request)} />
          </>
        )}
      </div>
    </header>
  );
}

/** Where the delivery comes from and goes to. */
function Origin({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { event_id: event, webhook_id: webhook, url, replay_of: original } = delivery;
  return (
    <p>
      <Copyable text={delivery.id} what="delivery ID" /> to{' '}
      <a href={toHash({ section: 'webhooks', id: webhook })}>{url}</a>
      {' · '}
      <a href={toHash({ section: 'events', id: event })}>event</a>
      {original !== null && (
        <>
          {' · replay of '}
          <a href={toHash({ section: 'deliveries', id: original })}>
            <code>{original}</code>
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
