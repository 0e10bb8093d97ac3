/** The built-in signature schemes, and the check of those that users define. */

import { isSchemeHeaderName } from '../domain/delivery-headers.ts';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import { type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { formatSignatureHeader, getDigestLength, parseSignatureHeader } from './signature-header.ts';

/** Standard Webhooks, whose header names differ between senders. */
const standardWebhooks = {
  algorithm: 'sha256',
  key: { form: 'base64', prefix: 'whsec_' },
  content: '{id}.{timestamp}.{body}',
  encoding: 'base64',
  header: { prefix: 'v1,', separator: ' ', timestampField: null },
  timestampFormat: 'unix',
} as const satisfies Partial<SignatureScheme>;

/** The built-in schemes: that of the service (gaps `signature.*`), and those of common webhook senders. */
export const schemes = {
  svc: {
    name: 'svc',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{timestamp}.{body}',
    encoding: 'hex',
    header: { prefix: 'v1=', separator: ',', timestampField: null },
    headers: { signature: 'Service-Signature', timestamp: 'Service-Timestamp', id: 'Service-Delivery-Id' },
    timestampFormat: 'iso8601',
  },
  'standard-webhooks': {
    name: 'standard-webhooks',
    ...standardWebhooks,
    headers: { signature: 'Webhook-Signature', timestamp: 'Webhook-Timestamp', id: 'Webhook-Id' },
  },
  stripe: {
    name: 'stripe',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{timestamp}.{body}',
    encoding: 'hex',
    header: { prefix: 'v1=', separator: ',', timestampField: 't' },
    headers: { signature: 'Stripe-Signature', timestamp: null, id: null },
    timestampFormat: 'unix',
  },
  github: {
    name: 'github',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{body}',
    encoding: 'hex',
    header: { prefix: 'sha256=', separator: null, timestampField: null },
    headers: { signature: 'X-Hub-Signature-256', timestamp: null, id: 'X-GitHub-Delivery' },
    timestampFormat: 'unix',
  },
  slack: {
    name: 'slack',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: 'v0:{timestamp}:{body}',
    encoding: 'hex',
    header: { prefix: 'v0=', separator: null, timestampField: null },
    headers: { signature: 'X-Slack-Signature', timestamp: 'X-Slack-Request-Timestamp', id: null },
    timestampFormat: 'unix',
  },
  shopify: {
    name: 'shopify',
    algorithm: 'sha256',
    key: { form: 'utf8' },
    content: '{body}',
    encoding: 'base64',
    header: { prefix: '', separator: null, timestampField: null },
    headers: { signature: 'X-Shopify-Hmac-Sha256', timestamp: null, id: 'X-Shopify-Webhook-Id' },
    timestampFormat: 'unix',
  },
  svix: {
    name: 'svix',
    ...standardWebhooks,
    headers: { signature: 'Svix-Signature', timestamp: 'Svix-Timestamp', id: 'Svix-Id' },
  },
} as const satisfies Record<string, SignatureScheme>;

export type SchemeName = keyof typeof schemes;
export const schemeNames = Object.keys(schemes) as readonly SchemeName[];

/** The built-in scheme with this name, or the given scheme object; null for anything else. */
export function findScheme(nameOrScheme: unknown): SignatureScheme | null {
  if (typeof nameOrScheme === 'string')
    return Object.hasOwn(schemes, nameOrScheme) ? schemes[nameOrScheme as SchemeName] : null;
  return findSchemeProblem(nameOrScheme) === null ? (nameOrScheme as SignatureScheme) : null;
}

/** As {@link findScheme}. @throws SvcError `validation_failed` for anything else */
export function getScheme(nameOrScheme: unknown): SignatureScheme {
  const scheme = findScheme(nameOrScheme);
  if (scheme !== null) return scheme;
  const problem = typeof nameOrScheme === 'object' ? findSchemeProblem(nameOrScheme) : null;
  throw new SvcError(
    'validation_failed',
    problem === null
      ? `Signature scheme ${JSON.stringify(nameOrScheme)} does not exist.`
      : `The field ${problem.path} of the signature scheme must be ${problem.expected}.`,
    {
      hint: `${problem === null ? 'Use' : 'Correct the scheme, or use'} a built-in scheme: ${schemeNames.join(', ')}`,
    },
  );
}

/** Whether deliveries of the scheme have a timestamp, so that their age must be checked. */
export function hasTimestamp({ header, headers }: SignatureScheme): boolean {
  return headers.timestamp !== null || header.timestampField !== null;
}

/** The key in a secret, for messages. */
export function describeKey({ form, prefix = '' }: SignatureScheme['key']): string {
  if (form === 'utf8') return prefix === '' ? 'the text of the whole secret' : `the secret without ${prefix}`;
  return prefix === '' ? `the whole secret, ${form}-decoded` : `the ${form}-decoded secret without ${prefix}`;
}

export type SchemeProblem = NonNullable<ReturnType<typeof findSchemeProblem>>;

/**
 * The first problem that keeps a value from being a scheme that can sign and verify; null if there is none. `path` says where it is,
 * such as `headers.signature`, and `expected` completes the sentence "it must be …".
 */
export function findSchemeProblem(value: unknown) {
  const brokenRule = rules.find(
    ([path, , isValid]) => !isValid(getField(value, path), value as SignatureScheme),
  );
  if (brokenRule === undefined) return null;
  const [path, expected] = brokenRule;
  return { path, expected, value: getField(value, path) };
}

/**
 * Whether a template for the signed content is valid. It must contain the body: without it, a signature would be valid
 * for every body.
 */
export function isContentTemplate(content: unknown): content is string {
  if (typeof content !== 'string') return false;
  const placeholders: readonly string[] = content.match(/\{[^{}]*\}/g) ?? [];
  return placeholders.includes('{body}') && placeholders.every((name) => PLACEHOLDERS.includes(name));
}

export const CONTENT_TEMPLATE_DESCRIPTION =
  'a string that contains {body} and no placeholders other than {id}, {timestamp} and {body}';
const PLACEHOLDERS: readonly string[] = ['{id}', '{timestamp}', '{body}'];

type Rule = readonly [
  path: string,
  expected: string,
  /** The scheme has the type of one only if the rules before are kept. */
  isValid: (value: unknown, scheme: SignatureScheme) => boolean,
];

const HEADER_NAME = 'the name of a header that svc does not set itself';

/** Rules for single fields, and then for the scheme as a whole. */
const rules: readonly Rule[] = [
  ['name', 'a string that is not empty', (name) => typeof name === 'string' && name !== ''],
  createChoiceRule('algorithm', signatureAlgorithms),
  ['key', 'an object', isObject],
  createChoiceRule('key.form', ['utf8', 'base64', 'hex']),
  ['key.prefix', 'the text before the encoded key, or ""', isKeyPrefix],
  ['content', CONTENT_TEMPLATE_DESCRIPTION, isContentTemplate],
  createChoiceRule('encoding', ['hex', 'base64']),
  ['header', 'an object', isObject],
  ['header.prefix', 'the text before each signature, or ""', isHeaderText],
  [
    'header.separator',
    'the text between two signatures, or null',
    allowNull((text) => text !== '' && isHeaderText(text)),
  ],
  ['header.timestampField', 'the name of the timestamp in the signature header, or null', allowNull(isWord)],
  ['headers', 'an object', isObject],
  ['headers.signature', HEADER_NAME, isSchemeHeaderName],
  ['headers.timestamp', `${HEADER_NAME}, or null`, allowNull(isSchemeHeaderName)],
  ['headers.id', `${HEADER_NAME}, or null`, allowNull(isSchemeHeaderName)],
  createChoiceRule('timestampFormat', ['iso8601', 'unix', 'unix_ms']),
  [
    'headers.timestamp',
    'a header name, because the signed content includes {timestamp}',
    (_, scheme) => !scheme.content.includes('{timestamp}') || hasTimestamp(scheme),
  ],
  [
    'headers.id',
    'a header name, because the signed content includes {id}',
    (_, { content, headers }) => !content.includes('{id}') || headers.id !== null,
  ],
  ['headers', 'different names', (_, { headers }) => hasDistinctNames(headers)],
  [
    'header',
    'a prefix and a separator with which the signature header can be parsed',
    (_, scheme) => canParseOwnHeader(scheme),
  ],
];

function hasDistinctNames(headers: SignatureScheme['headers']): boolean {
  const names = Object.values(headers).filter((name) => name !== null);
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

const SAMPLE_TIMESTAMPS = { iso8601: '2026-11-20T23:06:00Z', unix: '1795215960', unix_ms: '1795215960000' };
const ALPHABETS = {
  hex: '0123456789abcdef',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
};

/** Whether the scheme can parse the header that it writes, with each character of a digest. */
function canParseOwnHeader(scheme: SignatureScheme): boolean {
  const { encoding, header, timestampFormat } = scheme;
  const samples = Array.from(ALPHABETS[encoding], (character) => character.repeat(getDigestLength(scheme)));
  const digests = header.separator === null ? samples.slice(0, 1) : samples;
  const timestamp = SAMPLE_TIMESTAMPS[timestampFormat];
  const parsed = parseSignatureHeader(scheme, formatSignatureHeader(scheme, timestamp, digests));
  return (
    parsed.digests.join() === digests.join() &&
    parsed.timestamp === (header.timestampField === null ? null : timestamp)
  );
}

function createChoiceRule(path: string, choices: readonly unknown[]): Rule {
  const quoted = choices.map((choice) => JSON.stringify(choice));
  return [path, `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, (value) => choices.includes(value)];
}

function allowNull(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || isValid(value);
}

function isKeyPrefix(prefix: unknown, scheme: unknown): boolean {
  if (prefix === undefined) return getField(scheme, 'key.form') === 'utf8';
  return typeof prefix === 'string' && /^[\x21-\x7e]*$/.test(prefix);
}

function isHeaderText(text: unknown): boolean {
  return typeof text === 'string' && /^[\x20-\x7e]*$/.test(text);
}

function isWord(text: unknown): boolean {
  return typeof text === 'string' && /^\w+$/.test(text);
}

function getField(value: unknown, path: string): unknown {
  // Object(…), because plain JavaScript can pass any value, including null.
  return path.split('.').reduce((parent, name) => Object(parent)[name], value);
}
