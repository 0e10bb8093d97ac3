import { useState } from 'preact/hooks';
import { type Finding, toProbeFindings } from '../../../client/findings.ts';
import { checkStatusSymbols } from '../../../domain/delivery.ts';
import { control } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { toErrorMessage } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { HintText } from '../../ui/hint-text.tsx';
import { Icon } from '../../ui/icon.tsx';

type State = 'none' | 'running' | readonly Finding[] | { readonly error: string };

/** Probes the endpoint: whether it is reachable, accepts valid signatures and rejects forged ones. */
export function Probe({ webhookId }: { readonly webhookId: string }) {
  const [state, setState] = useState<State>('none');
  const probe = async () => {
    setState('running');
    try {
      const result = await control.probeWebhook({ id: webhookId });
      // The page already shows the URL.
      setState(toProbeFindings({ ...result, url: 'the endpoint' }, selectedClock.peek().wallNow.peek() ?? 0));
    } catch (error) {
      setState({ error: toErrorMessage(error) });
    }
  };
  return (
    <section class="card stack webhooks-probe" aria-label="Test the endpoint">
      <div class="row">
        <h3>Test the endpoint</h3>
        <ActionButton disabled={state === 'running'} onClick={probe}>
          <Icon name="bolt" /> Send test deliveries
        </ActionButton>
      </div>
      <div role="status">
        {state === 'none' && (
          <p class="muted">
            Sends one correctly signed and one forged delivery of type <code>svc.probe</code>, and checks the
            responses. The deliveries are not recorded.
          </p>
        )}
        {state === 'running' && <p class="muted">Waiting for the receiver…</p>}
        {typeof state === 'object' && 'error' in state && <p class="error-text">{state.error}</p>}
        {Array.isArray(state) && (
          <ul class="divided-list">
            {state.map((finding: Finding) => (
              <FindingLine key={finding.id} finding={finding} />
            ))}
          </ul>
        )}
      </div>
    </section>
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
