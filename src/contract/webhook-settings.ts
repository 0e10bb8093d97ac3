/**
 * The settings of an endpoint: one entry for each, with its description and default, and one with its label. Its column, the inputs
 * that create and change an endpoint, the resources and the seed follow from them.
 */
import * as v from 'valibot';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { described, ExtraHeaders, SUBSCRIPTION_PATTERN, toSettings, Url } from './fields.ts';

const Subscription = v.pipe(
  v.string(),
  v.metadata({ jsonSchema: { pattern: SUBSCRIPTION_PATTERN } }),
  v.examples(['order.shipped']),
);

/** The fields of an endpoint that `/v1` has. */
export const publicWebhookFields = {
  url: described('URL that deliveries are sent to.', Url),
  events: v.optional(
    described(
      'Event types that the endpoint receives. `*` matches all event types.',
      v.pipe(v.array(Subscription), v.metadata({ jsonSchema: { uniqueItems: true } })),
    ),
    [WILDCARD_SUBSCRIPTION] as string[],
  ),
};

/** The fields that create an endpoint. */
export const newWebhookFields = {
  ...publicWebhookFields,
  headers: v.optional(described('Additional headers of each delivery.', ExtraHeaders, {}), {}),
  skip_verify: v.optional(
    described('Whether the TLS certificate of the receiver is not verified.', v.boolean()),
    false,
  ),
  disabled: v.optional(
    described(
      'Whether the endpoint is disabled. While it is disabled, its pending deliveries are paused, and new events create no deliveries for it.',
      v.boolean(),
    ),
    false,
  ),
};

/** The fields of the resource. */
export const webhookSettings = toSettings(newWebhookFields);
/** The fields of the resource in `/v1`. */
export const publicWebhookSettings = toSettings(publicWebhookFields);
/** The fields that change an endpoint. */
export const webhookChangeFields = v.partial(v.object(webhookSettings)).entries;

type Values = v.InferOutput<v.ObjectSchema<typeof webhookSettings, undefined>>;
export type WebhookSettings = { readonly [Name in keyof Values]: Readonly<Values[Name]> };
export type WebhookChange = { readonly [Name in keyof Values]?: Readonly<Values[Name]> | undefined };

const { url: _required, ...defaults } = v.getDefaults(v.object(newWebhookFields));
/** The values of the settings that are not required. */
export const webhookDefaults = defaults;

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
  const lines = Object.entries(descriptions).map(([name, [label, describe]]) => {
    const value = webhook[name as keyof WebhookSettings];
    return [label, value === undefined ? [] : describe(value as never)];
  });
  return Object.fromEntries(lines);
}

/** The event types of an endpoint: `order.shipped, invoice.paid`, `* (every type)` */
function describeSubscriptions(events: readonly string[]): string {
  return events.map((type) => (type === WILDCARD_SUBSCRIPTION ? '* (every type)' : type)).join(', ');
}

/** The field of endpoints that are removed automatically. */
export const listenerField = described(
  'Whether the endpoint is temporary. A temporary endpoint is removed ten seconds after the last live stream that lists its ID in the `listener` parameter ends.',
  v.boolean(),
);
