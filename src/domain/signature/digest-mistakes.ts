/** The mistakes that receivers make when they compute a digest, each as a change of the correct HMAC input. */
import { createHmac } from 'node:crypto';
import { describeDifference, jsonVariants } from './body-variants.ts';
import type { SignedMessage } from './digest.ts';
import type { digestMistakes } from './refusals.ts';
import { type SignatureAlgorithm, type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';
import type { NamedSecret } from './verify-input.ts';

export type DigestReason =
  | (typeof digestMistakes)[number]
  | 'timestamp_changed'
  | 'body_changed'
  | 'wrong_secret'
  | 'api_key_as_secret'
  | 'signature_mismatch';

export interface DigestInput {
  readonly scheme: SignatureScheme;
  /** The digest as the receiver computed it, with or without the prefix of the signature header. */
  readonly computed: string;
  /** What was sent: the text of the timestamp header and the body. */
  readonly message: SignedMessage & { readonly body: string };
  /** Digests in the signature header of the attempt. */
  readonly sentDigests: readonly string[];
  /** The correct secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Wrong secrets that the receiver may have used. */
  readonly otherSecrets: readonly NamedSecret[];
  /** The body that the receiver used, if known. */
  readonly payload?: Uint8Array | undefined;
}

/** Everything that determines a digest. */
export interface HmacInput {
  readonly secret: string;
  readonly toKey: (secret: string) => string | Uint8Array;
  readonly algorithm: SignatureAlgorithm;
  readonly content: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

export interface DigestMistake {
  readonly reason: DigestReason;
  /** The end of the sentence "The receiver made one mistake: …". */
  readonly description: string;
  readonly remedy: string;
  readonly change: Partial<HmacInput>;
}

/** Larger bodies are tried with one mistake only, so that the search takes less than 100 ms. */
const MAX_PAIRED_BYTES = 64 * 1024;
const API_KEY = /^svc_(?:test|live)_/;
const SECRET_PREFIX = /^whsec_/;

export function toHmacInput({ scheme, message }: DigestInput, secret: string): HmacInput {
  const { algorithm, content } = scheme;
  return { ...message, secret, algorithm, content, toKey: keyForm(scheme.key) };
}

function keyForm(key: SignatureScheme['key']): HmacInput['toKey'] {
  if (key.form === 'utf8') return (secret) => secret;
  return (secret) =>
    Buffer.from(secret.startsWith(key.prefix) ? secret.slice(key.prefix.length) : secret, key.form);
}

export function computeHmac({ secret, toKey, algorithm, content, id, timestamp, body }: HmacInput): Buffer {
  const hmac = createHmac(algorithm, toKey(secret));
  for (const piece of content.split(/(\{(?:id|timestamp|body)\})/)) {
    hmac.update(
      piece === '{id}' ? id : piece === '{timestamp}' ? timestamp : piece === '{body}' ? body : piece,
    );
  }
  return hmac.digest();
}

/** No mistake, then each single mistake, then each pair of different kinds. */
export function* combineMistakes(input: DigestInput): Generator<readonly DigestMistake[]> {
  yield [];
  const kinds = [
    timestampMistakes(input),
    contentMistakes(input),
    keyMistakes(input),
    secretMistakes(input),
    algorithmMistakes(input),
    bodyMistakes(input),
  ].map((kind) => [...kind]);
  for (const mistake of kinds.flat()) yield [mistake];
  if (Buffer.byteLength(input.message.body) > MAX_PAIRED_BYTES) return;
  for (const [index, kind] of kinds.entries()) {
    for (const one of kind) for (const other of kinds.slice(index + 1).flat()) yield [one, other];
  }
}

function* timestampMistakes({ scheme, message: { timestamp } }: DigestInput): Generator<DigestMistake> {
  const at = parseTimestamp(timestamp);
  if (at === null || !scheme.content.includes('{timestamp}')) return;
  const forms: readonly (readonly [name: string, text: string])[] = [
    ['in seconds since 1970', formatTimestamp('unix', at)],
    ['in milliseconds since 1970', formatTimestamp('unix_ms', at)],
    ['in ISO 8601 without milliseconds', formatTimestamp('iso8601', at)],
    ['in ISO 8601 with milliseconds', new Date(at).toISOString()],
    ['in ISO 8601 with an offset', formatTimestamp('iso8601', at).replace('Z', '+00:00')],
  ];
  for (const [name, text] of forms.filter(([, text]) => text !== timestamp)) {
    yield {
      reason: 'timestamp_changed',
      description: `the timestamp was ${name} (${text}), but its header is ${timestamp}`,
      remedy: 'Use the text of the timestamp header as it arrived.',
      change: { timestamp: text },
    };
  }
}

const contents = [
  '{timestamp}{body}',
  '{body}',
  '{timestamp}.{body}',
  '{id}.{timestamp}.{body}',
  '{timestamp}:{body}',
  'v0:{timestamp}:{body}',
  '{timestamp}\n{body}',
  '{timestamp} {body}',
  '{timestamp},{body}',
  '{body}.{timestamp}',
  '{body}{timestamp}',
  '{id}.{body}',
  '{timestamp}.',
  '{timestamp}',
];

function* contentMistakes({ scheme }: DigestInput): Generator<DigestMistake> {
  for (const content of contents.filter((each) => each !== scheme.content)) {
    yield {
      reason: 'content_changed',
      description: `the signed string was ${JSON.stringify(content)} instead of ${JSON.stringify(scheme.content)}`,
      remedy: `Sign ${scheme.content}, with the text of the headers and the raw body.`,
      change: { content },
    };
  }
}

function* keyMistakes({ scheme: { key } }: DigestInput): Generator<DigestMistake> {
  const cut = (secret: string) => secret.replace(SECRET_PREFIX, '');
  const forms: readonly (readonly [what: string, toKey: HmacInput['toKey']])[] = [
    ['the secret as text, with its prefix', (secret) => secret],
    ['the secret without whsec_', cut],
    ['the base64-decoded secret without whsec_', (secret) => Buffer.from(cut(secret), 'base64')],
    ['the base64-decoded secret with whsec_', (secret) => Buffer.from(secret, 'base64')],
    ['the hex-decoded secret without whsec_', (secret) => Buffer.from(cut(secret), 'hex')],
  ];
  const wanted =
    key.form === 'utf8' ? 'the whole secret as text' : `the ${key.form}-decoded secret without ${key.prefix}`;
  const right = key.form === 'utf8' ? 0 : key.form === 'base64' ? 2 : 4;
  for (const [index, [what, toKey]] of forms.entries()) {
    if (index === right) continue;
    yield {
      reason: 'key_changed',
      description: `the key was ${what}`,
      remedy: `Use ${wanted} as the key.`,
      change: { toKey },
    };
  }
}

function* secretMistakes({ secrets, otherSecrets }: DigestInput): Generator<DigestMistake> {
  const remedy = 'Use the secret that was shown when the endpoint was created.';
  for (const { name, secret } of otherSecrets) {
    if (secrets.includes(secret)) continue;
    const isApiKey = API_KEY.test(secret);
    yield {
      reason: isApiKey ? 'api_key_as_secret' : 'wrong_secret',
      description: isApiKey ? 'the secret was an API key' : `the secret was ${name}`,
      ...{ remedy, change: { secret } },
    };
  }
  for (const secret of secrets) {
    const slips: readonly (readonly [what: string, secret: string])[] = [
      ['was in double quotes', `"${secret}"`],
      ['was in single quotes', `'${secret}'`],
      ['ended with a line break', `${secret}\n`],
      ['ended with a space', `${secret} `],
      ['was empty: an unset environment variable is the usual cause', ''],
      ['was the text "undefined": an unset environment variable is the usual cause', 'undefined'],
    ];
    for (const [what, slip] of slips) {
      yield { reason: 'wrong_secret', description: `the secret ${what}`, remedy, change: { secret: slip } };
    }
  }
}

function* algorithmMistakes({ scheme }: DigestInput): Generator<DigestMistake> {
  for (const algorithm of signatureAlgorithms.filter((each) => each !== scheme.algorithm)) {
    yield {
      reason: 'algorithm_changed',
      description: `the hash was ${algorithm} instead of ${scheme.algorithm}`,
      remedy: `Compute the HMAC with ${scheme.algorithm}.`,
      change: { algorithm },
    };
  }
}

function* bodyMistakes({ message: { body: sent }, payload }: DigestInput): Generator<DigestMistake> {
  const remedy =
    'Compute the digest over the bytes of the request body as they arrived, before any parser touches them.';
  const make = (what: string, body: HmacInput['body']): DigestMistake => ({
    ...{ reason: 'body_changed', remedy, change: { body } },
    description: `${what} (${Buffer.byteLength(body)} bytes instead of ${Buffer.byteLength(sent)})`,
  });
  for (const body of jsonVariants(sent)) {
    if (body !== sent) yield make('the body was parsed and serialized again', body);
  }
  for (const [name, body] of bodyParts(sent)) yield make(`only ${name} was signed`, body);
  yield make('the body was empty', '');
  yield make('the body was an object that was converted to the text [object Object]', '[object Object]');
  yield make('a line break was added to the body', `${sent}\n`);
  yield make('the UTF-8 of the body was read as Latin-1', Buffer.from(Buffer.from(sent).toString('latin1')));
  yield make('the body was encoded in base64', Buffer.from(sent).toString('base64'));
  if (payload !== undefined) {
    const text = Buffer.from(payload);
    if (!text.equals(Buffer.from(sent)))
      yield make(`the body was changed: ${describeDifference(sent, text)}`, text);
  }
}

/** `data` and `data.payload` of an envelope, serialized. */
function bodyParts(body: string): (readonly [name: string, text: string])[] {
  try {
    const { data } = Object(JSON.parse(body));
    const parts: readonly (readonly [string, unknown])[] = [
      ['data', data],
      ['data.payload', Object(data).payload],
    ];
    return parts
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, JSON.stringify(value)]);
  } catch {
    return [];
  }
}
