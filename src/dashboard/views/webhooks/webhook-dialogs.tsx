/** The dialogs that register, edit and delete an endpoint, and rotate its secret. */
import { useState } from 'preact/hooks';
import { formatDeliveryCount } from '../../../domain/message-parts.ts';
import type { WebhookDetail, WebhookWithSecret } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { showToast, withErrorToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { sendTestEvent } from './send-test-event.ts';
import { NewWebhookSecret } from './webhook-secret.tsx';

interface Props {
  readonly webhook: WebhookDetail;
  readonly onClose: () => void;
}

export function EditDialog({ webhook, onClose }: Props) {
  return (
    <Dialog title="Edit endpoint" onClose={onClose}>
      <EndpointForm
        original={webhook}
        action="Save"
        onClose={onClose}
        send={async (changes) => {
          await control.updateWebhook({ id: webhook.id, ...changes });
          onClose();
        }}
      />
    </Dialog>
  );
}

export function RotateDialog({ webhook: { id }, onClose }: Props) {
  const [overlap, setOverlap] = useState('24h');
  const [secret, setSecret] = useState<string | null>(null);
  const form = useFormSubmit(['overlap_ms'], async () => {
    setSecret((await control.rotateWebhookSecret({ id, overlap_ms: overlap })).secret);
  });
  if (secret !== null) {
    return (
      <Dialog title="New secret" onClose={onClose}>
        <NewWebhookSecret secret={secret} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Rotate secret" onClose={onClose}>
      <Form
        form={form}
        action={
          <>
            <Icon name="key" /> Rotate
          </>
        }
        onClose={onClose}
      >
        <p>Deliveries are signed with a new secret, and also with the previous one until it expires.</p>
        <Field
          label="Keep the previous secret valid for"
          name="overlap_ms"
          hint="In schedule time. Enter 0s to expire it immediately."
          error={form.error}
          value={overlap}
          onChange={setOverlap}
        />
      </Form>
    </Dialog>
  );
}

export function DeleteDialog({ webhook: { id, url }, onClose }: Props) {
  const form = useFormSubmit([], async () => {
    const { canceled_deliveries: canceled } = await control.deleteWebhook({ id });
    showToast(`Endpoint deleted, ${formatDeliveryCount(canceled)} canceled.`);
    navigate({ section: 'home' });
  });
  return (
    <Dialog title="Delete endpoint" onClose={onClose}>
      <Form form={form} action="Delete endpoint" variant="danger" onClose={onClose}>
        <p>
          <strong>{url}</strong>
        </p>
        <p>Its pending deliveries will be canceled. You cannot undo this.</p>
      </Form>
    </Dialog>
  );
}

export function CreateWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const close = () => {
    onClose();
    if (created !== null) navigate({ section: 'webhooks', id: created.id });
  };
  return (
    <Dialog title={created === null ? 'Register endpoint' : 'Endpoint secret'} onClose={close}>
      {created === null ? (
        <EndpointForm
          action="Register endpoint"
          onClose={close}
          send={async (webhook) =>
            setCreated(await control.createWebhook({ workspace_id: workspaceId.peek(), ...webhook }))
          }
        />
      ) : (
        <NewWebhookSecret secret={created.secret} onDone={close}>
          <button type="button" onClick={() => [onClose(), void withErrorToast(sendTestEvent(created))]}>
            Send a test event
          </button>
        </NewWebhookSecret>
      )}
    </Dialog>
  );
}
