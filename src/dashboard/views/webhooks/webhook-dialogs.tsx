/** The dialogs that register, edit and delete an endpoint, and rotate its secret. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { WebhookDetail, WebhookWithSecret } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { MAX_PAGE_SIZE } from '../../live-items.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { showToast, showUndoToast, withErrorToast } from '../../toasts.ts';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';
import { emptyWebhook, pickSettings, toDraft, toWebhook, type WebhookDraft } from './webhook-draft.ts';
import { NewWebhookSecret } from './webhook-secret.tsx';
import { sendTestEvent } from './webhook-tests.tsx';

interface Props {
  readonly webhook: WebhookDetail;
  readonly onClose: () => void;
}

export function EditDialog({ webhook, onClose }: Props) {
  return (
    <Dialog title="Edit endpoint" onClose={onClose}>
      <WebhookForm
        original={toDraft(webhook)}
        action="Save"
        onClose={onClose}
        send={async (changes) => {
          await control.updateWebhook({ id: webhook.id, ...changes });
          onClose();
          showUndoToast('Endpoint saved.', async () => {
            await control.updateWebhook({ id: webhook.id, ...pickSettings(webhook) });
            onClose();
          });
        }}
      />
    </Dialog>
  );
}

export function RotateDialog({ webhook: { id }, onClose }: Props) {
  const [overlap, setOverlap] = useState('24h');
  const [secret, setSecret] = useState<string | null>(null);
  const form = useFormSubmit(['overlap'], async () => {
    setSecret((await control.rotateWebhookSecret({ id, overlap })).secret);
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
          name="overlap"
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
        <WebhookForm
          original={emptyWebhook}
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

interface WebhookFormProps {
  readonly original: WebhookDraft;
  readonly action: string;
  readonly send: (webhook: ReturnType<typeof toWebhook>) => Promise<void>;
  readonly onClose: () => void;
}

function WebhookForm({ original, action, send, onClose }: WebhookFormProps) {
  const [draft, setDraft] = useState(original);
  const form = useFormSubmit(Object.keys(draft), () => send(toWebhook(draft)));
  const field = connectFields(draft, setDraft, form.error);
  const inputs: Readonly<Record<keyof WebhookDraft, JSX.Element>> = {
    url: (
      <Field
        label="URL"
        {...field('url')}
        hint="Where the emulator sends deliveries."
        inputMode="url"
        autofocus
        placeholder="http://localhost:3000/webhooks"
      />
    ),
    events: (
      <Field
        label="Event types"
        {...field('events')}
        hint="Separate types with commas. * matches every type."
        placeholder="order.shipped, invoice.paid"
      />
    ),
    headers: (
      <Field
        label="Custom headers"
        {...field('headers')}
        hint="One header per line, as Name: value. Sent with each delivery."
        rows={2}
        placeholder="Authorization: Bearer abc"
      />
    ),
    skip_verify: (
      <label class="check">
        <input
          type="checkbox"
          checked={draft.skip_verify}
          onChange={({ currentTarget }) => setDraft({ ...draft, skip_verify: currentTarget.checked })}
        />
        Skip TLS certificate verification
      </label>
    ),
  };
  return (
    <Form form={form} action={action} onClose={onClose}>
      {Object.values(inputs)}
    </Form>
  );
}
