/** One attempt with its request, response and signature. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { formatDuration } from '../../../domain/duration.ts';
import { isAttemptSent } from '../../../domain/fault.ts';
import { toSentence } from '../../../domain/message-parts.ts';
import { toHash } from '../../address.ts';
import { route, updateQuery } from '../../router.ts';
import { PhaseTable } from '../../ui/phases.tsx';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { SignatureView } from '../signature/signature-view.tsx';
import { AttemptComparison } from './attempt-comparison.tsx';
import { AttemptRequest, AttemptResponse } from './attempt-messages.tsx';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
}

export function AttemptView({ delivery, attempt }: Props) {
  const tabs: Tab[] = [
    { name: 'request', title: 'Request', render: () => <AttemptRequest request={attempt.request} /> },
    { name: 'response', title: 'Response', render: () => <AttemptResponse attempt={attempt} /> },
    {
      name: 'signature',
      title: 'Signature',
      render: () => <SignatureView deliveryId={delivery.id} attempt={attempt.number} />,
    },
    {
      name: 'timing',
      title: 'Timing',
      render: () => (
        <PhaseTable phases={attempt.phases} caption={`Phases of attempt ${attempt.number} in real time`} />
      ),
    },
    ...(delivery.attempts.length < 2
      ? []
      : [
          {
            name: 'compare',
            title: 'Compare',
            render: () => <AttemptComparison attempts={delivery.attempts} attempt={attempt} />,
          },
        ]),
  ];
  return (
    <section class="delivery-attempt stack" aria-label={`Attempt ${attempt.number}`}>
      <AttemptHeader delivery={delivery} attempt={attempt} />
      <Tabs
        label={`Attempt ${attempt.number}`}
        tabs={tabs}
        openName={route.value.query.tab ?? (attempt.outcome === 'succeeded' ? 'request' : 'response')}
        onOpen={(tab) => updateQuery({ tab })}
      />
    </section>
  );
}

function AttemptHeader({ delivery, attempt }: Props) {
  const { number, trigger, duration_ms: durationMs, error, fault } = attempt;
  // The summary card shows the error of the last attempt.
  const isLast = attempt === delivery.attempts.at(-1);
  return (
    <header>
      <div class="row">
        <h3>
          Attempt {number} of {delivery.attempts.length}
        </h3>
        <OutcomeBadge {...attempt} />
        <Duration
          ms={durationMs}
          longestMs={Math.max(...delivery.attempts.map(({ duration_ms }) => duration_ms))}
        />
        {trigger === 'manual' && <span class="badge highlighted">replay</span>}
      </div>
      {error !== null && !isLast && <p class="error-text">{toSentence(error)}</p>}
      <p class="muted">
        Due <Time at={attempt.scheduled_at} clock="schedule" />,{' '}
        {isAttemptSent(fault) ? 'sent' : 'not sent, ended'}{' '}
        <time dateTime={attempt.sent_at}>{attempt.sent_at}</time> (real time)
        {fault !== undefined && (
          <>
            {', injected fault '}
            <a href={toHash({ section: 'webhooks', id: delivery.webhook_id })}>
              {fault.kind} ({fault.id})
            </a>
          </>
        )}
      </p>
    </header>
  );
}

/** The duration of the attempt, with a bar relative to the longest attempt. */
function Duration({ ms, longestMs }: { readonly ms: number; readonly longestMs: number }) {
  return (
    <span class="delivery-duration" title="From the start of the attempt to its end, in real time">
      <span class="delivery-bar" aria-hidden="true">
        <span style={{ width: `${longestMs === 0 ? 0 : (100 * ms) / longestMs}%` }} />
      </span>
      {formatDuration(ms)}
    </span>
  );
}
