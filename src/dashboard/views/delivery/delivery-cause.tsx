/** Why a delivery is in its state, in one sentence, with a button that does what comes next. */
import { useState } from 'preact/hooks';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import type { Explanation } from '../../../operations/explanation-schemas.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { HintText } from '../../ui/hint-text.tsx';
import { Properties } from '../../ui/properties.tsx';
import { DueTime, isReached } from '../../ui/time.tsx';
import { NextButton } from './next-button.tsx';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly explanation: Explanation;
}

export function DeliveryCause({ delivery, explanation }: Props) {
  /** The explanation after a probe. It is shown until the next attempt. */
  const [probed, setProbed] = useState<Explanation>();
  const isCurrent = probed?.attempt?.number === explanation.attempt?.number;
  const shown = (isCurrent ? probed : undefined) ?? explanation;
  const { attempt, summary, layer, detail, finding, evidence, hints } = shown;
  const explains = finding?.explains ?? 0;
  const isFailure = attempt !== null && attempt.outcome !== 'succeeded';
  const advice = hints.find(({ command }) => command === undefined)?.text;
  const commands = hints.filter(({ command }) => command !== undefined);
  return (
    <section class="card" data-state={getDisplayStatus(delivery)} aria-label="Cause">
      <div class="row">
        <p role="status">
          <strong>{isFailure || layer !== null ? detail : summary}</strong>{' '}
          {explains > 1 && `It explains ${formatDeliveryCount(explains)}.`}{' '}
          {isFailure && delivery.next_attempt_at === null && delivery.paused && summary} {advice}
        </p>
        <NextButton delivery={delivery} explanation={shown} onProbed={setProbed} />
      </div>
      {finding?.comparison && <ContentComparison {...finding.comparison} />}
      {evidence.length > 0 && (
        <ul class="muted">
          {evidence.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {delivery.next_attempt_at !== null && <NextAttempt dueAt={delivery.next_attempt_at} />}
      {commands.length > 0 && (
        <details class="muted">
          <summary>Commands</summary>
          <ul>
            {commands.map((hint) => (
              <li key={hint.command}>
                <HintText hint={hint} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

type Comparison = NonNullable<NonNullable<Explanation['finding']>['comparison']>;

/** What was signed above what the receiver verifies, the first difference marked. */
function ContentComparison({ signed, verified, difference }: Comparison) {
  const mark = (text: string) => (
    <code>
      {text.slice(0, difference)}
      <mark>{text.slice(difference)}</mark>
    </code>
  );
  return <Properties items={{ Signed: mark(signed), Verified: mark(verified) }} />;
}

function NextAttempt({ dueAt }: { readonly dueAt: string }) {
  const { value: clock } = selectedClock;
  // The attempt is in progress, or its endpoint queue is busy.
  if (isReached(dueAt, clock)) return <p class="muted">The next attempt is due now.</p>;
  return (
    <p class="muted">
      Next attempt <DueTime at={dueAt} />.{clock.state.value?.speed === 0 && ' The clock is frozen.'}
    </p>
  );
}
