/** The result of a delivery: why it failed and what to do, or when the next attempt is due. */

import type { DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { formatSpan, SECOND_MS } from '../../../domain/duration.ts';
import { isFaultActive } from '../../../domain/fault.ts';
import type { Hint } from '../../../domain/next-step.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { DueTime, isReached } from '../../ui/time.tsx';
import { useClock } from '../../ui/workspace-scope.tsx';
import { advanceTo, findMoveInProgress } from '../clock/clock-actions.ts';
import { useFaults } from '../faults/fault-list.tsx';
import { summarizeDelivery } from './delivery-summary.ts';

interface Props {
  readonly delivery: DeliveryDetail;
}

export function DeliverySummaryCard({ delivery }: Props) {
  const fault = delivery.attempts.at(-1)?.fault;
  return fault === undefined ? (
    <Summary delivery={delivery} />
  ) : (
    <SummaryWithFault key={fault.id} delivery={delivery} faultId={fault.id} />
  );
}

/** The next step depends on whether the fault can still be applied. */
function SummaryWithFault({ delivery, faultId }: Props & { readonly faultId: string }) {
  const { value: faults } = useFaults(({ id }) => id === faultId);
  return <Summary delivery={delivery} isFaultActive={faults?.some(isFaultActive)} />;
}

function Summary({ delivery, isFaultActive }: Props & { readonly isFaultActive?: boolean | undefined }) {
  const { headline, reason, responseExcerpt, signature, hints } = summarizeDelivery(delivery, isFaultActive);
  return (
    <section class={`card stack delivery-summary ${getDisplayStatus(delivery)}`} aria-label="Summary">
      <p role="status" class="delivery-headline">
        {reason !== null && <strong>{reason} </strong>}
        {headline}
      </p>
      {responseExcerpt !== null && <pre class="notice failed">{responseExcerpt}</pre>}
      {signature !== null && <p>{signature}</p>}
      {hints.map((hint) => (
        <HintLine key={hint.text} hint={hint} />
      ))}
      {delivery.next_attempt_at !== null && (
        <NextAttempt delivery={delivery} dueAt={delivery.next_attempt_at} />
      )}
    </section>
  );
}

function HintLine({ hint: { text, command } }: { readonly hint: Hint }) {
  return (
    <p>
      <span aria-hidden="true">→ </span>
      {text}{' '}
      {command !== null && (
        <span class="delivery-command">
          <code>{command}</code>
          <CopyButton what="command" text={command} />
        </span>
      )}
    </p>
  );
}

/** When the next attempt is due, in both times, with a button that advances the clock there. */
function NextAttempt({ delivery, dueAt }: Props & { readonly dueAt: string }) {
  const { workspace_id: workspace } = delivery;
  const isBusy = findMoveInProgress(workspace) !== null;
  const clock = useClock();
  // The attempt is in progress or its endpoint queue is busy.
  if (isReached(dueAt, clock)) return <p class="delivery-next">The next attempt is due now.</p>;
  return (
    <div class="row delivery-next">
      <Icon name="clock" />
      <span>
        Next attempt <DueTime at={dueAt} /> <RealTime dueAt={dueAt} />
      </span>
      <ActionButton
        type="button"
        disabled={isBusy || clock.now.value === undefined}
        onClick={() => advanceTo(dueAt, workspace)}
      >
        <Icon name="skip" /> {isBusy ? 'Sending…' : 'Advance to this attempt'}
      </ActionButton>
    </div>
  );
}

function RealTime({ dueAt }: { readonly dueAt: string }) {
  const clock = useClock();
  const real = clock.realTimeUntil(dueAt);
  const rate = clock.state.value?.rate;
  if (rate === 0)
    return (
      <span class="muted">
        of schedule time. The clock is frozen: advance or resume it to send the attempt.
      </span>
    );
  if (real === null || rate === 1) return null;
  const wait = formatSpan(Math.ceil(real / SECOND_MS) * SECOND_MS, 2);
  return (
    <span class="muted">
      of schedule time, {wait} of real time at ×{rate}
    </span>
  );
}
