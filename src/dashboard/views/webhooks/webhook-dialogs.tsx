/** The dialogs that edit, rotate or delete an endpoint. */
import { useState } from 'preact/hooks';
import type { WebhookDetail, WebhookWithSecret } from '../../../contract/resources.ts';
import { parseDuration } from '../../../domain/duration.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { showToast } from '../../toasts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FormErrorText } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useQuery } from '../../use-query.ts';
import { emptyWebhook, toDraft } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { NewWebhookSecret } from './webhook-secret.tsx';

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
  const { error, isBusy, submit } = useFormSubmit(['overlap_ms'], async () => {
    const ms = parseDuration(overlap);
    if (ms === null) throw new SvcError('usage', 'overlap_ms must be a duration such as 0s, 1h or 24h.');
    setSecret((await control.rotateWebhookSecret({ id, overlap_ms: ms })).secret);
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
      <form class="form" onSubmit={submit} noValidate>
        <p>New deliveries are signed with a new secret, and with the previous one until it expires.</p>
        <Field
          label="Keep the previous secret valid for"
          name="overlap_ms"
          hint="In schedule time. Enter 0s to expire it immediately."
          error={error}
        >
          {(control) => (
            <input
              {...control}
              value={overlap}
              onInput={({ currentTarget }) => setOverlap(currentTarget.value)}
            />
          )}
        </Field>
        <FormErrorText error={error} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            <Icon name="key" /> Rotate
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Above this number, the count shows "or more". */
const MAX_COUNT = 1000;

export function DeleteDialog({ webhook: { id, url }, onClose }: Props) {
  const { value: pendingDeliveries } = useQuery(
    () => control.listDeliveries({ webhook_id: id, status: 'pending', limit: MAX_COUNT }),
    [id],
  );
  const { error, isBusy, submit } = useFormSubmit([], async () => {
    const { canceled_deliveries: canceled } = await control.deleteWebhook({ id });
    showToast(
      `Endpoint deleted. ${canceled} pending ${canceled === 1 ? 'delivery' : 'deliveries'} canceled.`,
    );
    // Navigating away unmounts this dialog.
    navigate({ section: 'webhooks' });
  });
  return (
    <Dialog title="Delete endpoint" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p class="webhooks-url">{url}</p>
        <p role="status">
          {pendingDeliveries === undefined
            ? 'Counting pending deliveries…'
            : `${describePending(pendingDeliveries)} You cannot undo this.`}
        </p>
        <FormErrorText error={error} />
        <div class="row">
          <button type="submit" class="danger" disabled={isBusy}>
            <Icon name="trash" /> Delete endpoint
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function describePending({
  data,
  has_more: hasMore,
}: {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
}) {
  if (data.length === 0) return 'No deliveries are pending.';
  const count = `${data.length}${hasMore ? ' or more' : ''}`;
  return data.length === 1
    ? '1 pending delivery will be canceled.'
    : `${count} pending deliveries will be canceled.`;
}

/** Creates an endpoint and shows its secret. */
export function CreateWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const close = () => {
    onClose();
    if (created !== null) navigate({ section: 'webhooks', id: created.id });
  };
  return (
    <Dialog title={created === null ? 'Create endpoint' : 'Signing secret'} onClose={close}>
      {created === null ? (
        <WebhookForm
          original={emptyWebhook}
          action="Create endpoint"
          send={async (webhook) =>
            setCreated(await control.createWebhook({ workspace_id: workspaceId.peek(), ...webhook }))
          }
        />
      ) : (
        <NewWebhookSecret secret={created.secret} onDone={close} />
      )}
    </Dialog>
  );
}
