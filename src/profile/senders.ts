/** The senders of webhooks that an emulator can be: everything that differs in what they deliver. `/v1` stays that of the service. */
import type { AttemptOutcome } from '../domain/delivery.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { ANY_EVENT_TYPE_PATTERN, EVENT_TYPE_PATTERN } from '../domain/event.ts';
import { getTextAtPath, parsePath } from '../domain/json-path.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { getScheme, type SchemeName, schemes } from '../signature/schemes.ts';

export interface WebhookSender {
  readonly name: string;
  /** Of the sender `svc`, the gaps `signature.*` change it. */
  readonly scheme: SignatureScheme;
  /** What is sent: the envelope of the event (§2), or only its payload, byte for byte. */
  readonly body: 'envelope' | 'payload';
  /**
   * Headers of each delivery, in addition to those of the scheme, with the values of {@link placeholders}. The first attempt omits a
   * header with `{retry}` or `{retry_reason}`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the event's ID in the body (default: only a header of the scheme contains it, or none does). */
  readonly eventIdPath?: string | undefined;
  /** The path of the event's type in the body (default: only headers contain it, or none does). */
  readonly eventTypePath?: string | undefined;
  /** Whether a body can have more than 100 KB, the default limit of Express: the documentation says so, or the sender is your own. */
  readonly hasLargeBodies?: true;
  /** Matches its event types, such as the example. */
  readonly types: RegExp;
  readonly example: string;
  /** Delays of its retries in milliseconds; null for the gap `retry.schedule`. */
  readonly retryDelaysMs: readonly number[] | null;
  /** The page that describes its deliveries. */
  readonly source: string | null;
}

/** What the headers of a sender can contain. */
export interface AttemptValues {
  /** The ID of the delivery. */
  readonly id: string;
  /** That of the signature. */
  readonly timestamp: string;
  readonly type: string;
  readonly attempt: number;
  /** How the attempt before ended, if it is known. Not called for the first. */
  lastOutcome?(): AttemptOutcome | undefined;
}

/** The values in the headers of a sender, by the names of their placeholders. */
const headerValues = {
  id: ({ id }) => id,
  timestamp: ({ timestamp }) => timestamp,
  type: ({ type }) => type,
  /** The type up to its first dot. */
  noun: ({ type }) => type.split('.')[0] ?? '',
  attempt: ({ attempt }) => String(attempt),
  retry: ({ attempt }) => String(attempt - 1),
  retry_reason({ lastOutcome }) {
    const outcome = lastOutcome?.();
    return (outcome && retryReasons[outcome]) ?? 'unknown_error';
  },
} satisfies Record<string, (values: AttemptValues) => string>;

type Placeholder = keyof typeof headerValues;
export const placeholders = Object.keys(headerValues) as readonly Placeholder[];

/** Why an attempt follows another, in the words of https://docs.slack.dev/apis/events-api. */
const retryReasons: Partial<Record<AttemptOutcome, string>> = {
  http_error: 'http_error',
  timeout: 'http_timeout',
  connection_error: 'connection_failed',
  dns_error: 'connection_failed',
  tls_error: 'ssl_error',
  blocked: 'connection_failed',
};

export function fillHeaders({ headers }: WebhookSender, values: AttemptValues): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    if (values.attempt === 1 && template.includes('{retry')) continue;
    filled[name] = template.replace(/\{(\w+)\}/g, (_, placeholder: Placeholder) =>
      headerValues[placeholder](values),
    );
  }
  return filled;
}

/** How receivers find the ID of an event, by which they recognize duplicates: a path in the body or a header; null if there is none. */
export function getIdLocation(sender: WebhookSender): string | null {
  return sender.eventIdPath ?? getIdHeader(sender);
}

/** The header with the ID of a delivery; null if there is none. */
export function getIdHeader({ scheme, headers }: WebhookSender): string | null {
  return scheme.headers.id ?? Object.keys(headers).find((name) => headers[name] === '{id}') ?? null;
}

/** The event ID in a body; null if the sender does not put it there. @param body valid JSON */
export function findEventId({ eventIdPath }: WebhookSender, body: string): string | null {
  return eventIdPath === undefined ? null : findText(body, eventIdPath);
}

function findText(body: string, path: string): string | null {
  const text = getTextAtPath(body, parsePath(path));
  return text === undefined ? null : String(JSON.parse(text));
}

/**
 * The event type that a delivery shows in its body or in a header; null if it shows none.
 * @param body valid JSON
 * @param received the headers, with names in lower case
 */
export function findEventType(
  { eventTypePath, headers }: WebhookSender,
  body: string,
  received: Readonly<Record<string, unknown>>,
): string | null {
  if (eventTypePath !== undefined) return findText(body, eventTypePath);
  const header = Object.keys(headers).find((name) => /^\{(?:type|noun)\}$/.test(headers[name] ?? ''));
  const type = header === undefined ? undefined : received[header.toLowerCase()];
  return type === undefined ? null : String(type);
}

const envelopeFields = { eventIdPath: 'data.id', eventTypePath: 'type' } as const;

export const senders = {
  svc: {
    name: 'svc',
    scheme: schemes.svc,
    body: 'envelope',
    headers: {},
    ...envelopeFields,
    hasLargeBodies: true,
    types: EVENT_TYPE_PATTERN,
    example: 'order.shipped',
    retryDelaysMs: null,
    source: null,
  },
  stripe: {
    name: 'stripe',
    scheme: schemes.stripe,
    body: 'payload',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    },
    eventIdPath: 'id',
    eventTypePath: 'type',
    types: /^[a-z]\w*(?:\.\w+)+$/,
    example: 'payment_intent.succeeded',
    // Up to three days with exponential backoff. The times are not published; retry.schedule is similar.
    retryDelaysMs: null,
    source: 'https://docs.stripe.com/webhooks',
  },
  github: {
    name: 'github',
    scheme: schemes.github,
    body: 'payload',
    headers: {
      'User-Agent': 'GitHub-Hookshot/svc',
      'X-GitHub-Event': '{noun}',
      'X-GitHub-Hook-ID': '1',
    },
    // At most 25 MB.
    hasLargeBodies: true,
    // The part behind the dot is the field `action` of the payload.
    types: /^[a-z]\w*(?:\.\w+)?$/,
    example: 'issues.opened',
    // A failed delivery is not repeated.
    retryDelaysMs: [],
    source: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
  },
  slack: {
    name: 'slack',
    scheme: schemes.slack,
    body: 'payload',
    headers: { 'X-Slack-Retry-Num': '{retry}', 'X-Slack-Retry-Reason': '{retry_reason}' },
    eventIdPath: 'event_id',
    eventTypePath: 'event.type',
    types: /^[a-z]\w*(?:\.\w+)*$/,
    example: 'app_mention',
    // The first retry follows almost at once.
    retryDelaysMs: [SECOND_MS, MINUTE_MS, 5 * MINUTE_MS],
    source: 'https://docs.slack.dev/apis/events-api',
  },
  shopify: {
    name: 'shopify',
    scheme: schemes.shopify,
    body: 'payload',
    headers: {
      'X-Shopify-Topic': '{type}',
      'X-Shopify-Shop-Domain': 'example.myshopify.com',
      'X-Shopify-API-Version': '2026-10',
    },
    types: /^[a-z]\w*(?:\/\w+)+$/,
    example: 'orders/create',
    // Eight retries in four hours with exponential backoff. The times are not published.
    retryDelaysMs: [1, 2, 4, 8, 16, 32, 64, 113].map((minutes) => minutes * MINUTE_MS),
    source: 'https://shopify.dev/docs/apps/build/webhooks',
  },
  'standard-webhooks': {
    name: 'standard-webhooks',
    scheme: schemes['standard-webhooks'],
    body: 'payload',
    headers: {},
    eventTypePath: 'type',
    types: /^\w+(?:\.\w+)*$/,
    example: 'user.created',
    retryDelaysMs: [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
    ],
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  },
  svix: {
    name: 'svix',
    scheme: schemes.svix,
    body: 'payload',
    headers: {},
    eventTypePath: 'type',
    types: /^[\w-]+(?:\.[\w-]+)*$/,
    example: 'invoice.paid',
    retryDelaysMs: [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      10 * HOUR_MS,
    ],
    source: 'https://docs.svix.com/retries',
  },
} as const satisfies Record<string, WebhookSender>;

export type SenderName = keyof typeof senders;
export const senderNames = Object.keys(senders) as readonly SenderName[];

/** What a sender of your own omits. */
export const customSenderDefaults = {
  body: 'payload',
  headers: {},
  hasLargeBodies: true,
  types: ANY_EVENT_TYPE_PATTERN,
  example: 'order.shipped',
  retryDelaysMs: null,
  source: null,
} as const satisfies Partial<WebhookSender>;

export interface CustomSender extends Partial<Omit<WebhookSender, 'scheme'>> {
  /** The name of a built-in scheme, or a scheme. */
  readonly scheme: SchemeName | SignatureScheme;
}

/** @throws SvcError `validation_failed` for a name that does not exist, or an invalid scheme */
export function getSender(sender: SenderName | CustomSender): WebhookSender {
  if (typeof sender !== 'string') {
    const fields = { ...customSenderDefaults, name: 'custom', ...sender, scheme: getScheme(sender.scheme) };
    return fields.body === 'envelope' ? { ...fields, ...envelopeFields } : fields;
  }
  if (Object.hasOwn(senders, sender)) return senders[sender];
  throw new SvcError('validation_failed', `Sender ${JSON.stringify(sender)} does not exist.`, {
    hint: `Use a built-in sender: ${senderNames.join(', ')}`,
  });
}
