/** The result of a delivery: why it failed and what to do, or when the next attempt is due. */

import type { DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import type { Explanation } from '../../../contract/explanation-schemas.ts';
import { toDeliveryHints } from '../../../domain/attempt-hints.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { formatSpan, SECOND_MS } from '../../../domain/duration.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { HintText } from '../../ui/hint-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { DueTime, isReached } from '../../ui/time.tsx';
import { useClock } from '../../ui/workspace-scope.tsx';
import { advanceTo, findMoveInProgress } from '../clock/clock-actions.ts';

interface Props {
  readonly delivery: DeliveryDetail;
}

export function DeliverySummaryCard({
  delivery,
  explanation,
}: Props & { readonly explanation: Explanation }) {
  const { attempt, summary, detail, evidence, hints } = explanation;
  const isFailure = attempt !== null && attempt.outcome !== 'succeeded';
  const isRetried = isFailure && delivery.next_attempt_at !== null;
  const { replay, show, steps } = toDeliveryHints(delivery);
  // This page shows the attempts and how a signature is verified, and has a button that replays the delivery.
  const ownTexts: readonly string[] = [replay.text, show.text, steps.text];
  return (
    <section class={`card stack delivery-summary ${getDisplayStatus(delivery)}`} aria-label="Summary">
      <p role="status" class="delivery-headline">
        {isFailure && <strong>{detail} </strong>}
        {!isRetried && summary}
      </p>
      {isFailure && attempt.response_body !== null && (
        <pre class="notice failed">
          <span class="delivery-response">{attempt.response_body}</span>
        </pre>
      )}
      {evidence.length > 0 && (
        <ul class="delivery-facts">
          {evidence.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {hints
        .filter(({ text }) => !ownTexts.includes(text))
        .map((hint) => (
          <p key={hint.text}>
            <span aria-hidden="true">→</span> <HintText hint={hint} />
          </p>
        ))}
      {delivery.next_attempt_at !== null && (
        <NextAttempt delivery={delivery} dueAt={delivery.next_attempt_at} />
      )}
    </section>
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
  const speed = clock.state.value?.speed;
  if (speed === 0)
    return (
      <span class="muted">
        of schedule time. The clock is frozen: advance or resume it to send the attempt.
      </span>
    );
  if (real === null || speed === 1) return null;
  const wait = formatSpan(Math.ceil(real / SECOND_MS) * SECOND_MS, 2);
  return (
    <span class="muted">
      of schedule time, {wait} of real time at ×{speed}
    </span>
  );
}
