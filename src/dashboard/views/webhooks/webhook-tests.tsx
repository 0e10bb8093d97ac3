/** The menu that tests an endpoint: with an event, or with a valid and a forged delivery. */
import { useState } from 'preact/hooks';
import type { Finding } from '../../../client/findings.ts';
import type { WebhookDetail } from '../../../contract/resources.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { withErrorToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { HintText } from '../../ui/hint-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { startRun } from '../trigger/trigger-runs.ts';

export function WebhookTests({ webhook }: { readonly webhook: WebhookDetail }) {
  const [isProbing, setProbing] = useState(false);
  return (
    <>
      <Popover
        label="Test"
        class="primary"
        button={
          <>
            <Icon name="bolt" /> Test
          </>
        }
      >
        {(close) => (
          <div class="stack">
            <button type="button" onClick={() => [close(), void withErrorToast(sendTestEvent(webhook))]}>
              Send a test event
            </button>
            <button type="button" onClick={() => [close(), setProbing(true)]}>
              Check the response to a forged delivery
            </button>
          </div>
        )}
      </Popover>
      {isProbing && <ProbeDialog webhookId={webhook.id} onClose={() => setProbing(false)} />}
    </>
  );
}

/** Sends the fixture of a type that the endpoint subscribes to, and opens its delivery. */
export async function sendTestEvent({
  id,
  events,
  workspace_id: workspaceId,
}: Pick<WebhookDetail, 'id' | 'events' | 'workspace_id'>): Promise<void> {
  const fixtures = (await control.listFixtures({})).data.filter(({ problem }) => problem === null);
  const isSubscribed = (type: string) => events.includes(WILDCARD_SUBSCRIPTION) || events.includes(type);
  const fixture = fixtures.find(({ type }) => isSubscribed(type));
  const type = fixture?.type ?? events[0] ?? '';
  const payload = fixture === undefined ? '{}' : (await control.getFixture({ type })).payload_text;
  const { eventIds, error } = await startRun({ type, payload, workspaceId, idempotencyKey: '', count: 1 });
  if (error !== null) throw new Error(error.message);
  const [eventId = ''] = eventIds;
  const { data } = await control.listDeliveries({ event_id: eventId, webhook_id: id, limit: 1 });
  const [delivery] = data;
  navigate(
    delivery === undefined ? { section: 'events', id: eventId } : { section: 'deliveries', id: delivery.id },
  );
}

interface ProbeDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

function ProbeDialog({ webhookId, onClose }: ProbeDialogProps) {
  const query = useQuery(async () => {
    const result = await control.probeWebhook({ id: webhookId });
    // Loaded late, with the texts about all layers.
    const { toProbeFindings } = await import('../../../client/findings.ts');
    // The page already shows the URL.
    return toProbeFindings({ ...result, url: 'the endpoint' }, selectedClock.peek().wallNow.peek() ?? 0);
  }, [webhookId]);
  return (
    <Dialog title="Responses to a valid and a forged delivery" onClose={onClose}>
      <div class="stack">
        <QueryView query={query} loadingText="Waiting for the receiver…">
          {(findings) => (
            <ul class="divided-list">
              {findings.map((finding) => (
                <FindingLine key={finding.id} finding={finding} />
              ))}
            </ul>
          )}
        </QueryView>
        <p class="muted">The two deliveries are not recorded.</p>
        <div class="row">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const badgeClasses = {
  ok: 'succeeded',
  warning: 'pending',
  problem: 'failed',
  skipped: 'canceled',
} as const satisfies Record<Finding['status'], string>;

function FindingLine({ finding: { status, title, detail, hint } }: { readonly finding: Finding }) {
  return (
    <li>
      <span class={`badge ${badgeClasses[status]}`}>
        <span aria-hidden="true">{checkStatusSymbols[status]}</span> {status}
      </span>
      <span class="grow">
        {title}: {detail}
        {hint !== null && (
          <small>
            <HintText hint={hint} />
          </small>
        )}
      </span>
    </li>
  );
}
