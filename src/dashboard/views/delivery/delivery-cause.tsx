/** Why a delivery is in its state, in one sentence, with a button that does what comes next. */
import { useState } from 'preact/hooks';
import type { DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import type { Explanation } from '../../../contract/explanation-schemas.ts';
import type { WebhookDetail } from '../../../contract/resources.ts';
import type { DeliveryCause as Cause } from '../../../diagnosis/causes.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { isFaultActive } from '../../../domain/fault.ts';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import { control } from '../../control.ts';
import { updateQuery } from '../../router.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { HintText } from '../../ui/hint-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Properties } from '../../ui/properties.tsx';
import { DueTime, isReached } from '../../ui/time.tsx';
import { useClock } from '../../ui/workspace-scope.tsx';
import { advanceTo, findMoveInProgress } from '../clock/clock-actions.ts';
import { removeFaults, useFaults } from '../faults/fault-list.tsx';
import { EditDialog } from '../webhooks/webhook-dialogs.tsx';
import { listCommands } from './attempt-formats.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly explanation: Explanation;
  /** Called after a button changed something that the explanation depends on. */
  readonly onChange: () => void;
}

export function DeliveryCause({ delivery, explanation, onChange }: Props) {
  /** The explanation after a probe. */
  const [probed, setProbed] = useState<Explanation | null>(null);
  const { attempt, summary, layer, detail, finding, evidence, hints } = probed ?? explanation;
  const comparison = finding?.comparison ?? null;
  const explains = finding?.explains ?? 0;
  const isFailure = attempt !== null && attempt.outcome !== 'succeeded';
  const advice = hints.find(({ command }) => command === undefined)?.text;
  return (
    <section class={`card delivery-cause ${getDisplayStatus(delivery)}`} aria-label="Cause">
      <div class="row">
        <p role="status" class="grow">
          <strong>{isFailure || layer !== null ? detail : summary}</strong>{' '}
          {explains > 1 && `It explains ${formatDeliveryCount(explains)}.`}{' '}
          {isFailure && delivery.next_attempt_at === null && delivery.paused && summary} {advice}
        </p>
        <CauseAction
          delivery={delivery}
          explanation={probed ?? explanation}
          isProbed={probed !== null}
          onProbed={setProbed}
          onChange={onChange}
        />
        <Popover label="Commands" class="quiet" button="CLI">
          <ul class="plain-list stack">
            {listCommands(delivery, hints).map((hint) => (
              <li key={hint.command}>
                <HintText hint={hint} />
              </li>
            ))}
          </ul>
        </Popover>
      </div>
      {comparison !== null && <ContentComparison {...comparison} />}
      {evidence.length > 0 && (
        <ul class="delivery-facts muted">
          {evidence.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {delivery.next_attempt_at !== null && <NextAttempt dueAt={delivery.next_attempt_at} />}
    </section>
  );
}

/** What was signed above what the receiver verifies, the first difference marked. */
function ContentComparison({
  signed,
  verified,
  difference,
}: NonNullable<NonNullable<Explanation['finding']>['comparison']>) {
  const rows = { Signed: signed, Verified: verified };
  return (
    <Properties
      items={Object.fromEntries(
        Object.entries(rows).map(([name, text]) => [
          name,
          <code key={name}>
            {text.slice(0, difference)}
            <mark>{text.slice(difference)}</mark>
          </code>,
        ]),
      )}
    />
  );
}

/** Causes that a probe can explain, because only the receiver knows the reason. */
const probedCauses: readonly Cause[] = ['signature_rejected', 'rejected'];
const signatureCauses: readonly Cause[] = ['signature_rejected', 'receiver_clock'];
const addressCauses: readonly Cause[] = ['wrong_path', 'redirect', 'dns_error', 'blocked'];

interface CauseActionProps extends Props {
  readonly isProbed: boolean;
  readonly onProbed: (explanation: Explanation) => void;
}

/** The button for what comes next; nothing if that is a replay, whose button is in the title row. */
function CauseAction({ delivery, explanation, isProbed, onProbed, onChange }: CauseActionProps) {
  const { cause, attempt, mistake } = explanation;
  const [isBusy, setBusy] = useState(false);
  const probe = async () => {
    setBusy(true);
    const probed = await withErrorToast(control.probeDelivery({ id: delivery.id }));
    setBusy(false);
    if (probed !== undefined) onProbed(probed);
  };
  const enable = async () => {
    await withErrorToast(control.updateWebhook({ id: delivery.webhook_id, disabled: false }));
    onChange();
  };
  if (delivery.paused) return <ActionButton onClick={() => void enable()}>Enable the endpoint</ActionButton>;
  if (attempt?.fault !== undefined && (cause === 'injected_fault' || cause === 'accepted_invalid'))
    return <RemoveFaultButton id={attempt.fault.id} onRemoved={onChange} />;
  if (addressCauses.includes(cause)) return <ChangeUrlButton id={delivery.webhook_id} />;
  if (signatureCauses.includes(cause) && (mistake !== null || isProbed || !probedCauses.includes(cause)))
    return <ActionButton onClick={() => updateQuery({ tab: 'signature' })}>Open the signature</ActionButton>;
  if (probedCauses.includes(cause) && !isProbed)
    return (
      <ActionButton disabled={isBusy} onClick={() => void probe()}>
        {isBusy ? 'Probing…' : 'Find the mistake'}
      </ActionButton>
    );
  return <AdvanceButton delivery={delivery} />;
}

function RemoveFaultButton({ id, onRemoved }: { readonly id: string; readonly onRemoved: () => void }) {
  const { value: faults = [] } = useFaults((fault) => fault.id === id && isFaultActive(fault));
  if (faults.length === 0) return null;
  return <ActionButton onClick={() => void removeFaults(faults, onRemoved)}>Remove the fault</ActionButton>;
}

function ChangeUrlButton({ id }: { readonly id: string }) {
  const [webhook, setWebhook] = useState<WebhookDetail>();
  const open = async () => setWebhook(await withErrorToast(control.getWebhook({ id })));
  return (
    <>
      <ActionButton onClick={() => void open()}>Change the URL</ActionButton>
      {webhook !== undefined && <EditDialog webhook={webhook} onClose={() => setWebhook(undefined)} />}
    </>
  );
}

function AdvanceButton({ delivery }: Pick<Props, 'delivery'>) {
  const { workspace_id: workspace, next_attempt_at: dueAt } = delivery;
  const clock = useClock();
  const isMoving = findMoveInProgress(workspace) !== null;
  if (dueAt === null || isReached(dueAt, clock)) return null;
  return (
    <ActionButton
      disabled={isMoving || clock.now.value === undefined}
      onClick={() => void advanceTo(dueAt, workspace)}
    >
      <Icon name="skip" /> {isMoving ? 'Sending…' : 'Advance to the next attempt'}
    </ActionButton>
  );
}

function NextAttempt({ dueAt }: { readonly dueAt: string }) {
  const clock = useClock();
  // The attempt is in progress, or its endpoint queue is busy.
  if (isReached(dueAt, clock)) return <p class="muted">The next attempt is due now.</p>;
  return (
    <p class="muted">
      Next attempt <DueTime at={dueAt} />.{clock.state.value?.speed === 0 && ' The clock is frozen.'}
    </p>
  );
}
