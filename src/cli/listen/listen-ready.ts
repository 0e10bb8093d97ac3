/** What a listener says once whatever happens is forwarded. */
import type { WebhookWithSecret } from '../../contract/resources.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';

/** The ready line without its type: the first endpoint, which is mostly the only one, and all of them. */
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

/** One line, the secret first: it must be seen whole where a line is cut. */
export function renderHeading(endpoints: readonly WebhookWithSecret[]): string {
  const places = endpoints.map(
    ({ url, events }) => url + (events.includes(WILDCARD_SUBSCRIPTION) ? '' : ` (${events.join(', ')})`),
  );
  return `Ready. Secret ${listSecrets(endpoints).join(', ')} for ${places.join(', ')}`;
}

/** Mostly one: endpoints that are registered together have the same, but for those that were known with another. */
export function listSecrets(endpoints: readonly WebhookWithSecret[]): string[] {
  return [...new Set(endpoints.map(({ secret }) => secret))];
}
