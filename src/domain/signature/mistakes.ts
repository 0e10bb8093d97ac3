/**
 * The mistakes that receivers make with signatures. A mistake changes one part of the signature: what is read as the body, the
 * timestamp or the secret, how the secret becomes a key, what is signed, with which function, and how the digest is written. Each
 * row says how the mistake is made, its sentence, and what to do. Two mistakes in different parts can be combined.
 */
import { createHash, createHmac, getHashes } from 'node:crypto';
import { getApiKeyEnvironment, SECRET_PREFIX } from '../credentials.ts';
import { formatCount } from '../message-parts.ts';
import { describeDifference, listChangedBodies } from './body-changes.ts';
import {
  type DigestForm,
  describeCorrectForm,
  describeFormMistake,
  describePrefixMistake,
  digestForms,
  getDigestForm,
} from './digest-forms.ts';
import { COMPARE_SECRET, type MistakeReason, secretMissing, USE_RAW_BODY } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
import { describeKey, hasTimestamp, schemes } from './schemes.ts';
import { decodeSecret, listContentPieces, type SignableMessage } from './sign.ts';
import {
  formatZone,
  listCurrentTimes,
  listTimestampForms,
  missingTimestamps,
  unreadableTimestamps,
  zoneOffsets,
} from './timestamp-forms.ts';
import type { NamedSecret } from './verify-input.ts';
import { secretMistakes } from './wrong-secrets.ts';

/** The signature in which mistakes are made. */
export interface MistakeInput {
  readonly scheme: SignatureScheme;
  /** What was sent: the text of the timestamp header and the body. */
  readonly message: SignableMessage;
  /** The correct secrets, the current one first. */
  readonly secrets: readonly string[];
  /** Wrong secrets that the receiver may have used. */
  readonly otherSecrets: readonly NamedSecret[];
  /** The body that the receiver used, if it is known. */
  readonly receivedBody?: Uint8Array | undefined;
  /** Whether the message is what the receiver has, so that changes that can be undone are not made. */
  readonly isReceived?: boolean;
  /** When the receiver computed its digest, in milliseconds since 1970. */
  readonly receivedAt?: { readonly fromMs: number; readonly toMs: number } | undefined;
}

type Bytes = string | Uint8Array;
/** Computes a digest from the pieces of the signed content and the key. */
type ComputeDigest = (content: readonly Bytes[], key: Bytes) => Buffer;

/** What a mistake changes. */
export interface SignatureChange {
  readonly scheme?: Partial<SignatureScheme>;
  readonly secret?: string;
  readonly message?: Partial<SignableMessage>;
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
  /** A text for the timestamp. A receiver that accepts it does not make the mistake. */
  readonly counterexample?: string;
}

/** A change with the clause that describes it. */
type Change = readonly [description: string, change: SignatureChange];

/** A kind of mistake. */
interface MistakeKind {
  readonly part: Mistake['part'];
  readonly reason: MistakeReason;
  readonly remedy: string | ((scheme: SignatureScheme) => string);
  /** The ways to make the mistake, the more common ones first. */
  readonly make: (input: MistakeInput) => Iterable<Change>;
  readonly counterexample?: string;
  /** Whether the caller gives the values, so that none is left out. */
  readonly isGiven?: boolean;
  /** How many mistakes of other kinds are more likely than the first of this kind. */
  readonly rank?: number;
}

/** Templates of the service, of other services, and of common misreadings. */
const commonTemplates = [
  ...['{body}', '{timestamp}{body}', '{timestamp}.{body}', '{body}.{timestamp}', '{timestamp}:{body}'],
  ...['{id}.{timestamp}.{body}', '{body}{timestamp}', 'v0:{timestamp}:{body}', '{timestamp}\n{body}'],
  ...[
    '{timestamp} {body}',
    '{timestamp},{body}',
    '{id}.{body}',

    '{timestamp}',
    '{timestamp}|{body}',
  ],
  ...[
    '{timestamp}-{body}',
    '{timestamp}_{body}',
    '{timestamp};{body}',
    '{timestamp}\\n{body}',
    '.{body}',
    ':{body}',
  ],
  ...['t={timestamp}.{body}', 't={timestamp},{body}', 'v1.{timestamp}.{body}', 'v1:{timestamp}:{body}'],
  ...['{timestamp}.{id}.{body}', '{id}{timestamp}{body}', '{id}{body}', '{body}{id}', '{id}', '{body}{body}'],
  ...[
    '{timestamp}.{body}.',
    '{timestamp}. {body}',

    '{body}:{timestamp}',
  ],
];

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

const hmac =
  (algorithm: string): ComputeDigest =>
  (content, key) => {
    const computed = createHmac(algorithm, key);
    for (const piece of content) computed.update(piece);
    return computed.digest();
  };

function hash(algorithm: string, pieces: readonly Bytes[]): Buffer {
  const computed = createHash(algorithm);
  for (const piece of pieces) computed.update(piece);
  return computed.digest();
}

function concat(pieces: readonly Bytes[]): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

/** Header names of other services, and names that receivers make up. */
const signatureHeaders = [
  ...['X-Signature', 'X-Webhook-Signature', 'Signature', 'Webhook-Signature', 'X-Service-Signature'],
  ...['X-Hub-Signature-256', 'X-Signature-256', 'Stripe-Signature', 'Svix-Signature', 'X-Hub-Signature'],
];

const USE_HEADER =
  'Use the value of the timestamp header as it arrived. Converting it changes the signed string.';

/** The kinds of mistakes. Each row of a kind is less likely than the row before. */
const kinds: readonly MistakeKind[] = [
  {
    part: 'body',
    reason: 'body_changed',
    remedy: USE_RAW_BODY,
    *make({ message: { body: sent }, receivedBody, isReceived = false }) {
      if (receivedBody !== undefined && !Buffer.from(sent).equals(receivedBody)) {
        const description = describeDifference(sent, receivedBody);
        yield describeBodyMistake(sent, { description, body: receivedBody });
      }
      for (const changed of listChangedBodies(sent, isReceived)) yield describeBodyMistake(sent, changed);
    },
  },
  {
    part: 'content',
    reason: 'content_changed',
    remedy: ({ content }) =>
      `Compute the HMAC over ${content}, with the header values as they arrived and the raw body.`,
    make: ({ scheme }) => [
      ...commonTemplates
        .filter((content) => content !== scheme.content && isSent(content, scheme))
        .map((content): Change => [describeContent(content, scheme), { scheme: { content } }]),
      ...literalTemplates.map((content): Change => [describeContent(content, scheme), { content }]),
    ],
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
      const base64Keys = commonKeys.filter(({ form }) => form === 'base64');
      return [
        ...keys.map((key): Change => [`the key was ${describeKey(key)}`, { scheme: { key } }]),
        ...secrets
          .filter((secret) => BASE64URL_ONLY.test(secret.replace(SECRET_PREFIX, '')))
          .flatMap((secret) =>
            base64Keys.map(
              (key): Change => [
                `the key was ${describeKey(key)}, but without its characters - and _, which Python, PHP and Ruby ignore`,
                { scheme: { key }, secret: withoutBase64Url(secret) },
              ],
            ),
          ),
      ];
    },
  },
  {
    part: 'secret',
    reason: 'api_key_as_secret',
    remedy: 'Use the current secret of the endpoint (whsec_…), not the API key.',
    make: ({ otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => getApiKeyEnvironment(secret) !== null)
        .map(({ secret }) => ['the secret was an API key', { secret }]),
  },
  {
    part: 'secret',
    reason: 'wrong_secret',
    remedy: 'Use the current secret of the endpoint.',
    make: ({ secrets }) =>
      secretMistakes.flatMap(({ description, apply }) =>
        secrets.flatMap((correct) =>
          apply(correct).map((secret): Change => [`the secret ${description}`, { secret }]),
        ),
      ),
  },
  {
    part: 'secret',
    reason: 'wrong_secret',
    remedy: 'Use the current secret of the endpoint.',
    isGiven: true,
    make: ({ secrets, otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => !secrets.includes(secret) && getApiKeyEnvironment(secret) === null)
        .map(({ name, secret }) => [`the secret was ${name}`, { secret }]),
  },
  {
    part: 'timestamp',
    reason: 'timestamp_changed',
    remedy: USE_HEADER,
    make: ({ scheme, message: { timestamp: sent } }) =>
      signsTimestamp(scheme)
        ? listTimestampForms(sent).map(({ name, timestamp }) => [
            `the timestamp was ${name} (${timestamp}), but its header is ${sent}`,
            { message: { timestamp } },
          ])
        : [],
  },
  {
    part: 'timestamp',
    reason: 'timestamp_changed',
    remedy: (scheme) =>
      `Read the timestamp from the header ${getTimestampHeader(scheme)}, and sign its text.`,
    make: ({ scheme }) =>
      signsTimestamp(scheme)
        ? [
            ...missingTimestamps.map(
              ({ name, timestamp }): Change => [
                `the timestamp was ${name}, as if ${getTimestampHeader(scheme)} was read under another name`,
                { message: { timestamp } },
              ],
            ),
            ...unreadableTimestamps.map(
              ({ name, timestamp }): Change => [
                `the timestamp was ${name}, because it was not parsed correctly`,
                { message: { timestamp } },
              ],
            ),
          ]
        : [],
  },
  {
    part: 'timestamp',
    reason: 'timestamp_changed',
    remedy: USE_HEADER,
    make: ({ scheme, receivedAt }) =>
      signsTimestamp(scheme) && receivedAt !== undefined
        ? listCurrentTimes(receivedAt.fromMs, receivedAt.toMs).map(({ name, timestamp }) => [
            `the timestamp was ${name} (${timestamp})`,
            { message: { timestamp } },
          ])
        : [],
  },
  {
    part: 'algorithm',
    reason: 'algorithm_changed',
    remedy: ({ algorithm }) => `Compute the HMAC with ${algorithm}.`,
    make: ({ scheme: { algorithm: correct } }) => [
      ...(['sha256', 'sha1', 'sha512', 'sha384', 'md5', 'sha224', 'sha3-256'] as const)
        .filter((algorithm) => algorithm !== correct && supportedHashes.has(algorithm))
        .map(
          (algorithm): Change => [
            `the hash was ${algorithm} instead of ${correct}`,
            { compute: hmac(algorithm) },
          ],
        ),
    ],
  },
  {
    part: 'algorithm',
    reason: 'algorithm_changed',
    remedy: ({ algorithm, key }) =>
      `Compute an HMAC with ${algorithm}, with ${describeKey(key)} as the key, instead of hashing the secret with the content.`,
    make: ({ scheme: { algorithm } }) => [
      [
        'a plain hash of the secret and the content was computed',
        { compute: (content, key) => hash(algorithm, [key, ...content]) },
      ],
      [
        'a plain hash of the content and the secret was computed',
        { compute: (content, key) => hash(algorithm, [...content, key]) },
      ],
      [
        'a plain hash of the content was computed, without a secret',
        { compute: (content) => hash(algorithm, content) },
      ],
    ],
  },
  {
    part: 'algorithm',
    reason: 'key_changed',
    remedy: ({ key, content }) => `Pass ${describeKey(key)} as the key, and ${content} as the message.`,
    make: ({ scheme: { algorithm } }) => [
      [
        'the key and the message were swapped',
        { compute: (content, key) => hmac(algorithm)([key], concat(content)) },
      ],
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
    remedy: ({ name }) =>
      `Verify the scheme ${name}, or configure the sender to sign as your receiver expects it.`,
    rank: 4,
    make: ({ scheme: { name } }) =>
      Object.values(schemes)
        .filter((other) => other.name !== name)
        .map((other) => [`the scheme ${other.name} was verified instead of ${name}`, { otherScheme: other }]),
  },
  {
    part: 'header',
    reason: 'header_not_split',
    remedy: ({ headers, header }) =>
      `Split ${headers.signature} at ${JSON.stringify(header.separator)}, and accept the delivery if any of its signatures matches.`,
    make: ({ scheme: { headers, header }, secrets }) =>
      header.separator === null || secrets.length < 2
        ? []
        : secrets.map((secret, index) => [
            `${headers.signature} was expected with only one signature, that of the ${index === 0 ? 'current' : 'previous'} secret`,
            { secret },
          ]),
  },
  {
    part: 'header',
    reason: 'timestamp_unreadable',
    remedy: describeTimestamp,
    make: ({ scheme }) =>
      hasTimestamp(scheme)
        ? (['unix', 'unix_ms', 'iso8601'] as const)
            .filter((timestampFormat) => timestampFormat !== scheme.timestampFormat)
            .map((timestampFormat) => [
              `the timestamp in ${getTimestampHeader(scheme)} was expected as ${timestampFormats[timestampFormat]}`,
              { scheme: { timestampFormat } },
            ])
        : [],
    // The comparison with NaN is false, so some receivers accept any text.
    counterexample: 'not a time',
  },
  {
    part: 'header',
    reason: 'timestamp_unreadable',
    remedy: describeTimestamp,
    rank: 12,
    make: ({ scheme }) =>
      hasTimestamp(scheme)
        ? zoneOffsets.map((hours) => [
            `the timestamp in ${getTimestampHeader(scheme)} was read as a time in ${formatZone(hours)}`,
            { aheadMs: hours * 3_600_000 },
          ])
        : [],
  },
  {
    part: 'header',
    reason: 'header_missing',
    remedy: ({ headers }) => `Read the signature from the header ${headers.signature}.`,
    rank: 20,
    make: ({ scheme }) =>
      signatureHeaders
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
  const ranked = kinds.flatMap(({ part, reason, remedy, make, counterexample, isGiven, rank = 0 }) =>
    Array.from(make(input))
      .slice(0, isGiven ? undefined : maxOfKind)
      .map(([description, change], index) => ({
        mistake: {
          ...{ part, reason, description, change },
          remedy: typeof remedy === 'string' ? remedy : remedy(input.scheme),
          ...(counterexample !== undefined && { counterexample }),
        },
        rank: rank + index,
      })),
  );
  return ranked.sort((first, second) => first.rank - second.rank).map(({ mistake }) => mistake);
}

export interface FoundMistakes<Match> {
  /** One mistake or two in different parts; empty if the digest is correct. */
  readonly mistakes: readonly Mistake[];
  /** Single mistakes that have the same result. */
  readonly others: readonly Mistake[];
  readonly match: Match;
}

/** What is hashed for each digest in addition to the body, as the time that it takes. */
export const BYTES_PER_DIGEST = 8_192;

/**
 * Finds the mistakes with which a digest was computed: none, a single one, or a pair.
 * @param match returns null for other digests
 * @param maxBytes limits the work: bytes that are hashed for pairs, the likely ones first
 */
export function findMistakes<Match>(
  input: MistakeInput,
  match: (digest: Buffer) => Match | null,
  maxBytes: number,
): FoundMistakes<Match> | null {
  const message = { ...input.message, body: Buffer.from(input.message.body) };
  const tryMistakes = (mistakes: readonly Mistake[]) => {
    for (const secret of input.secrets) {
      const matched = match(computeChangedDigest({ ...input, message }, secret, mistakes));
      if (matched !== null) return { mistakes, match: matched };
    }
    return null;
  };
  const correct = tryMistakes([]);
  if (correct !== null) return { ...correct, others: [] };
  const singles = listMistakes(input).filter(({ part }) => part !== 'encoding' && part !== 'header');
  const [first, ...others] = singles.flatMap((mistake) => tryMistakes([mistake]) ?? []);
  if (first !== undefined) return { ...first, others: others.flatMap(({ mistakes }) => mistakes) };
  let left = maxBytes;
  for (const pair of listPairs(singles)) {
    left -= (message.body.length + BYTES_PER_DIGEST) * input.secrets.length;
    if (left < 0) return null;
    const both = tryMistakes(pair);
    if (both !== null) return { ...both, others: [] };
  }
  return null;
}

/** Parts in which receivers often make a mistake at the same time. */
const likelyParts = [
  'body content',
  'body encoding',
  'body key',
  'body timestamp',
  'content encoding',
  'key encoding',
];
/** How much less likely the other pairs are. */
const UNLIKELY_FACTOR = 6;

/**
 * The pairs of mistakes in different parts, the likely ones first: those with the lowest product of their places.
 * @param mistakes as {@link listMistakes} returns them
 */
export function* listPairs(mistakes: readonly Mistake[]): Generator<readonly [Mistake, Mistake]> {
  const lists = [...new Set(mistakes.map(({ part }) => part))].map((part) =>
    mistakes.filter((mistake) => mistake.part === part),
  );
  const [longest = 0, second = 0] = lists.map(({ length }) => length).sort((a, b) => b - a);
  const isLikely = (ones: readonly Mistake[], others: readonly Mistake[]) =>
    likelyParts.includes(`${ones[0]?.part} ${others[0]?.part}`) ||
    likelyParts.includes(`${others[0]?.part} ${ones[0]?.part}`);
  for (let cost = 1; cost <= longest * second * UNLIKELY_FACTOR; cost++) {
    for (const [index, ones] of lists.entries()) {
      for (const others of lists.slice(index + 1)) {
        const product = isLikely(ones, others) ? cost : cost / UNLIKELY_FACTOR;
        if (!Number.isInteger(product)) continue;
        for (let place = 1; place <= Math.min(product, ones.length); place++) {
          const [one, other] = [ones[place - 1], others[product / place - 1]];
          if (one && other) yield [one, other];
        }
      }
    }
  }
}

type SignedInput = Pick<MistakeInput, 'scheme' | 'message'>;

/** The digest of a receiver that makes these mistakes, each in another part. It has one of the correct secrets. */
export function computeChangedDigest(
  input: SignedInput,
  secret: string,
  mistakes: readonly Pick<Mistake, 'change'>[],
): Buffer {
  let { key } = input.scheme;
  let usedSecret = secret;
  let compute = hmac(input.scheme.algorithm);
  for (const { change } of mistakes) {
    key = change.scheme?.key ?? key;
    usedSecret = change.secret ?? usedSecret;
    compute = change.compute ?? compute;
  }
  return compute(listChangedPieces(input, mistakes), decodeSecret({ key }, usedSecret));
}

/** The content that a receiver with these mistakes signs. */
export function buildChangedContent(
  input: SignedInput,
  mistakes: readonly Pick<Mistake, 'change'>[],
): Buffer {
  return concat(listChangedPieces(input, mistakes));
}

function listChangedPieces(
  { scheme, message }: SignedInput,
  mistakes: readonly Pick<Mistake, 'change'>[],
): readonly Bytes[] {
  let { content } = scheme;
  let { timestamp, body } = message;
  for (const { change } of mistakes) {
    if (change.content !== undefined) return [change.content];
    content = change.scheme?.content ?? content;
    timestamp = change.message?.timestamp ?? timestamp;
    body = change.message?.body ?? body;
  }
  return listContentPieces({ content }, { id: message.id, timestamp, body });
}

/**
 * A sentence that names the mistakes of a receiver, and what to do.
 * @param mistakes at least one
 * @param others mistakes that have the same result
 */
export function describeMistakes(
  mistakes: readonly Pick<Mistake, 'reason' | 'description' | 'remedy'>[],
  others: readonly Pick<Mistake, 'description'>[] = [],
): { readonly reason: MistakeReason; readonly detail: string; readonly remedy: string } {
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  const detail = `The receiver makes ${count}: ${mistakes.map(({ description }) => description).join('; ')}.`;
  const other = others.find(({ description }) => description !== mistakes[0]?.description);
  return {
    reason: mistakes[0]?.reason ?? 'signature_mismatch',
    detail: other === undefined ? detail : `${detail} The result is the same if ${other.description}.`,
    remedy: [...new Set(mistakes.map(({ remedy }) => remedy))].join(' '),
  };
}

const CHECK_CLOCK =
  'Check the clock of the receiver, and the unit in which it compares the timestamp with the current time.';

/** Those of refusals that are not a mistake in the signature. */
const otherRemedies: Readonly<Partial<Record<MistakeReason, string>>> = {
  secret_missing: secretMissing.remedy,
  payload_unreadable: USE_RAW_BODY,
  timestamp_too_old: CHECK_CLOCK,
  timestamp_in_future: CHECK_CLOCK,
  signature_mismatch: COMPARE_SECRET,
};

/** What to do about a mistake of which only the reason is known; null for a reason that is not a mistake of a receiver. */
export function findRemedy(reason: MistakeReason, scheme: SignatureScheme): string | null {
  const remedy = kinds.find((kind) => kind.reason === reason)?.remedy ?? otherRemedies[reason] ?? null;
  return typeof remedy === 'function' ? remedy(scheme) : remedy;
}

/** Whether deliveries of the scheme have the values in a template. */
function isSent(template: string, scheme: SignatureScheme): boolean {
  return (
    (hasTimestamp(scheme) || !template.includes('{timestamp}')) &&
    (scheme.headers.id !== null || !template.includes('{id}'))
  );
}

function signsTimestamp({ content }: SignatureScheme): boolean {
  return content.includes('{timestamp}');
}

/** The header that contains the timestamp. */
export function getTimestampHeader({ headers }: SignatureScheme): string {
  return headers.timestamp ?? headers.signature;
}

function describeTimestamp(scheme: SignatureScheme): string {
  return `Read the timestamp in ${getTimestampHeader(scheme)} as ${timestampFormats[scheme.timestampFormat]}, and compare it with the current time in the same unit.`;
}

function describeContent(content: string, scheme: SignatureScheme): string {
  return `the signed string was ${JSON.stringify(content)} instead of ${JSON.stringify(scheme.content)}`;
}

function describeBodyMistake(
  sent: SignableMessage['body'],
  { description, body }: { readonly description: string; readonly body: SignableMessage['body'] },
): Change {
  const [bytes, sentBytes] = [Buffer.byteLength(body), Buffer.byteLength(sent)];
  const sizes = `${formatCount(bytes, 'byte')} instead of ${sentBytes}`;
  return [`the body was changed (${description}, ${sizes})`, { message: { body } }];
}

/** Characters of base64url that base64 does not have. */
const BASE64URL_ONLY = /[-_]/;

function withoutBase64Url(secret: string): string {
  const prefix = secret.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : '';
  return prefix + secret.slice(prefix.length).replace(/[-_]/g, '');
}

/** Other forms of the digest, other prefixes, and both, the likely ones first. */
function listEncodingMistakes({ scheme }: MistakeInput): Change[] {
  const correct = getDigestForm(scheme);
  const otherForms = digestForms.filter((form) => form !== correct);
  const otherPrefixes = listOtherPrefixes(scheme);
  const toChange = (prefix: string | null, form: DigestForm | null): Change => [
    [
      ...(prefix === null ? [] : [describePrefixMistake(prefix, scheme)]),
      ...(form === null ? [] : [describeFormMistake(form, scheme)]),
    ].join(' and '),
    {
      ...(prefix !== null && { scheme: { header: { ...scheme.header, prefix } } }),
      ...(form !== null && { form }),
    },
  ];
  const [firstForm = correct] = otherForms;
  return [
    toChange('', null),
    toChange(null, firstForm),
    toChange('', firstForm),
    ...otherForms.slice(1, 3).map((form) => toChange(null, form)),
    ...otherPrefixes.slice(1).flatMap((prefix) => [toChange(prefix, firstForm), toChange(prefix, null)]),
    ...otherForms.slice(3).map((form) => toChange(null, form)),
    ...otherPrefixes.flatMap((prefix) => otherForms.slice(1, 4).map((form) => toChange(prefix, form))),
  ];
}

/** The prefixes of other schemes, and none. */
function listOtherPrefixes({ header }: SignatureScheme): string[] {
  const prefixes = ['', ...Object.values(schemes).map((scheme) => scheme.header.prefix)];
  return [...new Set(prefixes)].filter((prefix) => prefix !== header.prefix);
}
