/**
 * The mistakes that receivers make with signatures. A mistake changes one part of the signature: what is read as the body, the
 * timestamp or the secret, how the secret becomes a key, what is signed, with which function, and how the digest is written. Each
 * row says how the mistake is made, its sentence, and what to do. `find-mistakes.ts` combines two of them.
 */
import { createHash, createHmac } from 'node:crypto';
import { getApiKeyEnvironment, SECRET_PREFIX } from '../domain/credentials.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference, listChangedBodies } from './body-changes.ts';
import {
  type DigestForm,
  describeCorrectForm,
  describeForm,
  describePrefix,
  digestForms,
  getDigestForm,
} from './digest-forms.ts';
import { type MistakeReason, USE_RAW_BODY } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
import { describeKey, hasTimestamp, schemes } from './schemes.ts';
import { decodeSecret, isUsableSecret, type SignableMessage } from './sign.ts';
import {
  formatOffset,
  HOUR_MS,
  listCurrentTimes,
  listTimestampForms,
  wrongTimestamps,
  zoneOffsets,
} from './timestamp-forms.ts';
import type { NamedSecret } from './verify-input.ts';
import { type SecretMistake, secretCorrections, secretMistakes } from './wrong-secrets.ts';

/** The signature in which mistakes are made. */
export interface MistakeInput {
  readonly scheme: SignatureScheme;
  /** What was sent: the text of the timestamp header and the body. */
  readonly message: SignableMessage;
  /** The correct secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Wrong secrets that the receiver may have used. */
  readonly otherSecrets: readonly NamedSecret[];
  /** Those of which there can be hundreds: a probe tries them last. */
  readonly rareSecrets?: readonly NamedSecret[];
  /** The body that the receiver used, or of a received message the one that was sent, if it is known. */
  readonly otherBody?: string | Uint8Array | null | undefined;
  /** Whether the message and the secrets are what a receiver has, instead of what was sent. */
  readonly isReceived?: boolean;
  /** When the receiver computed its digest, in milliseconds since 1970. */
  readonly receivedAt?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

type Bytes = string | Uint8Array;
type ComputeDigest = (content: Bytes, key: Bytes) => Buffer;

/** What a mistake changes. */
export interface SignatureChange {
  readonly scheme?: Partial<SignatureScheme>;
  readonly secret?: string;
  readonly body?: Bytes;
  /** The timestamp that is signed, made from the one that is sent. */
  readonly timestamp?: (sent: string) => string;
  /** Instead of the HMAC. */
  readonly compute?: ComputeDigest;
  /** How the digest is written, if not in the encoding of the scheme. */
  readonly form?: DigestForm;
  /** The time that is sent, made from the current time, in milliseconds since 1970. */
  readonly sentTime?: (now: number) => number;
  /** Everything is that of another scheme. */
  readonly otherScheme?: SignatureScheme;
  /** The name of another header that has the signature. */
  readonly signatureHeader?: string;
}

/** A way to make a mistake. */
export interface Mistake {
  /** The part of the signature that is changed. */
  readonly part:
    | 'secret'
    | 'timestamp'
    | 'content'
    | 'key'
    | 'algorithm'
    | 'body'
    | (typeof sentParts)[number];
  readonly reason: MistakeReason;
  /** A clause that completes "The receiver makes one mistake: …", on its own or in a list of two. */
  readonly description: string;
  readonly remedy: string;
  readonly change: SignatureChange;
}

/** The parts that do not change the digest, only how it is written and sent. */
const sentParts = ['encoding', 'prefix', 'header'] as const;

export function isOnlySent({ part }: Pick<Mistake, 'part'>): boolean {
  return sentParts.some((name) => name === part);
}

/** A change with the clause that describes it, and what to do if that is not what the kind says. */
type Change = readonly [description: string, change: SignatureChange, remedy?: string | undefined];

interface MistakeKind extends Pick<Mistake, 'part' | 'reason'> {
  readonly remedy: string | ((scheme: SignatureScheme) => string);
  /** The ways to make the mistake, the more common ones first. */
  readonly make: (input: MistakeInput) => Iterable<Change>;
  /** How many mistakes of other kinds are more likely than the first of this kind. */
  readonly rank?: number;
}

/** Templates of the service, of other services, and of common misreadings. */
const commonTemplates = new Set([
  ...['{body}', '{timestamp}{body}', '{timestamp}.{body}', '{body}.{timestamp}', '{timestamp}:{body}'],
  ...['{id}.{timestamp}.{body}', '{body}{timestamp}', 'v0:{timestamp}:{body}'],
  ...['\n', ' ', ',', '|', '-', '_', ';', '\\n'].map((separator) => `{timestamp}${separator}{body}`),
  ...['{id}.{body}', '{timestamp}', '.{body}', ':{body}', 't={timestamp}.{body}', 't={timestamp},{body}'],
  ...['v1.{timestamp}.{body}', 'v1:{timestamp}:{body}', '{timestamp}.{id}.{body}', '{id}{timestamp}{body}'],
  ...['{id}{body}', '{body}{id}', '{id}', '{body}{body}', '{timestamp}.{body}.', '{timestamp}. {body}'],
]);

const commonKeys: readonly SignatureScheme['key'][] = [
  { form: 'utf8', prefix: '' },
  { form: 'utf8', prefix: SECRET_PREFIX },
  { form: 'base64', prefix: SECRET_PREFIX },
  { form: 'base64', prefix: '' },
  { form: 'hex', prefix: SECRET_PREFIX },
];

const timestampFormats = {
  iso8601: 'ISO 8601 in UTC',
  unix: 'seconds since 1970',
  unix_ms: 'milliseconds since 1970',
} as const satisfies Record<SignatureScheme['timestampFormat'], string>;

export const hmac =
  (algorithm: string): ComputeDigest =>
  (content, key) =>
    createHmac(algorithm, key).update(content).digest();
const hash = (algorithm: string, ...pieces: readonly Bytes[]) => {
  const computed = createHash(algorithm);
  for (const piece of pieces) computed.update(piece);
  return computed.digest();
};

/** Header names of other services, and names that receivers make up. */
const signatureHeaders = [
  ...['X-Signature', 'X-Webhook-Signature', 'Signature', 'Webhook-Signature', 'X-Service-Signature'],
  ...['X-Hub-Signature-256', 'X-Signature-256', 'Stripe-Signature', 'Svix-Signature', 'X-Hub-Signature'],
];

const USE_HEADER =
  'Use the value of the timestamp header as it arrived. Converting it changes the signed string.';
const USE_UNCHANGED =
  'Use the endpoint secret unchanged. If the setting is correct, look for code that changes it.';
export const USE_ENDPOINT_SECRET =
  'Use the current secret of the endpoint (whsec_…), not the API key, and restart the receiver.';

/** @param list the ends of "the timestamp was …", each with the text that is signed instead */
const timestampKind = (
  remedy: MistakeKind['remedy'],
  list: (input: MistakeInput) => readonly (readonly [clause: string, timestamp: string])[],
): MistakeKind => ({
  part: 'timestamp',
  reason: 'timestamp_changed',
  remedy,
  make: (input) =>
    list(input).map(([clause, text]) => [`the timestamp was ${clause}`, { timestamp: () => text }]),
});

const changeSecrets = (secrets: readonly string[], mistakes: readonly SecretMistake[]): Change[] =>
  mistakes.flatMap(([description, apply, remedy]) =>
    secrets.flatMap(apply).map((secret): Change => [`the secret ${description}`, { secret }, remedy]),
  );

const MIXED_UNITS: Change = [
  'the age of the timestamp mixes seconds and milliseconds, so every delivery is outside the tolerance',
  { sentTime: (now) => now / 1000 },
  'Compute the age from two times in the same unit: both in milliseconds, or both in seconds.',
];

/** The kinds of mistakes. Each row of a kind is less likely than the row before. */
const kinds: readonly MistakeKind[] = [
  {
    part: 'body',
    reason: 'body_changed',
    remedy: USE_RAW_BODY,
    *make({ message: { body: sent }, otherBody, isReceived = false }) {
      const size = Buffer.byteLength(sent);
      const isOther = otherBody != null && !Buffer.from(sent).equals(Buffer.from(otherBody));
      const other = isOther
        ? [{ description: describeDifference(sent, otherBody), body: otherBody, remedy: undefined }]
        : [];
      for (const { description, body, remedy } of [...other, ...listChangedBodies(sent, isReceived)]) {
        const bytes = Buffer.byteLength(body);
        const sizes =
          bytes === size ? `still ${bytes} bytes` : `${formatCount(bytes, 'byte')} instead of ${size}`;
        yield [`the body was changed (${description}, ${sizes})`, { body }, remedy];
      }
    },
  },
  {
    part: 'content',
    reason: 'content_changed',
    remedy: ({ content }) =>
      `Compute the HMAC over ${content}, with the header values as they arrived and the raw body.`,
    make: ({ scheme }) =>
      [...commonTemplates]
        .filter((content) => isSent(content, scheme))
        .map((content) => [
          `the signed string was ${JSON.stringify(content)} instead of ${JSON.stringify(scheme.content)}`,
          { scheme: { content } },
        ]),
  },
  {
    part: 'key',
    reason: 'key_changed',
    remedy: ({ key }) => `Use ${describeKey(key)} as the key.`,
    make: ({ scheme, secrets }) =>
      commonKeys
        .filter(
          (key) =>
            describeKey(key) !== describeKey(scheme.key) &&
            // A key of no bytes is the mistake of an empty secret.
            secrets.every((secret) => decodeSecret({ key }, secret).length > 0),
        )
        .map((key) => [`the key was ${describeKey(key)}`, { scheme: { key } }]),
  },
  {
    part: 'secret',
    reason: 'wrong_secret',
    remedy: USE_UNCHANGED,
    // What the caller gave is more likely than a mistake of the sender.
    rank: -10,
    make: ({ scheme, secrets, isReceived }) =>
      changeSecrets(isReceived ? secrets : [], secretCorrections).filter(([, { secret }]) =>
        isUsableSecret(scheme, secret),
      ),
  },
  {
    part: 'secret',
    reason: 'api_key_as_secret',
    remedy: USE_ENDPOINT_SECRET,
    make: ({ otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => getApiKeyEnvironment(secret) !== null)
        .map(({ secret }) => ['the secret was an API key', { secret }]),
  },
  {
    part: 'secret',
    reason: 'wrong_secret',
    remedy: USE_UNCHANGED,
    make: ({ secrets }) => changeSecrets(secrets, secretMistakes),
  },
  {
    part: 'secret',
    reason: 'wrong_secret',
    remedy: 'Use the current secret of the endpoint, and restart the receiver.',
    make: ({ secrets, otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => !secrets.includes(secret) && getApiKeyEnvironment(secret) === null)
        .map(({ name, secret }) => [`the secret was ${name}`, { secret }]),
  },
  {
    part: 'timestamp',
    reason: 'timestamp_changed',
    remedy: USE_HEADER,
    make: ({ message: { timestamp: sent } }) =>
      listTimestampForms(sent).map(({ name, timestamp, repeat }) => [
        `the timestamp was ${name} (${timestamp}), but its header is ${sent}`,
        { timestamp: repeat },
      ]),
  },
  timestampKind(
    (scheme) =>
      `Read the timestamp from the header ${getTimestampHeader(scheme)}, and sign its text. If the receiver does, look for a proxy that removes the header.`,
    ({ scheme }) =>
      wrongTimestamps.map((text) => [
        `${text === '' ? 'empty' : `the text ${text}`}, as if ${getTimestampHeader(scheme)} was read under another name or not parsed correctly`,
        text,
      ]),
  ),
  timestampKind(USE_HEADER, ({ message: { body } }) =>
    readCreationTimes(body).map((timestamp) => [`created_at of the body (${timestamp})`, timestamp]),
  ),
  timestampKind(USE_HEADER, ({ receivedAt }) =>
    receivedAt === undefined
      ? []
      : listCurrentTimes(receivedAt.fromMs, receivedAt.toMs).map((timestamp) => [
          `the current time of the receiver (${timestamp})`,
          timestamp,
        ]),
  ),
  {
    part: 'algorithm',
    reason: 'algorithm_changed',
    remedy: ({ algorithm }) => `Compute the HMAC with ${algorithm}.`,
    make: ({ scheme: { algorithm: correct } }) => [
      ...['sha256', 'sha1', 'sha512', 'sha384', 'md5']
        .filter((algorithm) => algorithm !== correct)
        .map(
          (algorithm): Change => [
            `the hash was ${algorithm} instead of ${correct}`,
            { compute: hmac(algorithm) },
          ],
        ),
      [
        'a plain hash of the secret and the content was computed',
        { compute: (content, key) => hash(correct, key, content) },
      ],
      [
        'a plain hash of the content and the secret was computed',
        { compute: (content, key) => hash(correct, content, key) },
      ],
      [
        'a plain hash of the content was computed, without a secret',
        { compute: (content) => hash(correct, content) },
      ],
      [
        'Sum(content) of Go appends the digest to the content, which is not hashed',
        { compute: (content, key) => Buffer.concat([Buffer.from(content), hmac(correct)('', key)]) },
        'Call mac.Write(content) and then mac.Sum(nil).',
      ],
    ],
  },
  {
    part: 'algorithm',
    reason: 'key_changed',
    remedy: ({ key, content }) => `Pass ${describeKey(key)} as the key, and ${content} as the message.`,
    make: ({ scheme: { algorithm } }) => [
      ['the key and the message were swapped', { compute: (content, key) => hmac(algorithm)(key, content) }],
    ],
  },
  {
    part: 'encoding',
    reason: 'encoding_changed',
    remedy: describeCorrectForm,
    make: ({ scheme }) =>
      digestForms
        .filter((form) => form !== getDigestForm(scheme))
        .map((form) => [describeForm(form, scheme), { form }]),
  },
  {
    part: 'prefix',
    reason: 'encoding_changed',
    remedy: describeCorrectForm,
    make: ({ scheme, scheme: { header } }) =>
      [...new Set(['', ...Object.values(schemes).map((other) => other.header.prefix)])]
        .filter((prefix) => prefix !== header.prefix)
        .map((prefix) => [describePrefix(prefix, scheme), { scheme: { header: { ...header, prefix } } }]),
  },
  {
    part: 'header',
    reason: 'other_scheme',
    remedy: ({ name }) => `Verify the scheme ${name}.`,
    rank: 4,
    make: ({ scheme: { name } }) =>
      Object.values(schemes)
        .filter((other) => other.name !== name)
        .map((otherScheme) => [
          `the scheme ${otherScheme.name} was verified instead of ${name}`,
          { otherScheme },
          `Verify the scheme ${name}, or let svc send what your receiver expects: --sender ${otherScheme.name}.`,
        ]),
  },
  {
    part: 'header',
    reason: 'header_not_split',
    remedy: ({ headers, header }) =>
      `Split ${headers.signature} at ${JSON.stringify(header.separator)}, and accept the delivery if any of its signatures matches.`,
    make: ({ scheme: { header, headers }, secrets }) =>
      (header.separator === null || secrets.length < 2 ? [] : secrets).map((secret, index) => [
        `${headers.signature} was expected with only one signature, that of the ${index === 0 ? 'current' : 'previous'} secret`,
        { secret },
      ]),
  },
  {
    part: 'header',
    reason: 'timestamp_unreadable',
    remedy: (scheme) =>
      `Read the timestamp in ${getTimestampHeader(scheme)} as ${timestampFormats[scheme.timestampFormat]}, and compare it with the current time in the same unit.`,
    make: ({ scheme }) =>
      (['unix', 'unix_ms', 'iso8601'] as const)
        .filter((timestampFormat) => timestampFormat !== scheme.timestampFormat)
        .map((timestampFormat) => [
          `the timestamp in ${getTimestampHeader(scheme)} was expected as ${timestampFormats[timestampFormat]}`,
          { scheme: { timestampFormat } },
        ]),
  },
  {
    part: 'header',
    reason: 'timestamp_misread',
    remedy: (scheme) =>
      `Read the timestamp in ${getTimestampHeader(scheme)} as a time in UTC, whatever the time zone of the receiver is.`,
    rank: 12,
    make: ({ scheme }) =>
      zoneOffsets.map((hours) => [
        `the timestamp in ${getTimestampHeader(scheme)} was read as a time in UTC${formatOffset(hours)}`,
        { sentTime: (now) => now + hours * HOUR_MS },
      ]),
  },
  {
    part: 'header',
    reason: 'timestamp_too_old',
    remedy:
      'Check the clock of the receiver, and the unit in which it compares the timestamp with the current time.',
    rank: 10,
    make: ({ scheme }) => [
      [
        'the current time is too old for it, and two minutes later is accepted, so its time limit is too short, or its clock is ahead',
        { sentTime: (now) => now + 2 * 60_000 },
      ],
      // Other formats would round the time to the thousandth.
      ...(scheme.timestampFormat === 'iso8601' ? [MIXED_UNITS] : []),
    ],
  },
  {
    part: 'header',
    reason: 'header_missing',
    remedy: ({ headers }) =>
      `Read the signature from the header ${headers.signature}, in any case of letters: getallheaders() of PHP writes names in another case on each server.`,
    rank: 20,
    make: ({ scheme: { headers } }) =>
      [...signatureHeaders, headers.signature.toLowerCase().replaceAll('-', '_')]
        .filter((name) => name.toLowerCase() !== headers.signature.toLowerCase())
        .map((name) => [
          `the signature was read from ${name} instead of ${headers.signature}`,
          { signatureHeader: name },
        ]),
  },
];

/** Lists the known mistakes in a signature, one at a time: the likely ones first. */
export function listMistakes(input: MistakeInput): Mistake[] {
  const { scheme } = input;
  const isPossible = ({ part, reason }: MistakeKind) =>
    part === 'timestamp'
      ? scheme.content.includes('{timestamp}')
      : !reason.startsWith('timestamp') || hasTimestamp(scheme);
  const ranked = kinds.filter(isPossible).flatMap(({ part, reason, remedy, make, rank = 0 }) =>
    Array.from(make(input), ([description, change, own], index) => ({
      mistake: {
        part,
        reason,
        description,
        change,
        remedy: own ?? (typeof remedy === 'string' ? remedy : remedy(scheme)),
      },
      rank: rank + index,
    })),
  );
  return ranked.sort((first, second) => first.rank - second.rank).map(({ mistake }) => mistake);
}

/** Whether deliveries of the scheme have the values in a template, which is not its own. */
function isSent(template: string, scheme: SignatureScheme): boolean {
  return (
    template !== scheme.content &&
    (hasTimestamp(scheme) || !template.includes('{timestamp}')) &&
    (scheme.headers.id !== null || !template.includes('{id}'))
  );
}

/** The values of the fields `created_at` and `data.created_at`. */
function readCreationTimes(body: SignableMessage['body']): string[] {
  try {
    const event = JSON.parse(Buffer.from(body).toString());
    return [event.created_at, event.data?.created_at].filter((value) => typeof value === 'string');
  } catch {
    return [];
  }
}

/** The header that contains the timestamp. */
export function getTimestampHeader({ headers }: SignatureScheme): string {
  return headers.timestamp ?? headers.signature;
}
