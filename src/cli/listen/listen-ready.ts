/** The output of `svc listen` when it is ready. */
import type { WebhookWithSecret } from '../../contract/resources.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';

/** The ready line without its type: the first endpoint, which is usually the only one, and all endpoints. */
export function toListenReady(endpoints: readonly WebhookWithSecret[]) {
  const [first] = endpoints;
  return {
    webhook_id: first?.id,
    webhook_secret: first?.secret,
    url: first?.url,
    workspace_id: first?.workspace_id,
    webhooks: endpoints.map(({ id, url, events, secret }) => ({ id, url, events, secret })),
  };
}

/** One line. The secret is first, because the end of the line can be truncated. */
export function renderHeading(endpoints: readonly WebhookWithSecret[]): string {
  const targets = endpoints.map(
    ({ url, events }) => url + (events.includes(WILDCARD_SUBSCRIPTION) ? '' : ` (${events.join(', ')})`),
  );
  return `Ready. Secret ${listSecrets(endpoints).join(', ')} for ${targets.join(', ')}`;
}

/** Usually one: endpoints registered together share a secret, except reused ones. */
export function listSecrets(endpoints: readonly WebhookWithSecret[]): string[] {
  return [...new Set(endpoints.map(({ secret }) => secret))];
}
