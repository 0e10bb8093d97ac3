/** One endpoint: its settings, tests, faults and attempts. */
import { useState } from 'preact/hooks';
import { describeEndpoint, type WebhookDetail } from '../../../resources/endpoint.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { useWorkspaceOf } from '../../session.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Badge } from '../../ui/status-badge.tsx';
import { DueTime, isReached, Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { WebhookFaults } from '../faults/webhook-faults.tsx';
import { sendTestEvent } from './send-test-event.ts';
import { DeleteDialog, EditDialog, RotateDialog } from './webhook-dialogs.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { WebhookTimeline } from './webhook-timeline.tsx';

export function WebhookPage({ route: { id } }: { readonly route: Route }) {
  return <WebhookView key={id} id={id ?? ''} />;
}

function WebhookView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.getWebhook({ id }), [id], { isLive: true });
  useWorkspaceOf(query.value?.workspace_id);
  return (
    <div class="page">
      <a href={toHash({ section: 'home' })}>
        <Icon name="back" /> All endpoints
      </a>
      <QueryView query={query} what="the endpoint">
        {(webhook) => (
          <>
            <WebhookHeader webhook={webhook} />
            <WebhookTimeline webhook={webhook} />
            <WebhookProperties webhook={webhook} />
            <WebhookFaults webhook={webhook} />
          </>
        )}
      </QueryView>
    </div>
  );
}

const dialogs = { edit: EditDialog, delete: DeleteDialog } as const;

interface WebhookProps {
  readonly webhook: WebhookDetail;
}

function WebhookHeader({ webhook }: WebhookProps) {
  const [open, setOpen] = useState<keyof typeof dialogs | null>(null);
  const { id, disabled } = webhook;
  const Dialog = open === null ? null : dialogs[open];
  const toggle = () => withErrorToast(control.updateWebhook({ id, disabled: !disabled }));
  return (
    <header class="row">
      {Dialog !== null && <Dialog webhook={webhook} onClose={() => setOpen(null)} />}
      <h2>{webhook.url}</h2>
      <WebhookBadges webhook={webhook} />
      <div class="row">
        <ActionButton data-variant="primary" onClick={() => void withErrorToast(sendTestEvent(webhook))}>
          <Icon name="bolt" /> Send a test event
        </ActionButton>
        <ActionButton onClick={() => setOpen('edit')}>
          <Icon name="edit" /> Edit
        </ActionButton>
        <ActionButton onClick={() => void toggle()}>
          <Icon name={disabled ? 'play' : 'pause'} /> {disabled ? 'Enable' : 'Disable'}
        </ActionButton>
        <ActionButton data-variant="danger" onClick={() => setOpen('delete')}>
          <Icon name="trash" /> Delete
        </ActionButton>
      </div>
    </header>
  );
}

function WebhookProperties({ webhook }: WebhookProps) {
  const [isRotating, setRotating] = useState(false);
  const { id, previous_secret_expires_at: expiry, created_at } = webhook;
  // The header of the page shows these two.
  const { URL: _url, State: _state, ...settings } = describeEndpoint(webhook);
  return (
    <>
      <Properties
        class="card"
        items={{
          Endpoint: <Copyable text={id} what="endpoint ID" />,
          ...Object.fromEntries(Object.entries(settings).map(([label, lines]) => [label, toLines(lines)])),
          Secret: (
            <WebhookSecret key={expiry} webhookId={id}>
              <ActionButton data-variant="quiet" onClick={() => setRotating(true)}>
                <Icon name="key" /> Rotate
              </ActionButton>
            </WebhookSecret>
          ),
          'Previous secret': expiry !== null && <SecretExpiry at={expiry} />,
          Created: <Time at={created_at} clock="schedule" />,
        }}
      />
      {isRotating && <RotateDialog webhook={webhook} onClose={() => setRotating(false)} />}
    </>
  );
}

function toLines(lines: readonly string[]) {
  return lines.length > 0 && lines.map((line) => <div key={line}>{line}</div>);
}

function SecretExpiry({ at }: { readonly at: string }) {
  if (!isReached(at, selectedClock.value))
    return (
      <>
        expires <DueTime at={at} />
      </>
    );
  return (
    <>
      expired <Time at={at} clock="schedule" />
    </>
  );
}

/** Whether it is disabled, or created by `svc listen`. */
function WebhookBadges({ webhook: { disabled, listener } }: { readonly webhook: WebhookDetail }) {
  return (
    <span class="row">
      {disabled && (
        <Badge state="paused" title="Pending deliveries wait. New events are not delivered to this endpoint.">
          disabled
        </Badge>
      )}
      {listener && (
        <Badge state="neutral" title="Removed when svc listen stops.">
          svc listen
        </Badge>
      )}
    </span>
  );
}
