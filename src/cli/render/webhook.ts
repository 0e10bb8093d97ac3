import type { CreatedWebhook, Webhook, WebhookDetail } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { ScheduleTimeOf } from '../schedule-time.ts';
import { renderFields } from './fields.ts';
import type { Column } from './table.ts';
import { formatTime } from './time.ts';

/**
 * An endpoint with those of its members that this answer carries.
 * @param now the schedule time of its workspace, where it is known
 */
export function renderWebhook(
  webhook: Webhook & Partial<WebhookDetail> & Partial<CreatedWebhook>,
  look: { readonly color: boolean },
  now?: number,
): string {
  const headers = Object.entries(webhook.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return renderFields(
    {
      ID: webhook.id,
      URL: webhook.url,
      Events: webhook.events.join(', '),
      Secret: webhook.secret ?? null,
      Headers: headers.join(', ') || null,
      TLS: webhook.skip_verify ? 'any certificate' : null,
      Stays: webhook.listener ? 'as long as svc listen holds it' : null,
      State: webhook.disabled ? 'disabled' : null,
      'Old secret until': webhook.previous_secret_expires_at ?? null,
      Workspace: webhook.workspace_id,
      Created: now === undefined ? webhook.created_at : formatTime(webhook.created_at, now),
    },
    look,
  );
}

/** Their times are schedule times. */
export function webhookColumns(now: ScheduleTimeOf): readonly Column<WebhookDetail>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'URL', value: ({ url }) => url, canTruncate: true },
    { title: 'EVENTS', value: ({ events }) => events.join(','), hideOrder: 3, canTruncate: true },
    { title: 'STATE', value: ({ disabled }) => (disabled ? 'disabled' : 'enabled'), hideOrder: 2 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, now(row)), hideOrder: 1 },
  ];
}
