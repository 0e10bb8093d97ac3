/**
 * The settings of an endpoint: one entry for each, with its description and default. Its column, the inputs that create and change
 * an endpoint, the resource and the seed follow from the entry.
 */
import * as v from 'valibot';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { described, ExtraHeaders, SUBSCRIPTION_PATTERN, Url } from './fields.ts';

const Subscription = v.pipe(
  v.string(),
  v.metadata({ jsonSchema: { pattern: SUBSCRIPTION_PATTERN } }),
  v.examples(['order.shipped']),
);

/** The fields that create an endpoint. */
export const newWebhookFields = {
  url: described('URL that deliveries are sent to.', Url),
  events: v.optional(
    described(
      'Event types that the endpoint receives. `*` matches all event types.',
      v.pipe(v.array(Subscription), v.metadata({ jsonSchema: { uniqueItems: true } })),
    ),
    [WILDCARD_SUBSCRIPTION] as string[],
  ),
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

type Entries = typeof newWebhookFields;
type Value<Schema> = Schema extends v.OptionalSchema<infer Wrapped, unknown> ? Wrapped : Schema;

/** The fields of the resource. */
export const webhookSettings = mapEntries((schema) => schema) as {
  [Name in keyof Entries]: Value<Entries[Name]>;
};
/** The fields that change an endpoint. */
export const webhookChangeFields = mapEntries((schema) => v.optional(schema)) as {
  [Name in keyof Entries]: v.OptionalSchema<Value<Entries[Name]>, undefined>;
};

/** @param toEntry gets a schema without its default */
function mapEntries(toEntry: (schema: v.GenericSchema) => v.GenericSchema): unknown {
  const entries = Object.entries(newWebhookFields);
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, toEntry('wrapped' in schema ? schema.wrapped : schema)]),
  );
}

type Values = v.InferOutput<v.ObjectSchema<typeof webhookSettings, undefined>>;
export type WebhookSettings = { readonly [Name in keyof Values]: Readonly<Values[Name]> };
export type WebhookChange = { readonly [Name in keyof Values]?: Readonly<Values[Name]> | undefined };

const { url: _required, ...defaults } = v.getDefaults(v.object(newWebhookFields));
/** The values of the settings that are not required. */
export const webhookDefaults = defaults;

/** The field of endpoints that are removed automatically. */
export const listenerField = described(
  'Whether the endpoint is temporary. A temporary endpoint is removed ten seconds after the last live stream that lists its ID in the `listener` parameter ends.',
  v.boolean(),
);
