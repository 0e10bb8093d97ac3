/** The mistakes that receivers make with signatures: how each is made, how it is recognized, and what to do. */
import { getApiKeyEnvironment, keyPrefixes, SECRET_PREFIX } from '../credentials.ts';
import { formatCount } from '../message-parts.ts';
import {
  type ChangedBody,
  describeDifference,
  listChangedBodies,
  listOriginalBodies,
} from './body-changes.ts';
import {
  type DigestForm,
  describeCorrectForm,
  describeFormMistake,
  describePrefixMistake,
  digestForms,
  getDigestForm,
} from './digest-forms.ts';
import {
  type MistakeReason,
  quote,
  type Refusal,
  type RefusalReason,
  secretMissing,
  USE_RAW_BODY,
} from './refusals.ts';
import { type SignatureScheme, signatureAlgorithms } from './scheme.ts';
import { describeKey, hasTimestamp, schemes } from './schemes.ts';
import { computeHmac, createSignatureHeaders, formatSignatureHeaders, type SignableMessage } from './sign.ts';
import { formatTimestamp, parseTimestamp } from './signature-header.ts';
import type { NamedSecret, ParsedVerifyInput } from './verify-input.ts';

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
}

/** What a mistake changes. */
export interface SignatureChange {
  readonly scheme?: Partial<SignatureScheme>;
  readonly secret?: string;
  readonly message?: Partial<SignableMessage>;
  /** How the digest is written, if not in the encoding of the scheme. */
  readonly form?: DigestForm;
}

/** A way to make a mistake. */
export interface Mistake {
  /** The part of the signature that is changed. `header`: only how it is written, and not the digest. */
  readonly part: 'secret' | 'timestamp' | 'content' | 'key' | 'algorithm' | 'body' | 'header';
  readonly reason: MistakeReason;
  /** A clause that completes "The receiver makes one mistake: …", on its own or in a list of two. */
  readonly description: string;
  readonly remedy: string;
  readonly change: SignatureChange;
}

/** A signature that does not match, as a receiver passed it to `verify`. */
interface MismatchedSignature {
  readonly input: ParsedVerifyInput;
  readonly message: SignableMessage;
  /** Whether the signature is that of the message with a change. */
  isSignedWith(change: SignatureChange): boolean;
}

type Definition = {
  readonly part?: Mistake['part'];
  readonly remedy: string | ((scheme: SignatureScheme) => string);
  /** How to make the mistake: each change, with the clause that describes it. */
  readonly make?: (input: MistakeInput) => readonly (readonly [description: string, SignatureChange])[];
} & (
  | {
      readonly reason: RefusalReason;
      /** How to recognize it in a mismatch: what was found, as a sentence; null if it is another mistake. */
      readonly recognize?: (signature: MismatchedSignature) => string | null | undefined;
    }
  | { readonly reason: MistakeReason; readonly recognize?: never }
);

/** Limits the work that a forged delivery with a large body can cause. For this size, trying all pairs takes a few hundred milliseconds. */
export const MAX_CHANGED_BYTES = 64 * 1024;

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

const UNSET = 'an unset environment variable is the usual cause';
const USE_SECRET = 'Use the current secret of the endpoint.';
const CHECK_CLOCK =
  'Check the clock of the receiver, and the unit in which it compares the timestamp with the current time.';

/** In the order in which they are recognized and made. */
const definitions: readonly Definition[] = [
  { reason: 'secret_missing', remedy: secretMissing.remedy },
  { reason: 'payload_unreadable', remedy: USE_RAW_BODY },
  { reason: 'timestamp_too_old', remedy: CHECK_CLOCK },
  { reason: 'timestamp_in_future', remedy: CHECK_CLOCK },
  {
    reason: 'api_key_as_secret',
    remedy: 'Use the current secret of the endpoint (whsec_…), not the API key.',
    part: 'secret',
    make: ({ otherSecrets }) =>
      otherSecrets
        .filter(({ secret }) => getApiKeyEnvironment(secret) !== null)
        .map(({ secret }) => ['the secret was an API key', { secret }]),
    recognize: ({ input: { secrets } }) => {
      const environment = secrets.map(getApiKeyEnvironment).find((candidate) => candidate !== null);
      return (
        environment &&
        `The secret starts with ${keyPrefixes[environment]}, so it is an API key. Deliveries are signed with the endpoint secret.`
      );
    },
  },
  {
    reason: 'wrong_secret',
    remedy: USE_SECRET,
    part: 'secret',
    make: ({ secrets, otherSecrets }) => [
      ...otherSecrets
        .filter(({ secret }) => !secrets.includes(secret) && getApiKeyEnvironment(secret) === null)
        .map(({ name, secret }) => [`the secret was ${name}`, { secret }] as const),
      ...secrets.flatMap((secret) => [
        ['the secret was in double quotes', { secret: `"${secret}"` }] as const,
        ['the secret was in single quotes', { secret: `'${secret}'` }] as const,
        ['the secret ended with a line break', { secret: `${secret}\n` }] as const,
        ['the secret ended with a space', { secret: `${secret} ` }] as const,
      ]),
      [`the secret was empty: ${UNSET}`, { secret: '' }],
      [`the secret was the text "undefined": ${UNSET}`, { secret: 'undefined' }],
    ],
    recognize: ({ input: { secrets, otherSecrets }, isSignedWith }) => {
      const match = [...secrets.flatMap(listCorrectedSecrets), ...otherSecrets].find(({ secret }) =>
        isSignedWith({ secret }),
      );
      return match && `The signature does not match the given secret, but it matches ${match.name}.`;
    },
  },
  {
    reason: 'timestamp_changed',
    remedy: 'Use the value of the timestamp header as it arrived. Converting it changes the signed string.',
    part: 'timestamp',
    make: ({ scheme, message: { timestamp: sent } }) =>
      scheme.content.includes('{timestamp}')
        ? listTimestampForms(sent).map(({ name, timestamp }) => [
            `the timestamp was ${name} (${timestamp}), but its header is ${sent}`,
            { message: { timestamp } },
          ])
        : [],
    recognize: ({ message: { timestamp: received }, isSignedWith }) => {
      const signed = listTimestampForms(received).find(({ timestamp }) =>
        isSignedWith({ message: { timestamp } }),
      );
      return (
        signed &&
        `The signature is valid for the timestamp ${signed.timestamp}, but the given timestamp is ${quote(received)}.`
      );
    },
  },
  {
    reason: 'content_changed',
    remedy: ({ content }) =>
      `Compute the HMAC over ${content}, with the header values as they arrived and the raw body.`,
    part: 'content',
    make: ({ scheme }) =>
      commonTemplates
        .filter((content) => content !== scheme.content)
        .map((content) => [
          `the signed string was ${JSON.stringify(content)} instead of ${JSON.stringify(scheme.content)}`,
          { scheme: { content } },
        ]),
  },
  {
    reason: 'key_changed',
    remedy: ({ key }) => `Use ${describeKey(key)} as the key.`,
    part: 'key',
    make: ({ scheme }) =>
      commonKeys
        .map((key) => [`the key was ${describeKey(key)}`, { scheme: { key } }] as const)
        .filter(([, change]) => describeKey(change.scheme.key) !== describeKey(scheme.key)),
  },
  {
    reason: 'algorithm_changed',
    remedy: ({ algorithm }) => `Compute the HMAC with ${algorithm}.`,
    part: 'algorithm',
    make: ({ scheme }) =>
      signatureAlgorithms
        .filter((algorithm) => algorithm !== scheme.algorithm)
        .map((algorithm) => [
          `the hash was ${algorithm} instead of ${scheme.algorithm}`,
          { scheme: { algorithm } },
        ]),
  },
  {
    reason: 'body_changed',
    remedy: USE_RAW_BODY,
    part: 'body',
    make: ({ message: { body: sent }, receivedBody }) => [
      ...listChangedBodies(sent).map((changed) => describeBodyMistake(sent, changed)),
      ...(receivedBody === undefined || Buffer.from(sent).equals(receivedBody)
        ? []
        : [
            describeBodyMistake(sent, {
              description: describeDifference(sent, receivedBody),
              body: receivedBody,
            }),
          ]),
    ],
    recognize: ({ input, message: { body: received }, isSignedWith }) => {
      const bytes = Buffer.byteLength(received);
      for (const { description, body } of listSentBodies(input)) {
        if (isSignedWith({ message: { body } })) {
          const sentBytes = formatCount(Buffer.byteLength(body), 'byte');
          return `The body was changed after signing: ${description} (${sentBytes} signed, ${bytes} given).`;
        }
      }
      return input.payload === '[object Object]'
        ? 'The given body is the text [object Object]: the body was parsed, and the object was converted to text.'
        : null;
    },
  },
  {
    reason: 'body_changed',
    remedy: 'Use the bytes as they arrived, before the framework or a proxy decompresses them.',
    recognize: ({ input: { payload, contentEncoding } }) =>
      isEncoded(contentEncoding) && JSON_START.test(toLatin1(payload))
        ? `The signature does not match, and the body was decompressed after it arrived: Content-Encoding is ${quote(contentEncoding)}, but the given body is not compressed.`
        : null,
  },
  {
    reason: 'body_changed',
    remedy: 'Turn off compression between sender and receiver, or decompress the body before verifying.',
    recognize: ({ input: { payload, contentEncoding } }) =>
      !isEncoded(contentEncoding) && GZIP.test(toLatin1(payload))
        ? 'The signature does not match, and the given body is compressed with gzip: it was compressed after signing.'
        : null,
  },
  {
    reason: 'body_changed',
    remedy: USE_RAW_BODY,
    recognize: ({ input: { payload } }) =>
      typeof payload === 'string' && payload.includes('\uFFFD')
        ? 'The signature does not match, and the given body contains U+FFFD: bytes were lost when it was decoded as text.'
        : null,
  },
  {
    reason: 'encoding_changed',
    remedy: describeCorrectForm,
    part: 'header',
    make: ({ scheme }) => [
      ...listOtherPrefixes(scheme).map(
        (prefix) =>
          [
            describePrefixMistake(prefix, scheme),
            { scheme: { header: { ...scheme.header, prefix } } },
          ] as const,
      ),
      ...digestForms
        .filter((form) => form !== getDigestForm(scheme))
        .map((form) => [describeFormMistake(form, scheme), { form }] as const),
    ],
  },
  {
    reason: 'header_not_split',
    remedy: ({ headers, header }) =>
      `Split ${headers.signature} at ${JSON.stringify(header.separator)}, and accept the delivery if any of its signatures matches.`,
    part: 'header',
    make: ({ scheme: { headers, header }, secrets }) =>
      header.separator === null || secrets.length < 2
        ? []
        : secrets.map((secret, index) => [
            `${headers.signature} was expected with only one signature, that of the ${index === 0 ? 'current' : 'previous'} secret`,
            { secret },
          ]),
  },
  {
    reason: 'timestamp_unreadable',
    remedy: (scheme) =>
      `Read the timestamp in ${getTimestampHeader(scheme)} as ${timestampFormats[scheme.timestampFormat]}, and compare it with the current time in the same unit.`,
    part: 'header',
    make: ({ scheme }) =>
      hasTimestamp(scheme)
        ? (['unix', 'unix_ms', 'iso8601'] as const)
            .filter((timestampFormat) => timestampFormat !== scheme.timestampFormat)
            .map((timestampFormat) => [
              `the timestamp in ${getTimestampHeader(scheme)} was expected as ${timestampFormats[timestampFormat]}`,
              { scheme: { timestampFormat } },
            ])
        : [],
  },
  {
    reason: 'wrong_secret',
    remedy:
      'Reject the delivery. If it is genuine, correct the secret in the configuration of the receiver, or pass the headers as they arrived.',
    recognize: ({ input: { payload, sentBody } }) =>
      sentBody !== null && Buffer.from(sentBody).equals(Buffer.from(payload))
        ? 'The signature does not match the given secret, and the body is unchanged: the signature was made with another secret or for other headers, or is forged.'
        : null,
  },
  {
    reason: 'signature_mismatch',
    remedy:
      'Compare the secret with the endpoint secret first. If they are the same, make sure that you verify the raw request body and the headers as they arrived.',
    recognize: ({ input }) => (input.payload.length > 0 ? describeMismatch(input) : null),
  },
  {
    reason: 'signature_mismatch',
    remedy: 'Read the raw request body before anything else consumes it: the given body is empty.',
    recognize: ({ input }) => describeMismatch(input),
  },
];

/** Lists the known mistakes in a signature, one at a time. */
export function listMistakes(input: MistakeInput): Mistake[] {
  return definitions.flatMap(({ part, reason, remedy, make }) =>
    part === undefined || make === undefined
      ? []
      : make(input).map(([description, change]) => ({
          part,
          reason,
          description,
          change,
          remedy: getRemedyText(remedy, input.scheme),
        })),
  );
}

/** The digest of a receiver that makes these mistakes, each in another part. It has one of the correct secrets. */
export function computeChangedHmac(
  { scheme, message }: MistakeInput,
  secret: string,
  mistakes: readonly Pick<Mistake, 'change'>[],
): Buffer {
  const changes = mistakes.map(({ change }) => change);
  return computeHmac(
    Object.assign({}, scheme, ...changes.map((change) => change.scheme)),
    changes.find((change) => change.secret !== undefined)?.secret ?? secret,
    Object.assign({}, message, ...changes.map((change) => change.message)),
  );
}

/** A request that only a receiver with these mistakes accepts. */
export interface Probe {
  readonly mistakes: readonly Mistake[];
  readonly headers: Readonly<Record<string, string>>;
  /** If the receiver accepts the request with these headers too, it does not make the mistakes. */
  readonly counterexample: Readonly<Record<string, string>> | null;
}

/** Lists the requests with which a receiver can be probed, each with other headers: the likely mistakes first. */
export function* listProbes(input: MistakeInput): Generator<Probe> {
  const { scheme, secrets, message } = input;
  const listed = new Set([JSON.stringify(createSignatureHeaders(scheme, secrets, message))]);
  for (const mistake of listMistakes(input)) {
    const headers = signWithMistake(input, mistake);
    const text = JSON.stringify(headers);
    if (listed.has(text)) continue;
    listed.add(text);
    yield { mistakes: [mistake], headers, counterexample: null };
  }
}

/** A sentence that names the mistakes of a receiver, and what to do. @param mistakes at least one */
export function describeMistakes(mistakes: readonly Pick<Mistake, 'reason' | 'description' | 'remedy'>[]): {
  readonly reason: MistakeReason;
  readonly detail: string;
  readonly remedy: string;
} {
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  return {
    reason: mistakes[0]?.reason ?? 'signature_mismatch',
    detail: `The receiver makes ${count}: ${mistakes.map(({ description }) => description).join('; ')}.`,
    remedy: [...new Set(mistakes.map(({ remedy }) => remedy))].join(' '),
  };
}

/** The headers with one signature that only a receiver with this mistake accepts. */
export function signWithMistake(input: MistakeInput, mistake: Mistake): Record<string, string> {
  const { message, secrets } = input;
  const { change } = mistake;
  const scheme: SignatureScheme = { ...input.scheme, ...change.scheme };
  const sentAt = parseTimestamp(message.timestamp);
  const isConverted = scheme.timestampFormat !== input.scheme.timestampFormat && sentAt !== null;
  const timestamp = isConverted ? formatTimestamp(scheme.timestampFormat, sentAt) : message.timestamp;
  const sentMessage = { ...message, timestamp };
  const hmac = computeChangedHmac({ ...input, message: sentMessage }, secrets[0] ?? '', [mistake]);
  const digest = change.form?.write(hmac) ?? hmac.toString(scheme.encoding);
  return formatSignatureHeaders(scheme, sentMessage, [digest]);
}

/** Why a signature does not match, as precisely as possible. */
export function recognizeMismatch(signature: MismatchedSignature): Refusal {
  for (const definition of definitions) {
    if (definition.recognize === undefined) continue;
    const detail = definition.recognize(signature);
    const remedy = getRemedyText(definition.remedy, signature.input.scheme);
    if (detail) return { reason: definition.reason, detail, remedy };
  }
  throw new Error('The last definition recognizes every signature.');
}

/** What to do about a mistake of which only the reason is known; null for a reason that is not a mistake in the signature. */
export function findRemedy(reason: MistakeReason, scheme: SignatureScheme): string | null {
  const definition = definitions.find((candidate) => candidate.reason === reason);
  return definition === undefined ? null : getRemedyText(definition.remedy, scheme);
}

function getRemedyText(remedy: Definition['remedy'], scheme: SignatureScheme): string {
  return typeof remedy === 'string' ? remedy : remedy(scheme);
}

/** Corrections of common copy errors. */
function listCorrectedSecrets(secret: string): NamedSecret[] {
  const unquoted = secret.trim().replace(/^(["'])(.*)\1$/s, '$2');
  return [
    { name: 'the same secret without the whitespace or quotes around it', secret: unquoted },
    { name: `the same secret with the prefix ${SECRET_PREFIX}`, secret: SECRET_PREFIX + unquoted },
    {
      name: `the same secret without the prefix ${SECRET_PREFIX}`,
      secret: unquoted.replace(SECRET_PREFIX, ''),
    },
  ];
}

/** The other forms of a timestamp. */
function listTimestampForms(text: string): { readonly name: string; readonly timestamp: string }[] {
  const ms = parseTimestamp(text);
  if (ms === null) return [];
  const iso = formatTimestamp('iso8601', ms);
  return [
    { name: 'in seconds since 1970', timestamp: formatTimestamp('unix', ms) },
    { name: 'in milliseconds since 1970', timestamp: formatTimestamp('unix_ms', ms) },
    { name: 'in ISO 8601 without milliseconds', timestamp: iso },
    { name: 'in ISO 8601 with milliseconds', timestamp: new Date(ms).toISOString() },
    { name: 'in ISO 8601 with an offset', timestamp: iso.replace('Z', '+00:00') },
  ].filter(({ timestamp }) => timestamp !== text);
}

function getTimestampHeader({ headers }: SignatureScheme): string {
  return headers.timestamp ?? headers.signature;
}

function describeBodyMistake(sent: SignableMessage['body'], { description, body }: ChangedBody) {
  const [bytes, sentBytes] = [Buffer.byteLength(body), Buffer.byteLength(sent)];
  const sizes = `${formatCount(bytes, 'byte')} instead of ${sentBytes}`;
  return [`the body was changed (${description}, ${sizes})`, { message: { body } }] as const;
}

/** Lists bodies that may have been sent, with the change that led to the received body. */
function* listSentBodies({ payload, sentBody }: ParsedVerifyInput): Generator<ChangedBody> {
  if (Buffer.byteLength(payload) <= MAX_CHANGED_BYTES) yield* listOriginalBodies(payload);
  if (sentBody !== null) yield { description: describeDifference(sentBody, payload), body: sentBody };
}

/** The first two bytes of gzip (RFC 1952), read as Latin-1. */
const GZIP = /^\x1f\x8b/;
const JSON_START = /^\s*[[{"]/;

function toLatin1(payload: string | Uint8Array): string {
  return Buffer.from(payload).toString('latin1');
}

function isEncoded(contentEncoding: string): boolean {
  return contentEncoding !== '' && contentEncoding !== 'identity';
}

function describeMismatch({ secrets: { length }, payload, scheme }: ParsedVerifyInput): string {
  const secrets =
    length === 1 ? 'the given secret and body' : `any of the ${length} given secrets with the given body`;
  const bytes = formatCount(Buffer.byteLength(payload), 'byte');
  const signed = [
    'the body',
    ...(hasTimestamp(scheme) ? [`the timestamp in ${getTimestampHeader(scheme)}`] : []),
    ...(scheme.content.includes('{id}') && scheme.headers.id !== null ? [scheme.headers.id] : []),
  ];
  return `The signature does not match ${secrets} (${bytes}): the secret is wrong, or ${signed.join(' or ')} was changed after signing.`;
}

/** The prefixes of other schemes, and none. */
function listOtherPrefixes({ header }: SignatureScheme): string[] {
  const prefixes = ['', ...Object.values(schemes).map((scheme) => scheme.header.prefix)];
  return [...new Set(prefixes)].filter((prefix) => prefix !== header.prefix);
}
