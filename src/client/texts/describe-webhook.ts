/** Describes the settings of endpoints for people. */
import type { WebhookChange, WebhookSettings } from '../../contract/webhook-settings.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';

/** The label of each setting, and the lines that describe its value. */
const descriptions: {
  readonly [Name in keyof WebhookSettings]: readonly [
    label: string,
    describe: (value: WebhookSettings[Name]) => readonly string[],
  ];
} = {
  url: ['URL', (url) => [url]],
  events: ['Events', (events) => [describeSubscriptions(events)]],
  headers: ['Headers', (headers) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)],
  skip_verify: ['TLS', (isSkipped) => (isSkipped ? ['certificate not verified'] : [])],
  disabled: ['State', (isDisabled) => (isDisabled ? ['disabled'] : [])],
};

/** The lines that describe each setting, by its label. */
export function describeWebhook(webhook: WebhookChange): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(descriptions) as [
    keyof WebhookSettings,
    readonly [label: string, describe: (value: unknown) => readonly string[]],
  ][];
  return Object.fromEntries(
    entries.map(([name, [label, describe]]) => {
      const value = webhook[name];
      return [label, value === undefined ? [] : describe(value)];
    }),
  );
}

/** The event types of an endpoint: `order.shipped, invoice.paid`, `* (every type)` */
function describeSubscriptions(events: readonly string[]): string {
  return events.map((type) => (type === WILDCARD_SUBSCRIPTION ? '* (every type)' : type)).join(', ');
}
