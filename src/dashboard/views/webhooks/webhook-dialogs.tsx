/** The dialogs that register, edit and delete an endpoint, and rotate its secret. */
import { useState } from 'preact/hooks';
import type { WebhookDetail, WebhookWithSecret } from '../../../resources/endpoint.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { showToast, showUndoToast, withErrorToast } from '../../toasts.ts';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { MAX_PAGE_SIZE } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { pickSettings } from './endpoint-draft.ts';
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
          showUndoToast('Endpoint saved.', () =>
            control.updateWebhook({ id: webhook.id, ...pickSettings(webhook) }),
          );
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
  const { value: pending } = useQuery(
    () => control.listDeliveries({ webhook_id: id, status: 'pending', limit: MAX_PAGE_SIZE }),
    [id],
  );
  const deleteWebhook = async () => {
    const { canceled_deliveries: canceled } = await control.deleteWebhook({ id });
    showToast(
      `Endpoint deleted. ${canceled} pending ${canceled === 1 ? 'delivery' : 'deliveries'} canceled.`,
    );
    // Navigating away unmounts this dialog.
    navigate({ section: 'home' });
  };
  return (
    <ConfirmDialog
      title="Delete endpoint"
      action="Delete endpoint"
      onConfirm={deleteWebhook}
      onClose={onClose}
    >
      <p>
        <strong>{url}</strong>
      </p>
      <p role="status">
        {pending === undefined
          ? 'Counting pending deliveries…'
          : `${describePending(pending.data, pending.has_more)} You cannot undo this.`}
      </p>
    </ConfirmDialog>
  );
}

function describePending({ length: count }: readonly unknown[], hasMore: boolean): string {
  if (count === 0) return 'No deliveries are pending.';
  if (count === 1) return '1 pending delivery will be canceled.';
  return `${count}${hasMore ? ' or more' : ''} pending deliveries will be canceled.`;
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
