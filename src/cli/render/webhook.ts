import type { CreatedWebhook, Webhook, WebhookDetail } from '../../contract/resources.ts';
import { renderFields } from './fields.ts';

/** An endpoint with those of its members that this answer carries. */
export function renderWebhook(
  webhook: Webhook & Partial<WebhookDetail> & Partial<CreatedWebhook>,
  look: { readonly color: boolean },
): string {
  return renderFields(
    {
      ID: webhook.id,
      URL: webhook.url,
      Events: webhook.events.join(', '),
      Secret: webhook.secret ?? null,
      State: webhook.disabled ? 'disabled' : null,
      'Old secret until': webhook.previous_secret_expires_at ?? null,
      Workspace: webhook.workspace_id,
      Created: webhook.created_at,
    },
    look,
  );
}
