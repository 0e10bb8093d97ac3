/** The senders of webhooks that an emulator can be: everything that differs in what they deliver. `/v1` stays that of the service. */
import type { AttemptOutcome } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { ANY_EVENT_TYPE_PATTERN, EVENT_TYPE_PATTERN } from '../domain/event.ts';
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
  readonly source?: string | undefined;
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

export const placeholders = Object.keys(headerValues).map((name) => `{${name}}`);

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
    filled[name] = template.replace(/\{(\w+)\}/g, (_, placeholder: keyof typeof headerValues) =>
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

/** The text of a field of a body, such as `data.id`; null if the body or the sender has none. @param json the parsed body */
export function findField(json: unknown, path: string | undefined): string | null {
  const value = path?.split('.').reduce<unknown>((parent, name) => Object(parent)[name], json);
  return value === undefined || value === null ? null : String(value);
}

/**
 * The event type that a delivery shows in its body or in a header; null if it shows none.
 * @param json the parsed body
 * @param received the headers, with names in lower case
 */
export function findEventType(
  { eventTypePath, headers }: WebhookSender,
  json: unknown,
  received: Readonly<Record<string, unknown>>,
): string | null {
  if (eventTypePath !== undefined) return findField(json, eventTypePath);
  const header = Object.keys(headers).find((name) => /^\{(?:type|noun)\}$/.test(headers[name] ?? ''));
  const type = header && received[header.toLowerCase()];
  return type === undefined ? null : String(type);
}

const envelopeFields = { eventIdPath: 'data.id', eventTypePath: 'type' } as const;

/** What a sender omits. */
export const senderDefaults = {
  body: 'payload',
  headers: {},
  types: ANY_EVENT_TYPE_PATTERN,
  example: 'order.shipped',
  retryDelaysMs: null,
} as const satisfies Partial<WebhookSender>;

function parseDelays(text: string): number[] {
  return text.split(' ').map((delay) => {
    const ms = parseDuration(delay);
    if (ms === null) throw new Error(`${delay} is not a duration`);
    return ms;
  });
}

/** The built-in senders. Each has the scheme of its name. */
const rows = {
  svc: { body: 'envelope', ...envelopeFields, hasLargeBodies: true, types: EVENT_TYPE_PATTERN },
  // It retries for up to three days with exponential backoff. The times are not published; retry.schedule is similar.
  stripe: {
    source: 'https://docs.stripe.com/webhooks',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    },
    eventIdPath: 'id',
    eventTypePath: 'type',
    types: /^[a-z]\w*(?:\.\w+)+$/,
    example: 'payment_intent.succeeded',
  },
  github: {
    source: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
    headers: { 'User-Agent': 'GitHub-Hookshot/svc', 'X-GitHub-Event': '{noun}', 'X-GitHub-Hook-ID': '1' },
    // At most 25 MB.
    hasLargeBodies: true,
    // The part behind the dot is the field `action` of the payload.
    types: /^[a-z]\w*(?:\.\w+)?$/,
    example: 'issues.opened',
    // A failed delivery is not repeated.
    retryDelaysMs: [],
  },
  slack: {
    source: 'https://docs.slack.dev/apis/events-api',
    headers: { 'X-Slack-Retry-Num': '{retry}', 'X-Slack-Retry-Reason': '{retry_reason}' },
    eventIdPath: 'event_id',
    eventTypePath: 'event.type',
    types: /^[a-z]\w*(?:\.\w+)*$/,
    example: 'app_mention',
    // The first retry follows almost at once.
    retryDelaysMs: parseDelays('1s 1m 5m'),
  },
  shopify: {
    source: 'https://shopify.dev/docs/apps/build/webhooks',
    headers: {
      'X-Shopify-Topic': '{type}',
      'X-Shopify-Shop-Domain': 'example.myshopify.com',
      'X-Shopify-API-Version': '2026-10',
    },
    types: /^[a-z]\w*(?:\/\w+)+$/,
    example: 'orders/create',
    // Eight retries in four hours with exponential backoff. The times are not published.
    retryDelaysMs: parseDelays('1m 2m 4m 8m 16m 32m 64m 113m'),
  },
  'standard-webhooks': {
    source: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    eventTypePath: 'type',
    types: /^\w+(?:\.\w+)*$/,
    example: 'user.created',
    retryDelaysMs: parseDelays('5s 5m 30m 2h 5h 10h 14h 20h 24h'),
  },
  svix: {
    source: 'https://docs.svix.com/retries',
    eventTypePath: 'type',
    types: /^[\w-]+(?:\.[\w-]+)*$/,
    example: 'invoice.paid',
    retryDelaysMs: parseDelays('5s 5m 30m 2h 5h 10h 10h'),
  },
} as const satisfies Record<SchemeName, Partial<WebhookSender>>;

export type SenderName = keyof typeof rows;
export const senderNames = Object.keys(rows) as readonly SenderName[];

export const senders = Object.fromEntries(
  senderNames.map((name) => [name, { ...senderDefaults, name, scheme: schemes[name], ...rows[name] }]),
) as Readonly<Record<SenderName, WebhookSender>>;

export interface CustomSender extends Partial<Omit<WebhookSender, 'scheme'>> {
  /** The name of a built-in scheme, or a scheme. */
  readonly scheme: SchemeName | SignatureScheme;
}

/** @throws SvcError `validation_failed` for an invalid scheme */
export function getSender(sender: SenderName | CustomSender): WebhookSender {
  if (typeof sender === 'string') return senders[sender];
  const name = 'custom';
  const fields = {
    ...senderDefaults,
    name,
    hasLargeBodies: true as const,
    ...sender,
    scheme: getScheme(sender.scheme),
  };
  return fields.body === 'envelope' ? { ...fields, ...envelopeFields } : fields;
}
