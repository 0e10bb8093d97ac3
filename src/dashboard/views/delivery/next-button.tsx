/** The button beside the cause of a failed delivery: it does what the first command of the explanation does. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Explanation } from '../../../operations/explanation-schemas.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import type { WebhookDetail } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { updateQuery } from '../../router.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { removeFaults, useFaults } from '../faults/fault-list.tsx';
import { EditDialog } from '../webhooks/webhook-dialogs.tsx';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly explanation: Explanation;
  readonly onProbed: (explanation: Explanation) => void;
}

export function NextButton(props: Props) {
  const { hints } = props.explanation;
  const [, Button] =
    buttons.find(([pattern]) => hints.some(({ command = '' }) => pattern.test(command))) ?? [];
  return Button === undefined ? null : <Button {...props} />;
}

/** The buttons by the command that they replace: the first one that is hinted is shown. The title row has that of a replay. */
const buttons: readonly (readonly [command: RegExp, Button: (props: Props) => ComponentChildren])[] = [
  [/ --enable$/, EnableButton],
  [/^svc faults clear /, RemoveFaultButton],
  [/^svc webhooks update .* --url /, ChangeUrlButton],
  [/ --probe$/, ProbeButton],
  [/ --(?:steps|show-secret)$/, SignatureButton],
];

function EnableButton({ delivery }: Props) {
  const enable = () =>
    void withErrorToast(control.updateWebhook({ id: delivery.webhook_id, disabled: false }));
  return <ActionButton onClick={enable}>Enable the endpoint</ActionButton>;
}

function RemoveFaultButton({ explanation }: Props) {
  const { value: faults = [] } = useFaults(({ id }) => id === explanation.attempt?.fault?.id);
  return <ActionButton onClick={() => void removeFaults(faults)}>Remove the fault</ActionButton>;
}

function ChangeUrlButton({ delivery }: Props) {
  const [webhook, setWebhook] = useState<WebhookDetail>();
  const open = async () => setWebhook(await withErrorToast(control.getWebhook({ id: delivery.webhook_id })));
  return (
    <>
      <ActionButton onClick={() => void open()}>Change the URL</ActionButton>
      {webhook !== undefined && <EditDialog webhook={webhook} onClose={() => setWebhook(undefined)} />}
    </>
  );
}

function ProbeButton({ delivery, onProbed }: Props) {
  const [isBusy, setBusy] = useState(false);
  const probe = async () => {
    setBusy(true);
    const probed = await withErrorToast(control.probeDelivery({ id: delivery.id }));
    setBusy(false);
    if (probed !== undefined) onProbed(probed);
  };
  return (
    <ActionButton disabled={isBusy} onClick={() => void probe()}>
      {isBusy ? 'Probing…' : 'Find the mistake'}
    </ActionButton>
  );
}

function SignatureButton() {
  return <ActionButton onClick={() => updateQuery({ tab: 'signature' })}>Open the signature</ActionButton>;
}
