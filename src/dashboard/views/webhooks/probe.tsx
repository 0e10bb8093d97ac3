import { useState } from 'preact/hooks';
import type { Finding } from '../../../control/finding.ts';
import { toProbeFindings } from '../../../control/probe-findings.ts';
import { control } from '../../control.ts';
import { toErrorMessage } from '../../error-message.ts';
import { wallNow } from '../../schedule-clock.ts';
import { Icon } from '../../ui/icon.tsx';

type State = 'none' | 'asked' | readonly Finding[] | { readonly error: string };

/** Tries the endpoint out: whether it can be reached, takes what is rightly signed, and refuses what is not. */
export function Probe({ webhookId }: { readonly webhookId: string }) {
  const [state, setState] = useState<State>('none');
  const probe = async () => {
    setState('asked');
    try {
      const answer = await control.probeWebhook({ id: webhookId });
      // The page says above what its address is.
      setState(toProbeFindings({ ...answer, url: 'the endpoint' }, wallNow.peek() ?? 0));
    } catch (error) {
      setState({ error: toErrorMessage(error) });
    }
  };
  return (
    <section class="card webhooks-probe" aria-label="Try it out">
      <div class="row">
        <h3>Try it out</h3>
        <button type="button" disabled={state === 'asked'} onClick={probe}>
          <Icon name="bolt" /> Send a probe
        </button>
      </div>
      <div role="status">
        {state === 'none' && (
          <p class="muted">
            Connects, sends a delivery of type <code>svc.probe</code> that is rightly signed and one that is
            forged, and judges the answers. Neither is recorded.
          </p>
        )}
        {state === 'asked' && <p class="muted">Waiting for the receiver…</p>}
        {typeof state === 'object' && 'error' in state && <p class="field-problem">{state.error}</p>}
        {Array.isArray(state) && (
          <ul>
            {state.map((finding: Finding) => (
              <FindingLine key={finding.id} finding={finding} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

const badges = {
  ok: { badge: 'succeeded', symbol: '✓' },
  warning: { badge: 'pending', symbol: '!' },
  problem: { badge: 'failed', symbol: '✗' },
  skipped: { badge: 'canceled', symbol: '–' },
} as const satisfies Record<Finding['status'], unknown>;

function FindingLine({ finding: { status, title, detail, remedy } }: { readonly finding: Finding }) {
  const { badge, symbol } = badges[status];
  return (
    <li>
      <span class={`badge ${badge}`}>
        <span aria-hidden="true">{symbol}</span> {status}
      </span>
      <span>
        {title}: {detail}
        {remedy !== null && <small>{remedy}</small>}
      </span>
    </li>
  );
}
