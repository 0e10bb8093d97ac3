/**
 * The mistakes that receivers make with signatures. A mistake changes one part of the signature: what is read as the body, the
 * timestamp or the secret, how the secret becomes a key, what is signed, with which function, and how the digest is written. Each
 * row says how the mistake is made, its sentence, and what to do. `find-mistakes.ts` combines two of them.
 */
import { createHash, createHmac, getHashes } from 'node:crypto';
import { getApiKeyEnvironment, SECRET_PREFIX } from '../domain/credentials.ts';
import { parseUrl } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference, listChangedBodies } from './body-changes.ts';
import {
  type DigestForm,
  describeCorrectForm,
  describeEncodingMistakes,
  digestForms,
  getDigestForm,
} from './digest-forms.ts';
import type { Language } from './json-serializers.ts';
import { COMPARE_SECRET, type MistakeReason, secretMissing, USE_RAW_BODY } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
import { describeKey, hasTimestamp, schemes } from './schemes.ts';
import { decodeSecret, isUsableSecret, type SignableMessage } from './sign.ts';
import {
  formatOffset,
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
  /** Where the message was sent. */
  readonly url?: string | undefined;
  /** Whether the message and the secrets are what a receiver has, instead of what was sent. */
  readonly isReceived?: boolean;
  /** Of the receiver, if it is known. */
  readonly language?: Language | undefined;
  /** When the receiver computed its digest, in milliseconds since 1970. */
  readonly receivedAt?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

type Bytes = string | Uint8Array;
/** Computes a digest from the signed content and the key. */
type ComputeDigest = (content: Bytes, key: Bytes) => Buffer;

/** What a mistake changes. */
export interface SignatureChange {
  readonly scheme?: Partial<SignatureScheme>;
  readonly secret?: string;
  readonly message?: Partial<SignableMessage>;
  /** The timestamp that is signed, made from the one that is sent. */
  readonly convertTimestamp?: (sent: string) => string;
  /** The signed content, instead of what the scheme signs. */
  readonly content?: string;
  /** Instead of the HMAC. */
  readonly compute?: ComputeDigest;
  /** How the digest is written, if not in the encoding of the scheme. */
  readonly form?: DigestForm;
  /** By how much the timestamp that is sent differs from the current time. */
  readonly aheadMs?: number;
  /** Everything is that of another scheme. */
  readonly otherScheme?: SignatureScheme;
  /** The name of another header that has the signature. */
  readonly signatureHeader?: string;
}

/** A way to make a mistake. */
export interface Mistake {
  /** The part of the signature that is changed. `encoding` and `header`: only how the digest is written and sent. */
  readonly part: 'secret' | 'timestamp' | 'content' | 'key' | 'algorithm' | 'body' | 'encoding' | 'header';
  readonly reason: MistakeReason;
  /** A clause that completes "The receiver makes one mistake: …", on its own or in a list of two. */
  readonly description: string;
  readonly remedy: string;
  readonly change: SignatureChange;
}

/** A change with the clause that describes it, and what to do if that is not what the kind says. */
type Change = readonly [description: string, change: SignatureChange, remedy?: string | undefined];

/** A kind of mistake. */
interface MistakeKind {
  readonly part: Mistake['part'];
  readonly reason: MistakeReason;
  readonly remedy: string | ((scheme: SignatureScheme) => string);
  /** Default: every scheme. */
  readonly applies?: (scheme: SignatureScheme) => boolean;
  /** The ways to make the mistake, the more common ones first. */
  readonly make: (input: MistakeInput) => Iterable<Change>;
  /** Whether the caller gives the values, so that none is left out. */
  readonly isGiven?: boolean;
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
  '{body}:{timestamp}',
]);

/** Templates that a program signs without replacing anything, because the quotes around them are wrong. */
const literalTemplates = ['body', 'rawBody', 'payload'].flatMap((body) =>
  ['', '$', '#'].map((sign) => `${sign}{timestamp}.${sign}{${body}}`),
);

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
const hash = (algorithm: string, ...pieces: readonly Bytes[]) =>
  createHash(algorithm)
    .update(Buffer.concat(pieces.map((piece) => Buffer.from(piece))))
    .digest();

/** Instead of an HMAC of the content: a clause, and how the digest is computed. */
const otherDigests: readonly (readonly [string, (algorithm: string) => ComputeDigest])[] = [
  [
    'a plain hash of the secret and the content was computed',
    (name) => (content, key) => hash(name, key, content),
  ],
  [
    'a plain hash of the content and the secret was computed',
    (name) => (content, key) => hash(name, content, key),
  ],
  ['a plain hash of the content was computed, without a secret', (name) => (content) => hash(name, content)],
  [
    'the HMAC of the HMAC in hex was computed',
    (name) => (content, key) => hmac(name)(hmac(name)(content, key).toString('hex'), key),
  ],
  [
    'the HMAC of the HMAC in bytes was computed',
    (name) => (content, key) => hmac(name)(hmac(name)(content, key), key),
  ],
];

/** Header names of other services, and names that receivers make up. */
const signatureHeaders = [
  ...['X-Signature', 'X-Webhook-Signature', 'Signature', 'Webhook-Signature', 'X-Service-Signature'],
  ...['X-Hub-Signature-256', 'X-Signature-256', 'Stripe-Signature', 'Svix-Signature', 'X-Hub-Signature'],
];

const USE_HEADER =
  'Use the value of the timestamp header as it arrived. Converting it changes the signed string.';

const USE_UNCHANGED =
  'Use the endpoint secret unchanged. If the setting is correct, look for code that changes it.';

const CHECK_CLOCK =
  'Check the clock of the receiver, and the unit in which it compares the timestamp with the current time.';

type TimestampChange = readonly [clause: string, timestamp: string, repeat?: (sent: string) => string];

/** @param list the texts that are signed instead, each with the end of "the timestamp was …" */
const timestampKind = (
  remedy: MistakeKind['remedy'],
  list: (input: MistakeInput) => readonly TimestampChange[],
): MistakeKind => ({
  ...{ part: 'timestamp', reason: 'timestamp_changed', remedy },
  applies: ({ content }) => content.includes('{timestamp}'),
  make: (input) =>
    list(input).map(([clause, timestamp, convertTimestamp]) => [
      `the timestamp was ${clause}`,
      convertTimestamp === undefined ? { message: { timestamp } } : { convertTimestamp },
    ]),
});

const changeSecrets = (secrets: readonly string[], mistakes: readonly SecretMistake[]): Change[] =>
  mistakes.flatMap(([description, apply, remedy]) =>
    secrets.flatMap(apply).map((secret): Change => [`the secret ${description}`, { secret }, remedy]),
  );

/** The kinds of mistakes. Each row of a kind is less likely than the row before. */
const kinds: readonly MistakeKind[] = [
  {
    part: 'body',
    reason: 'body_changed',
    remedy: USE_RAW_BODY,
    *make({ message: { body: sent }, otherBody, isReceived = false, language }) {
      const size = Buffer.byteLength(sent);
      const isOther = otherBody != null && !Buffer.from(sent).equals(Buffer.from(otherBody));
      const other = isOther
        ? [{ description: describeDifference(sent, otherBody), body: otherBody, remedy: undefined }]
        : [];
      for (const { description, body, remedy } of [
        ...other,
        ...listChangedBodies(sent, { isReceived, language }),
      ]) {
        const bytes = Buffer.byteLength(body);
        const sizes =
          bytes === size ? `still ${bytes} bytes` : `${formatCount(bytes, 'byte')} instead of ${size}`;
        yield [`the body was changed (${description}, ${sizes})`, { message: { body } }, remedy];
      }
    },
  },
  {
    part: 'content',
    reason: 'content_changed',
    remedy: ({ content }) =>
      `Compute the HMAC over ${content}, with the header values as they arrived and the raw body.`,
    make: ({ scheme, url }) => {
      const templates = [...commonTemplates].filter((content) => isSent(content, scheme));
      return [
        ...templates.map((content) => [content, { scheme: { content } }] as const),
        ...literalTemplates.map((content) => [content, { content }] as const),
        ...listUrlTemplates(scheme, url).map((content) => [content, { scheme: { content } }] as const),
      ].map(([content, change]) => [
        `the signed string was ${JSON.stringify(content)} instead of ${JSON.stringify(scheme.content)}`,
        change,
      ]);
    },
  },
  {
    part: 'key',
    reason: 'key_changed',
    remedy: ({ key }) => `Use ${describeKey(key)} as the key.`,
    make: ({ scheme, secrets }) => {
      const keys = commonKeys.filter(
        (key) =>
          describeKey(key) !== describeKey(scheme.key) &&
          // A key of no bytes is the mistake of an empty secret.
          secrets.every((secret) => decodeSecret({ key }, secret).length > 0),
      );
      const lossy = secrets.map((secret) => [secret, secret.replace(/(?<!^whsec)[-_]/g, '')] as const);
      return [
        ...keys.map((key): Change => [`the key was ${describeKey(key)}`, { scheme: { key } }]),
        ...lossy.flatMap(([secret, kept]) =>
          commonKeys
            .filter(({ form }) => form === 'base64' && kept !== secret)
            .map(
              (key): Change => [
                `the key was ${describeKey(key)}, but without its characters - and _, which Python, PHP and Ruby ignore`,
                { scheme: { key }, secret: kept },
              ],
            ),
        ),
      ];
    },
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
    remedy: 'Use the current secret of the endpoint (whsec_…), not the API key, and restart the receiver.',
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
    isGiven: true,
    make: ({ secrets, otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => !secrets.includes(secret) && getApiKeyEnvironment(secret) === null)
        .map(({ name, secret }) => [`the secret was ${name}`, { secret }]),
  },
  timestampKind(USE_HEADER, ({ message: { timestamp: sent } }) =>
    listTimestampForms(sent).map(([name, timestamp, repeat]) => [
      `${name} (${timestamp}), but its header is ${sent}`,
      timestamp,
      repeat,
    ]),
  ),
  timestampKind(
    (scheme) => `Read the timestamp from the header ${getTimestampHeader(scheme)}, and sign its text.`,
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
    make: ({ scheme: { algorithm: correct } }) =>
      ['sha256', 'sha1', 'sha512', 'sha384', 'md5', 'sha224', 'sha3-256']
        .filter((algorithm) => algorithm !== correct && supportedHashes.has(algorithm))
        .map((algorithm) => [
          `the hash was ${algorithm} instead of ${correct}`,
          { compute: hmac(algorithm) },
        ]),
  },
  {
    part: 'algorithm',
    reason: 'algorithm_changed',
    remedy: ({ algorithm, key }) =>
      `Compute an HMAC with ${algorithm} once, with ${describeKey(key)} as the key, instead of another hash.`,
    make: ({ scheme: { algorithm } }) =>
      otherDigests.map(([name, compute]) => [name, { compute: compute(algorithm) }]),
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
    make: listEncodingMistakes,
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
          `Verify the scheme ${name}, or let svc sign with the other one: --scheme ${otherScheme.name}.`,
        ]),
  },
  {
    part: 'header',
    reason: 'header_not_split',
    remedy: ({ headers, header }) =>
      `Split ${headers.signature} at ${JSON.stringify(header.separator)}, and accept the delivery if any of its signatures matches.`,
    applies: ({ header }) => header.separator !== null,
    make: ({ scheme: { headers }, secrets }) =>
      (secrets.length < 2 ? [] : secrets).map((secret, index) => [
        `${headers.signature} was expected with only one signature, that of the ${index === 0 ? 'current' : 'previous'} secret`,
        { secret },
      ]),
  },
  {
    part: 'header',
    reason: 'timestamp_unreadable',
    remedy: describeTimestamp,
    applies: hasTimestamp,
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
    applies: hasTimestamp,
    make: ({ scheme }) =>
      zoneOffsets.map((hours) => [
        `the timestamp in ${getTimestampHeader(scheme)} was read as a time in UTC${formatOffset(hours)}`,
        { aheadMs: hours * 3_600_000 },
      ]),
  },
  {
    part: 'header',
    reason: 'timestamp_too_old',
    remedy: CHECK_CLOCK,
    rank: 10,
    applies: hasTimestamp,
    make: () => [
      [
        'the current time is too old for it, and two minutes later is accepted, so its time limit is too short, or its clock is ahead',
        { aheadMs: 2 * 60_000 },
      ],
    ],
  },
  {
    part: 'header',
    reason: 'header_missing',
    remedy: ({ headers }) =>
      `Read the signature from the header ${headers.signature}, in any case of letters: getallheaders() of PHP writes names in another case on each server.`,
    rank: 20,
    make: ({ scheme }) =>
      [...signatureHeaders, scheme.headers.signature.toLowerCase().replaceAll('-', '_')]
        .filter((name) => name.toLowerCase() !== scheme.headers.signature.toLowerCase())
        .map((name) => [
          `the signature was read from ${name} instead of ${scheme.headers.signature}`,
          { signatureHeader: name },
        ]),
  },
];

const supportedHashes = new Set(getHashes().map((name) => name.toLowerCase()));

/**
 * Lists the known mistakes in a signature, one at a time: the likely ones first.
 * @param maxOfKind limits the mistakes of each kind, except those with a given secret
 */
export function listMistakes(input: MistakeInput, maxOfKind = Number.POSITIVE_INFINITY): Mistake[] {
  const applicable = kinds.filter(({ applies }) => applies?.(input.scheme) ?? true);
  const ranked = applicable.flatMap(({ part, reason, remedy, make, isGiven, rank = 0 }) =>
    Array.from(make(input))
      .slice(0, isGiven ? undefined : maxOfKind)
      .map(([description, change, own], index) => ({
        mistake: {
          ...{ part, reason, description, change },
          remedy: own ?? (typeof remedy === 'string' ? remedy : remedy(input.scheme)),
        },
        rank: rank + index,
      })),
  );
  return ranked.sort((first, second) => first.rank - second.rank).map(({ mistake }) => mistake);
}

/** Those of refusals that are not a mistake in the signature. */
const otherRemedies: Readonly<Partial<Record<MistakeReason, string>>> = {
  secret_missing: secretMissing.remedy,
  payload_unreadable: USE_RAW_BODY,
  timestamp_in_future: CHECK_CLOCK,
  signature_mismatch: COMPARE_SECRET,
};

/** What to do about a mistake of which only the reason is known; null for a reason that is not a mistake of a receiver. */
export function findRemedy(reason: MistakeReason, scheme: SignatureScheme): string | null {
  const remedy = kinds.find((kind) => kind.reason === reason)?.remedy ?? otherRemedies[reason] ?? null;
  return typeof remedy === 'function' ? remedy(scheme) : remedy;
}

/** Whether deliveries of the scheme have the values in a template, which is not its own. */
function isSent(template: string, scheme: SignatureScheme): boolean {
  return (
    template !== scheme.content &&
    (hasTimestamp(scheme) || !template.includes('{timestamp}')) &&
    (scheme.headers.id !== null || !template.includes('{id}'))
  );
}

/** Templates with the URL or the path in front, as other services sign them. */
function listUrlTemplates({ content }: SignatureScheme, url = ''): string[] {
  const parsed = parseUrl(url);
  if (parsed === null) return [];
  const path = parsed.pathname + parsed.search;
  const lines = content.replace('{timestamp}.', '{timestamp}\n');
  return [url + content, path + content, `POST\n${path}\n${lines}`, `POST${path}${content}`, `${url}{body}`];
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

function describeTimestamp(scheme: SignatureScheme): string {
  return `Read the timestamp in ${getTimestampHeader(scheme)} as ${timestampFormats[scheme.timestampFormat]}, and compare it with the current time in the same unit.`;
}

/** Other forms of the digest, other prefixes, and both, the likely ones first. */
function listEncodingMistakes({ scheme }: MistakeInput): Change[] {
  const { header } = scheme;
  const prefixes = ['', ...Object.values(schemes).map((other) => other.header.prefix)];
  const otherPrefixes = [...new Set(prefixes)].filter((prefix) => prefix !== header.prefix);
  const otherForms = digestForms.filter((form) => form !== getDigestForm(scheme));
  // Null: as it is correct. A form with an other prefix is as likely as one further down.
  const changes = [null, ...otherForms].flatMap((form, place) =>
    [null, ...otherPrefixes].map((prefix, index) => ({ form, prefix, cost: place + 2 * index })),
  );
  return changes
    .slice(1)
    .sort((first, second) => first.cost - second.cost)
    .map(({ form, prefix }) => [
      describeEncodingMistakes(form, prefix, scheme).join(' and '),
      {
        ...(prefix !== null && { scheme: { header: { ...header, prefix } } }),
        ...(form !== null && { form }),
      },
    ]);
}
