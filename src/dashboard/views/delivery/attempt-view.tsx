/** One attempt: its phases in one line, its response and payload side by side, its signature, and a comparison with the last success. */
import { formatLatency } from '../../../domain/duration.ts';
import { isAttemptSent } from '../../../domain/fault.ts';
import { toSentence } from '../../../domain/message-parts.ts';
import { type Attempt, describePhases } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { toHash } from '../../address.ts';
import { route, updateQuery } from '../../router.ts';
import { HttpBody, HttpHeaders } from '../../ui/http-message.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Badge, OutcomeBadge } from '../../ui/status-badge.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { SignatureView } from '../signature/signature-view.tsx';
import { DeliveryComparison } from './delivery-comparison.tsx';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: Attempt;
}

export function AttemptView({ delivery, attempt }: Props) {
  const { number } = attempt;
  const key = `${delivery.id} ${number}`;
  const tabs = [
    {
      name: 'messages',
      title: 'Response and payload',
      render: () => <Messages key={key} attempt={attempt} />,
    },
    {
      name: 'signature',
      title: 'Signature',
      render: () => <SignatureView deliveryId={delivery.id} attempt={number} />,
    },
    {
      name: 'compare',
      title: 'Compare with the last success',
      render: () => <DeliveryComparison key={key} delivery={delivery} attempt={attempt} />,
    },
  ];
  return (
    <section class="stack" aria-label={`Attempt ${number}`}>
      <AttemptHeader delivery={delivery} attempt={attempt} />
      <Tabs
        label={`Attempt ${number}`}
        tabs={tabs}
        openName={route.value.query.tab}
        onOpen={(tab) => updateQuery({ tab })}
      />
    </section>
  );
}

function AttemptHeader({ delivery, attempt }: Props) {
  const { number, trigger, duration_ms: durationMs, phases, fault } = attempt;
  const select = (number: number) => updateQuery({ attempt: String(number) });
  return (
    <div class="row">
      <IconButton
        name="back"
        label="Previous attempt"
        disabled={number === 1}
        onClick={() => select(number - 1)}
      />
      <h3>
        Attempt {number} of {delivery.attempts.length}
      </h3>
      <IconButton
        name="forward"
        label="Next attempt"
        disabled={number === delivery.attempts.length}
        onClick={() => select(number + 1)}
      />
      <OutcomeBadge {...attempt} />
      {trigger === 'manual' && <Badge state="highlighted">replay</Badge>}
      {fault !== undefined && (
        <a class="badge" data-state="pending" href={toHash({ section: 'webhooks', id: delivery.webhook_id })}>
          {fault.kind}
        </a>
      )}
      <span class="muted">
        {isAttemptSent(fault) ? 'sent' : 'not sent, ended'} <Time at={attempt.sent_at} clock="wall" />, took{' '}
        {formatLatency(durationMs)}
        {phases !== null && `: ${describePhases(phases)}`}
      </span>
    </div>
  );
}

function Messages({ attempt }: { readonly attempt: Attempt }) {
  const { request, response, error } = attempt;
  return (
    <div class="grid">
      <section class="stack" aria-label="Response">
        {response === null ? (
          <p class="muted">No response. {error !== null && toSentence(error)}</p>
        ) : (
          <>
            <HttpBody title="Response" {...response} />
            {response.truncated && <p class="muted">Only the first part of the body is stored.</p>}
            <HttpHeaders headers={response.headers} />
          </>
        )}
      </section>
      <section class="stack" aria-label="Request">
        <HttpBody title="Payload" body={request.body} encoding="utf8" />
        <HttpHeaders headers={request.headers} />
      </section>
    </div>
  );
}
