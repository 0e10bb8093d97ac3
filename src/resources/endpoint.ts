/**
 * An endpoint: a URL that receives the deliveries of a workspace (§2); `/v1` calls it a webhook. Its columns, the inputs that create
 * and change it, the options of commands, the seed and the documents follow from this table. The form of the page has an input for each field.
 */
import * as v from 'valibot';
import { ANY_EVENT_TYPE_PATTERN, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import {
  defineFields,
  pickPublic,
  pickSettable,
  toRequestFields,
  toResponseFields,
} from './define-resource.ts';
import { described, ExtraHeaders, idOf, resource, Timestamp, Url } from './values.ts';

const Subscription = v.pipe(
  v.string(),
  v.metadata({ jsonSchema: { pattern: `^\\*$|${ANY_EVENT_TYPE_PATTERN.source}` } }),
  v.examples(['order.shipped']),
);

export const endpointTable = defineFields({
  id: {
    schema: idOf('webhook'),
    label: 'ID',
    summary: 'ID of the endpoint',
    column: {},
  },
  workspace_id: {
    schema: idOf('workspace'),
    label: 'Workspace',
    summary: 'ID of the workspace that the endpoint belongs to',
  },
  url: {
    schema: Url,
    label: 'URL',
    settable: true,
    summary: 'URL that deliveries are sent to',
    option: '--url <url>',
    optionSummary: 'Port or URL to deliver to, such as 3000 or localhost:3000/hooks',
    column: { canTruncate: true },
    show: (url: string) => [url],
  },
  events: {
    schema: v.pipe(v.array(Subscription), v.metadata({ jsonSchema: { uniqueItems: true } })),
    label: 'Events',
    settable: true,
    initial: [WILDCARD_SUBSCRIPTION] as string[],
    summary: 'Event types that the endpoint receives',
    detail: '`*` matches all event types',
    option: '-e, --events <list>',
    optionSummary: 'Event types to subscribe to, separated by commas, or * for all',
    column: { hideOrder: 2, canTruncate: true },
    show: (events: readonly string[]) => [
      events.map((type) => (type === WILDCARD_SUBSCRIPTION ? '* (every type)' : type)).join(', '),
    ],
  },
  headers: {
    schema: ExtraHeaders,
    label: 'Headers',
    settable: true,
    controlOnly: true,
    initial: {} as Record<string, string>,
    summary: 'Additional headers of each delivery',
    example: {},
    option: '-H, --headers <header>',
    optionSummary: "Header to add to each delivery, as 'Name: value'; repeatable",
    show: (headers: Readonly<Record<string, string>>) =>
      Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  },
  skip_verify: {
    schema: v.boolean(),
    label: 'TLS',
    settable: true,
    controlOnly: true,
    initial: false as boolean,
    summary: 'Whether the TLS certificate of the receiver is not verified',
    option: '--skip-verify',
    optionSummary: 'Skip verification of the TLS certificate of the receiver',
    show: (isSkipped: boolean) => (isSkipped ? ['certificate not verified'] : []),
  },
  disabled: {
    schema: v.boolean(),
    label: 'State',
    settable: true,
    controlOnly: true,
    initial: false as boolean,
    summary: 'Whether the endpoint is disabled',
    detail:
      'While it is disabled, its pending deliveries are paused, and new events create no deliveries for it',
    option: '--disable',
    optionSummary: 'Pause pending deliveries and create no new ones',
    column: {},
    show: (isDisabled: boolean) => (isDisabled ? ['disabled'] : []),
  },
  created_at: {
    schema: Timestamp,
    label: 'Created',
    summary: 'Time at which the endpoint was created',
    column: { hideOrder: 1 },
  },
  listener: {
    schema: v.boolean(),
    label: 'Temporary',
    controlOnly: true,
    summary: 'Whether the endpoint is temporary',
    detail:
      'A temporary endpoint is removed ten seconds after the last live stream that lists its ID in the `listener` parameter ends',
  },
  previous_secret_expires_at: {
    schema: v.nullable(Timestamp),
    label: 'Previous secret expires',
    controlOnly: true,
    summary: 'Schedule time until which deliveries are signed with both the current and the previous secret',
    detail:
      'Can be in the past. `null` if the secret was never rotated, or was last rotated without an overlap',
  },
});

const settingTable = pickSettable(endpointTable);
const publicTable = pickPublic(endpointTable);

export const newEndpointFields = toRequestFields(settingTable);
/** The fields of a request to `POST /v1/webhooks`, without the workspace. */
export const publicEndpointFields = toRequestFields(pickPublic(settingTable));
export const endpointSettings = toResponseFields(settingTable);
export const endpointChangeFields = v.partial(v.object(endpointSettings)).entries;

type Values = v.InferOutput<v.ObjectSchema<typeof endpointSettings, undefined>>;
export type EndpointSettings = { readonly [Name in keyof Values]: Readonly<Values[Name]> };
export type EndpointChange = { readonly [Name in keyof Values]?: Readonly<Values[Name]> | undefined };

const { url: _required, ...defaults } = v.getDefaults(v.object(newEndpointFields));
export const endpointDefaults = defaults;

/** The lines that describe each setting that is given, by its label. */
export function describeEndpoint(endpoint: EndpointChange): Readonly<Record<string, readonly string[]>> {
  const lines = Object.entries(settingTable).map(([name, { label, show }]) => {
    const value = endpoint[name as keyof EndpointSettings];
    return [label, value === undefined ? [] : show(value as never)];
  });
  return Object.fromEntries(lines);
}

const secretField = {
  secret: described({ summary: 'Secret that deliveries are signed with' }, v.string()),
};

export const Webhook = resource(
  'A webhook endpoint: a URL that receives events.',
  toResponseFields(publicTable),
);
export type Webhook = v.InferOutput<typeof Webhook>;

/** Only the response to `POST /v1/webhooks` contains the secret (§2). */
export const CreatedWebhook = resource('A new endpoint with its secret.', {
  ...Webhook.entries,
  secret: described(
    {
      summary: 'Secret that deliveries are signed with',
      detail: 'It is returned only when the endpoint is created',
    },
    v.string(),
  ),
});
export type CreatedWebhook = v.InferOutput<typeof CreatedWebhook>;

export const WebhookDetail = resource(
  'A webhook endpoint, including settings that `/v1` does not support.',
  toResponseFields(endpointTable),
);
export type WebhookDetail = v.InferOutput<typeof WebhookDetail>;

export const WebhookWithSecret = resource('An endpoint with its secret.', {
  ...WebhookDetail.entries,
  ...secretField,
});
export type WebhookWithSecret = v.InferOutput<typeof WebhookWithSecret>;

export const RegisteredWebhook = resource('An endpoint that was registered, with its secret.', {
  ...WebhookWithSecret.entries,
  shared: described(
    {
      summary: 'Present if it is a temporary endpoint that a live stream holds already',
      detail: 'The client of that stream deletes it',
    },
    v.optional(v.literal(true)),
  ),
});
export type RegisteredWebhook = v.InferOutput<typeof RegisteredWebhook>;

export const WebhookSecrets = resource('The secrets of an endpoint.', {
  ...secretField,
  previous_secret: described(
    {
      summary: 'Secret that the last rotation replaced, even if it has expired',
      detail: '`null` if the secret was never rotated',
    },
    v.nullable(v.string()),
  ),
});
