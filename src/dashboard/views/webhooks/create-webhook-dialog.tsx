import { useState } from 'preact/hooks';
import type { WebhookWithSecret } from '../../../contract/resources.ts';
import { control } from '../../control.ts';
import { navigate } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { emptyWebhook } from './webhook-draft.ts';
import { WebhookForm } from './webhook-form.tsx';
import { NewWebhookSecret } from './webhook-secret.tsx';

/** Creates an endpoint and shows its secret. */
export function CreateWebhookDialog({ onClose }: { readonly onClose: () => void }) {
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const close = () => {
    onClose();
    if (created !== null) navigate({ section: 'webhooks', id: created.id });
  };
  return (
    <Dialog title={created === null ? 'New endpoint' : 'Signing secret'} onClose={close}>
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
