/** The mistakes that receivers make when they compute a digest, each as a change of the correct HMAC input. */
import { createHmac } from 'node:crypto';
import { getApiKeyEnvironment, SECRET_PREFIX } from '../credentials.ts';
import { formatCount } from '../message-parts.ts';
import { describeDifference, listJsonVariants } from './body-variants.ts';
import type { digestOnlyReasons } from './refusals.ts';
import { type SignatureAlgorithm, type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { decodeSecret, type SignableMessage } from './sign.ts';
import { formatTimestamp, parseTimestamp } from './signature-header.ts';
import type { NamedSecret } from './verify-input.ts';

export type DigestMistakeReason =
  | (typeof digestOnlyReasons)[number]
  | 'timestamp_changed'
  | 'body_changed'
  | 'wrong_secret'
  | 'api_key_as_secret'
  | 'signature_mismatch';

/** From what a receiver computes a digest. */
export interface MistakeInput {
  readonly scheme: SignatureScheme;
  /** What was sent: the text of the timestamp header and the body. */
  readonly message: SignableMessage & { readonly body: string };
  /** The correct secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Wrong secrets that the receiver may have used. */
  readonly otherSecrets: readonly NamedSecret[];
  /** The body that the receiver used, if it is known. */
  readonly receivedBody?: Uint8Array | undefined;
}

export interface DigestInput extends MistakeInput {
  /** The digest as the receiver computed it, with or without the prefix of the signature header. */
  readonly computedDigest: string;
  /** Digests in the signature header of the attempt. */
  readonly sentDigests: readonly string[];
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
  /** A clause that completes "The receiver made one mistake: …", on its own or in a list of two. */
  readonly description: string;
  readonly remedy: string;
  readonly changedInput: Partial<HmacInput>;
}

/** Above this size only single mistakes are tried. For a body of this size, trying all pairs takes a few hundred milliseconds. */
export const MAX_PAIRED_BYTES = 64 * 1024;

export function arePairsTried({ message }: MistakeInput): boolean {
  return Buffer.byteLength(message.body) <= MAX_PAIRED_BYTES;
}

export function toHmacInput({ scheme, message }: MistakeInput, secret: string): HmacInput {
  const { algorithm, content: contentTemplate } = scheme;
  return {
    ...message,
    secret,
    algorithm,
    contentTemplate,
    decodeSecret: (text) => decodeSecret(scheme, text),
  };
}

export function computeHmac(input: HmacInput): Buffer {
  const { secret, algorithm, contentTemplate, id, timestamp, body } = input;
  const parts = new Map<string, string | Uint8Array>([
    ['{id}', id],
    ['{timestamp}', timestamp],
    ['{body}', body],
  ]);
  const hmac = createHmac(algorithm, input.decodeSecret(secret));
  for (const piece of contentTemplate.split(/(\{\w+\})/)) hmac.update(parts.get(piece) ?? piece);
  return hmac.digest();
}

/** The known mistakes, a list for each kind. */
export function listMistakes(input: MistakeInput): (readonly DigestMistake[])[] {
  return [
    listTimestampMistakes(input),
    listContentMistakes(input),
    listKeyMistakes(input),
    listSecretMistakes(input),
    listAlgorithmMistakes(input),
    listBodyMistakes(input),
  ];
}

/** Yields the combinations to try: none, each single mistake, each pair of different kinds. */
export function* combineMistakes(input: MistakeInput): Generator<readonly DigestMistake[]> {
  yield [];
  const kinds = listMistakes(input);
  for (const mistake of kinds.flat()) yield [mistake];
  if (!arePairsTried(input)) return;
  for (const [index, kind] of kinds.entries()) {
    for (const first of kind) for (const second of kinds.slice(index + 1).flat()) yield [first, second];
  }
}

type InputChange = readonly [description: string, changedInput: Partial<HmacInput>];

/** One mistake for each change, all with the same reason and remedy. */
function createMistakes(
  reason: DigestMistakeReason,
  remedy: string,
  changes: readonly InputChange[],
): DigestMistake[] {
  return changes.map(([description, changedInput]) => ({ reason, description, remedy, changedInput }));
}

function listTimestampMistakes({ scheme, message: { timestamp } }: MistakeInput): DigestMistake[] {
  const ms = parseTimestamp(timestamp);
  if (ms === null || !scheme.content.includes('{timestamp}')) return [];
  const forms: readonly (readonly [name: string, text: string])[] = [
    ['in seconds since 1970', formatTimestamp('unix', ms)],
    ['in milliseconds since 1970', formatTimestamp('unix_ms', ms)],
    ['in ISO 8601 without milliseconds', formatTimestamp('iso8601', ms)],
    ['in ISO 8601 with milliseconds', new Date(ms).toISOString()],
    ['in ISO 8601 with an offset', formatTimestamp('iso8601', ms).replace('Z', '+00:00')],
  ];
  const changes = forms
    .filter(([, text]) => text !== timestamp)
    .map(
      ([name, text]): InputChange => [
        `the timestamp was ${name} (${text}), but its header is ${timestamp}`,
        { timestamp: text },
      ],
    );
  return createMistakes('timestamp_changed', 'Use the value of the timestamp header as it arrived.', changes);
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

function listContentMistakes({ scheme: { content } }: MistakeInput): DigestMistake[] {
  const changes = commonTemplates
    .filter((contentTemplate) => contentTemplate !== content)
    .map(
      (contentTemplate): InputChange => [
        `the signed string was ${JSON.stringify(contentTemplate)} instead of ${JSON.stringify(content)}`,
        { contentTemplate },
      ],
    );
  const remedy = `Compute the HMAC over ${content}, with the header values as they arrived and the raw body.`;
  return createMistakes('content_changed', remedy, changes);
}

function removePrefix(secret: string): string {
  return secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
}

type KeyDecoder = readonly [
  description: string,
  /** The form of the key for which this is correct. */
  correctForm: SignatureScheme['key']['form'] | null,
  decodeSecret: HmacInput['decodeSecret'],
];

const keyDecoders: readonly KeyDecoder[] = [
  ['the secret as text, with its prefix', 'utf8', (secret) => secret],
  ['the secret without whsec_', null, removePrefix],
  ['the base64-decoded secret without whsec_', 'base64', (text) => Buffer.from(removePrefix(text), 'base64')],
  ['the base64-decoded secret with whsec_', null, (text) => Buffer.from(text, 'base64')],
  ['the hex-decoded secret without whsec_', 'hex', (text) => Buffer.from(removePrefix(text), 'hex')],
];

function listKeyMistakes({ scheme: { key } }: MistakeInput): DigestMistake[] {
  const correctKey =
    key.form === 'utf8' ? 'the whole secret as text' : `the ${key.form}-decoded secret without ${key.prefix}`;
  const changes = keyDecoders
    .filter(([, correctForm]) => correctForm !== key.form)
    .map(([description, , decodeSecret]): InputChange => [`the key was ${description}`, { decodeSecret }]);
  return createMistakes('key_changed', `Use ${correctKey} as the key.`, changes);
}

function listSecretMistakes({ secrets, otherSecrets }: MistakeInput): DigestMistake[] {
  const remedy = 'Use the current secret of the endpoint.';
  const otherMistakes = otherSecrets
    .filter(({ secret }) => !secrets.includes(secret))
    .flatMap(({ name, secret }) =>
      getApiKeyEnvironment(secret) === null
        ? createMistakes('wrong_secret', remedy, [[`the secret was ${name}`, { secret }]])
        : createMistakes('api_key_as_secret', remedy, [['the secret was an API key', { secret }]]),
    );
  const variants = secrets.flatMap((secret): InputChange[] => [
    ['the secret was in double quotes', { secret: `"${secret}"` }],
    ['the secret was in single quotes', { secret: `'${secret}'` }],
    ['the secret ended with a line break', { secret: `${secret}\n` }],
    ['the secret ended with a space', { secret: `${secret} ` }],
    ['the secret was empty: an unset environment variable is the usual cause', { secret: '' }],
    [
      'the secret was the text "undefined": an unset environment variable is the usual cause',
      { secret: 'undefined' },
    ],
  ]);
  return [...otherMistakes, ...createMistakes('wrong_secret', remedy, variants)];
}

function listAlgorithmMistakes({ scheme }: MistakeInput): DigestMistake[] {
  const changes = signatureAlgorithms
    .filter((algorithm) => algorithm !== scheme.algorithm)
    .map(
      (algorithm): InputChange => [`the hash was ${algorithm} instead of ${scheme.algorithm}`, { algorithm }],
    );
  return createMistakes('algorithm_changed', `Compute the HMAC with ${scheme.algorithm}.`, changes);
}

function listBodyMistakes({ message: { body: sent }, receivedBody }: MistakeInput): DigestMistake[] {
  const sentBytes = Buffer.from(sent);
  const receivedBytes = Buffer.from(receivedBody ?? sentBytes);
  const bodies: (readonly [description: string, body: string | Uint8Array])[] = [
    ...Array.from(
      listJsonVariants(sent),
      (body) => ['the body was parsed and serialized again', body] as const,
    ),
    ...listBodyParts(sent).map(([name, body]) => [`only ${name} was signed`, body] as const),
    ['the body was empty', ''],
    ['the body was an object that was converted to the text [object Object]', '[object Object]'],
    ['a line break was added to the body', `${sent}\n`],
    ['the UTF-8 body was read as Latin-1', Buffer.from(sentBytes.toString('latin1'))],
    ['the body was encoded in base64', sentBytes.toString('base64')],
    [`the body was changed: ${describeDifference(sent, receivedBytes)}`, receivedBytes],
  ];
  const changes = bodies
    .filter(([, body]) => !sentBytes.equals(Buffer.from(body)))
    .map(
      ([description, body]): InputChange => [
        `${description} (${formatCount(Buffer.byteLength(body), 'byte')} instead of ${sentBytes.length})`,
        { body },
      ],
    );
  return createMistakes(
    'body_changed',
    'Compute the digest over the bytes of the request body as they arrived, before any parser touches them.',
    changes,
  );
}

/** `data` and `data.payload` of an envelope, serialized. */
function listBodyParts(body: string): (readonly [name: string, text: string])[] {
  try {
    // Object(…), because JSON can be a value without fields, such as null.
    const { data } = Object(JSON.parse(body));
    const { payload } = Object(data);
    const parts: readonly (readonly [string, unknown])[] = [
      ['data', data],
      ['data.payload', payload],
    ];
    return parts.filter(([, part]) => part !== undefined).map(([name, part]) => [name, JSON.stringify(part)]);
  } catch {
    return [];
  }
}
