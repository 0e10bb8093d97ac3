/** The menu that tests an endpoint: with an event, or with a valid and a forged delivery. */
import { useState } from 'preact/hooks';
import type { Finding } from '../../../diagnosis/probe-findings.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { withErrorToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { HintText } from '../../ui/hint-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { sendTestEvent } from './send-test-event.ts';

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

interface ProbeDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

function ProbeDialog({ webhookId, onClose }: ProbeDialogProps) {
  const query = useQuery(async () => {
    const result = await control.probeWebhook({ id: webhookId });
    // Loaded late, with the texts about all layers.
    const { toProbeFindings } = await import('../../../diagnosis/probe-findings.ts');
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
