/** The options of the settings of an endpoint. */
import { type WebhookSettings, webhookSettings } from '../contract/webhook-settings.ts';
import { createFieldOptions, type FieldOptions } from './field-option.ts';
import { parseHeaders, parseSubscriptions, parseWebhookUrl } from './option-parsers.ts';

export function createWebhookOptions(): FieldOptions<WebhookSettings> {
  return createFieldOptions(webhookSettings, {
    url: {
      flags: '--url <url>',
      description: 'Port or URL to deliver to, such as 3000 or localhost:3000/hooks',
      parse: parseWebhookUrl,
    },
    events: {
      flags: '-e, --events <list>',
      description: 'Event types to subscribe to, separated by commas, or * for all',
      parse: parseSubscriptions,
    },
    headers: {
      flags: '-H, --headers <header>',
      description: "Header to add to each delivery, as 'Name: value'; repeatable",
      parse: parseHeaders,
    },
    skip_verify: {
      flags: '--skip-verify',
      description: 'Skip verification of the TLS certificate of the receiver',
    },
    disabled: { flags: '--disable', description: 'Pause pending deliveries and create no new ones' },
  });
}
