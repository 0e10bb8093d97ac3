/** The mistakes that receivers make when they compute a digest, each as a change of the correct HMAC input. */
import { createHmac } from 'node:crypto';
import { getApiKeyEnvironment, SECRET_PREFIX } from '../credentials.ts';
import { formatCount } from '../format-count.ts';
import { describeDifference, listJsonVariants } from './body-variants.ts';
import type { digestOnlyReasons } from './refusals.ts';
import { type SignatureAlgorithm, type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { decodeSecret, type SignedMessage } from './sign.ts';
import { formatTimestamp, parseTimestamp } from './signature-header.ts';
import type { NamedSecret } from './verify-input.ts';

export type DigestMistakeReason =
  | (typeof digestOnlyReasons)[number]
  | 'timestamp_changed'
  | 'body_changed'
  | 'wrong_secret'
  | 'api_key_as_secret'
  | 'signature_mismatch';

export interface DigestInput {
  readonly scheme: SignatureScheme;
  /** The digest as the receiver computed it, with or without the prefix of the signature header. */
  readonly computedDigest: string;
  /** What was sent: the text of the timestamp header and the body. */
  readonly message: SignedMessage & { readonly body: string };
  /** Digests in the signature header of the attempt. */
  readonly sentDigests: readonly string[];
  /** The correct secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Wrong secrets that the receiver may have used. */
  readonly otherSecrets: readonly NamedSecret[];
  /** The body that the receiver used, if it is known. */
  readonly receivedBody?: Uint8Array | undefined;
}

/** The input of the HMAC, with the template from which the signed content is built. */
export interface HmacInput {
  readonly secret: string;
  readonly decodeSecret: (secret: string) => string | Uint8Array;
  readonly algorithm: SignatureAlgorithm;
  readonly contentTemplate: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

export interface DigestMistake {
  readonly reason: DigestMistakeReason;
  /** A clause that completes "The receiver made one mistake: …", also in a list of two. */
  readonly description: string;
  readonly remedy: string;
  readonly changedInput: Partial<HmacInput>;
}

/** Above this size only single mistakes are tried, so that the search takes less than 100 ms. */
const MAX_PAIRED_BYTES = 64 * 1024;

export function toHmacInput({ scheme, message }: DigestInput, secret: string): HmacInput {
  const { algorithm, content: contentTemplate } = scheme;
  return {
    ...message,
    secret,
    algorithm,
    contentTemplate,
    decodeSecret: (text) => decodeSecret(scheme, text),
  };
}

export function computeHmac({
  secret,
  decodeSecret,
  algorithm,
  contentTemplate,
  id,
  timestamp,
  body,
}: HmacInput): Buffer {
  const hmac = createHmac(algorithm, decodeSecret(secret));
  for (const piece of contentTemplate.split(/(\{(?:id|timestamp|body)\})/)) {
    hmac.update(
      piece === '{id}' ? id : piece === '{timestamp}' ? timestamp : piece === '{body}' ? body : piece,
    );
  }
  return hmac.digest();
}

/** Yields the combinations to try: none, each single mistake, each pair of different kinds. */
export function* combineMistakes(input: DigestInput): Generator<readonly DigestMistake[]> {
  yield [];
  const kinds = [
    listTimestampMistakes(input),
    listContentMistakes(input),
    listKeyMistakes(input),
    listSecretMistakes(input),
    listAlgorithmMistakes(input),
    listBodyMistakes(input),
  ].map((kind) => [...kind]);
  for (const mistake of kinds.flat()) yield [mistake];
  if (Buffer.byteLength(input.message.body) > MAX_PAIRED_BYTES) return;
  for (const [index, kind] of kinds.entries()) {
    for (const first of kind) for (const second of kinds.slice(index + 1).flat()) yield [first, second];
  }
}

function* listTimestampMistakes({ scheme, message: { timestamp } }: DigestInput): Generator<DigestMistake> {
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
      changedInput: { timestamp: text },
    };
  }
}

/** Templates of the service, of other services, and of common misreadings. */
const commonTemplates = [
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

function* listContentMistakes({ scheme }: DigestInput): Generator<DigestMistake> {
  for (const contentTemplate of commonTemplates.filter((template) => template !== scheme.content)) {
    yield {
      reason: 'content_changed',
      description: `the signed string was ${JSON.stringify(contentTemplate)} instead of ${JSON.stringify(scheme.content)}`,
      remedy: `Sign ${scheme.content}, with the text of the headers and the raw body.`,
      changedInput: { contentTemplate },
    };
  }
}

interface KeyDecoder {
  readonly description: string;
  readonly decode: HmacInput['decodeSecret'];
  /** The form of the key for which this is correct. */
  readonly correctFor?: SignatureScheme['key']['form'];
}

function* listKeyMistakes({ scheme: { key } }: DigestInput): Generator<DigestMistake> {
  const withoutPrefix = (secret: string) =>
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const decoders: readonly KeyDecoder[] = [
    { description: 'the secret as text, with its prefix', decode: (secret) => secret, correctFor: 'utf8' },
    { description: 'the secret without whsec_', decode: withoutPrefix },
    {
      description: 'the base64-decoded secret without whsec_',
      decode: (secret) => Buffer.from(withoutPrefix(secret), 'base64'),
      correctFor: 'base64',
    },
    {
      description: 'the base64-decoded secret with whsec_',
      decode: (secret) => Buffer.from(secret, 'base64'),
    },
    {
      description: 'the hex-decoded secret without whsec_',
      decode: (secret) => Buffer.from(withoutPrefix(secret), 'hex'),
      correctFor: 'hex',
    },
  ];
  const correctKey =
    key.form === 'utf8' ? 'the whole secret as text' : `the ${key.form}-decoded secret without ${key.prefix}`;
  for (const { description, decode, correctFor } of decoders) {
    if (correctFor === key.form) continue;
    yield {
      reason: 'key_changed',
      description: `the key was ${description}`,
      remedy: `Use ${correctKey} as the key.`,
      changedInput: { decodeSecret: decode },
    };
  }
}

function* listSecretMistakes({ secrets, otherSecrets }: DigestInput): Generator<DigestMistake> {
  const remedy = 'Use the secret that was shown when the endpoint was created.';
  for (const { name, secret } of otherSecrets) {
    if (secrets.includes(secret)) continue;
    const isApiKey = getApiKeyEnvironment(secret) !== null;
    yield {
      reason: isApiKey ? 'api_key_as_secret' : 'wrong_secret',
      description: isApiKey ? 'the secret was an API key' : `the secret was ${name}`,
      remedy,
      changedInput: { secret },
    };
  }
  for (const secret of secrets) {
    const variants: readonly (readonly [description: string, secret: string])[] = [
      ['was in double quotes', `"${secret}"`],
      ['was in single quotes', `'${secret}'`],
      ['ended with a line break', `${secret}\n`],
      ['ended with a space', `${secret} `],
      ['was empty: an unset environment variable is the usual cause', ''],
      ['was the text "undefined": an unset environment variable is the usual cause', 'undefined'],
    ];
    for (const [description, variant] of variants) {
      yield {
        reason: 'wrong_secret',
        description: `the secret ${description}`,
        remedy,
        changedInput: { secret: variant },
      };
    }
  }
}

function* listAlgorithmMistakes({ scheme }: DigestInput): Generator<DigestMistake> {
  for (const algorithm of signatureAlgorithms.filter((candidate) => candidate !== scheme.algorithm)) {
    yield {
      reason: 'algorithm_changed',
      description: `the hash was ${algorithm} instead of ${scheme.algorithm}`,
      remedy: `Compute the HMAC with ${scheme.algorithm}.`,
      changedInput: { algorithm },
    };
  }
}

function* listBodyMistakes({ message: { body: sent }, receivedBody }: DigestInput): Generator<DigestMistake> {
  const remedy =
    'Compute the digest over the bytes of the request body as they arrived, before any parser touches them.';
  const createMistake = (description: string, body: HmacInput['body']): DigestMistake => ({
    reason: 'body_changed',
    description: `${description} (${formatCount(Buffer.byteLength(body), 'byte')} instead of ${Buffer.byteLength(sent)})`,
    remedy,
    changedInput: { body },
  });
  for (const body of listJsonVariants(sent)) {
    if (body !== sent) yield createMistake('the body was parsed and serialized again', body);
  }
  for (const [name, body] of listBodyParts(sent)) yield createMistake(`only ${name} was signed`, body);
  yield createMistake('the body was empty', '');
  yield createMistake(
    'the body was an object that was converted to the text [object Object]',
    '[object Object]',
  );
  yield createMistake('a line break was added to the body', `${sent}\n`);
  yield createMistake(
    'the UTF-8 of the body was read as Latin-1',
    Buffer.from(Buffer.from(sent).toString('latin1')),
  );
  yield createMistake('the body was encoded in base64', Buffer.from(sent).toString('base64'));
  if (receivedBody !== undefined) {
    const receivedBytes = Buffer.from(receivedBody);
    if (!receivedBytes.equals(Buffer.from(sent)))
      yield createMistake(`the body was changed: ${describeDifference(sent, receivedBytes)}`, receivedBytes);
  }
}

/** `data` and `data.payload` of an envelope, serialized. */
function listBodyParts(body: string): (readonly [name: string, text: string])[] {
  try {
    // Object(…), because JSON can be a value without fields, such as null.
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
