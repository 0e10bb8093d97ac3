/** Finds out how deliveries are signed: from the form of their headers, and by trying secrets and ways to sign. */
import { formatDeliveryCount } from '../domain/message-parts.ts';
import {
  type SignatureAlgorithm,
  type SignatureScheme,
  signatureAlgorithms,
} from '../domain/signature/scheme.ts';
import { computeHmac } from '../domain/signature/sign.ts';
import { digestBytes, formatTimestamp, parseTimestamp } from '../domain/signature/signature-header.ts';
import { verify } from '../domain/signature/verify.ts';
import { signatureHeaderFormats, signatureKeys } from '../profile/gaps/signature-gaps.ts';
import type { GapValues } from '../profile/gaps.ts';
import type { DeliveryAttempt } from './exchange.ts';
import { compareSightings, differ, type Finding, NO_EVIDENCE, type Sighting } from './finding.ts';

type FormatName = GapValues['signature.header'];
type KeyName = GapValues['signature.algorithm']['key'];

/** A way to sign, without the secret. */
interface Signing {
  readonly content: string;
  readonly key: KeyName;
  readonly hash: SignatureAlgorithm;
  readonly scheme: SignatureScheme;
}

interface ReadHeader {
  readonly format: FormatName;
  readonly hash: SignatureAlgorithm;
  readonly digests: readonly Buffer[];
  /** The signed timestamp, as text. */
  readonly timestamp: string;
}

interface SignedAttempt {
  readonly attempt: DeliveryAttempt;
  /** Null if the header has none of the known formats. */
  readonly header: ReadHeader | null;
  /** Null if no combination that was tried leads to the signature. */
  readonly signing: Signing | null;
}

/** HMACs after which no further signature is searched: with a wrong secret, all attempts would take too long. It takes about a second. */
const MAX_COMPUTED = 100_000;
/** The combinations are tried only for a body up to this size. */
const MAX_SEARCHED_BYTES = 256 * 1024;

const separators = ['.', ':', '', '\n', ' ', ',', '|', '-', '_', '/', ';', '&', '+'];
const orders = 'b tb bt ib bi itb tib tbi ibt bit bti'.split(' ');
const names: Readonly<Record<string, string>> = { b: '{body}', t: '{timestamp}', i: '{id}' };

/** Templates of the signed content: each order of the body with the timestamp, the ID or both, with common separators. */
export const searchedTemplates: readonly string[] = [
  ...new Set(
    orders.flatMap((order) =>
      separators.flatMap((separator) => {
        const content = Array.from(order, (letter) => names[letter]).join(separator);
        return [content, `v0${separator}${content}`, `v1${separator}${content}`];
      }),
    ),
  ),
];

/** The findings, and notes about what they cannot say, such as that a secret is missing. */
export function findSignatures(
  attempts: readonly DeliveryAttempt[],
  secrets: readonly string[],
  configured: GapValues,
  scheme: SignatureScheme,
) {
  const search = new SigningSearch(secrets, configured, scheme);
  // A small body is searched fastest.
  const signed = attempts
    .filter(({ signature }) => signature !== null)
    .toSorted((a, b) => a.body.content.length - b.body.content.length)
    .map((attempt): SignedAttempt => {
      const header = readHeader(attempt, configured['signature.header']);
      return { attempt, header, signing: header && search.find(attempt, header) };
    });
  const verified = signed.flatMap(({ attempt, signing }) => (signing === null ? [] : [{ attempt, signing }]));
  const contents = verified.map(({ attempt, signing: { content } }) =>
    toSighting(attempt, content, `signed ${JSON.stringify(content)}`),
  );
  const algorithms = verified.map(({ attempt, signing: { hash, key } }) =>
    toSighting(attempt, { hash, key }, `HMAC-${hash} with the key ${key}`),
  );
  return {
    findings: {
      'signature.content': compareSightings(configured['signature.content'], contents),
      'signature.algorithm':
        algorithms.length > 0
          ? compareSightings(configured['signature.algorithm'], algorithms)
          : compareDigestLength(signed, configured['signature.algorithm'].hash),
      'signature.header': compareHeader(signed, configured['signature.header']),
      'signature.timestamp': compareTimestamp(attempts, configured['signature.timestamp']),
    },
    notes: describeUnverified(signed, secrets, search.triedCount, scheme),
  };
}

function toSighting<Value>(exchange: DeliveryAttempt, value: Value, text: string): Sighting<Value> {
  return { exchange, value, text };
}

/** Tries the ways that signed other deliveries first, then the configured one, then all others. */
class SigningSearch {
  readonly #secrets: readonly string[];
  readonly #found: Signing[] = [];
  readonly #configured: readonly Signing[];
  readonly #others: readonly Signing[];
  #computedCount = 0;

  constructor(secrets: readonly string[], configured: GapValues, scheme: SignatureScheme) {
    const toSignings = (content: string, key: KeyName) =>
      signatureAlgorithms.map((hash): Signing => {
        const changed = { algorithm: hash, key: signatureKeys[key], content };
        return { content, key, hash, scheme: { ...scheme, ...changed } };
      });
    const keys = Object.keys(signatureKeys) as KeyName[];
    this.#secrets = secrets;
    this.#configured = toSignings(configured['signature.content'], configured['signature.algorithm'].key);
    this.#others = searchedTemplates.flatMap((content) => keys.flatMap((key) => toSignings(content, key)));
  }

  /** Combinations of content and key that were tried for each secret. */
  get triedCount(): number {
    return this.#others.length / signatureAlgorithms.length;
  }

  find(attempt: DeliveryAttempt, { hash, digests, timestamp }: ReadHeader): Signing | null {
    const message = { id: attempt.id, timestamp, body: attempt.body.content };
    for (const signing of this.#listCandidates(attempt)) {
      if (signing.hash !== hash) continue;
      const hmacs = this.#secrets.map((secret) => computeHmac(signing.scheme, secret, message));
      if (!hmacs.some((hmac) => digests.some((digest) => digest.equals(hmac)))) continue;
      if (!this.#found.includes(signing)) this.#found.push(signing);
      return signing;
    }
    return null;
  }

  *#listCandidates({ body }: DeliveryAttempt): Generator<Signing> {
    yield* this.#found;
    yield* this.#configured;
    const isSearched =
      body.isComplete && body.content.length <= MAX_SEARCHED_BYTES && this.#secrets.length > 0;
    if (!isSearched || this.#computedCount >= MAX_COMPUTED) return;
    this.#computedCount += this.triedCount * this.#secrets.length;
    yield* this.#others;
  }
}

const formatNames = Object.keys(signatureHeaderFormats) as FormatName[];

/** Reads the header in the configured format, or else in the first other one that it has. */
function readHeader(attempt: DeliveryAttempt, configured: FormatName): ReadHeader | null {
  for (const format of [configured, ...formatNames]) {
    for (const hash of signatureAlgorithms) {
      const read = readHeaderAs(attempt, format, hash);
      if (read !== null) return read;
    }
  }
  return null;
}

function readHeaderAs(
  { signature, timestamp }: DeliveryAttempt,
  format: FormatName,
  hash: SignatureAlgorithm,
): ReadHeader | null {
  const { encoding, prefix, separator, timestampField } = signatureHeaderFormats[format];
  const start = prefix.replace('<hash>', hash);
  const parts = (signature?.value ?? '').split(separator).map((part) => part.trim());
  const field = timestampField === null ? null : parts.shift();
  if (timestampField !== null && !field?.startsWith(`${timestampField}=`)) return null;
  const digests = parts.map((part) => Buffer.from(part.slice(start.length), encoding));
  const isValid = digests.every(
    (digest, index) =>
      digest.length === digestBytes[hash] && parts[index] === start + digest.toString(encoding),
  );
  if (!isValid || digests.length === 0) return null;
  return { format, hash, digests, timestamp: field?.slice(field.indexOf('=') + 1) ?? timestamp?.value ?? '' };
}

/** Without a secret, only the length of the digest is known. It can refute a hash, but not confirm it. */
function compareDigestLength(signed: readonly SignedAttempt[], configured: SignatureAlgorithm): Finding {
  const lengths = signed.flatMap(({ attempt, header }) =>
    header === null
      ? []
      : [toSighting(attempt, { hash: header.hash }, `a digest of ${digestBytes[header.hash]} bytes`)],
  );
  const finding = compareSightings({ hash: configured }, lengths);
  return finding.verdict === 'different' ? finding : NO_EVIDENCE;
}

function compareHeader(signed: readonly SignedAttempt[], configured: FormatName): Finding {
  const known = signed.flatMap(({ attempt, header }) =>
    header === null
      ? []
      : [toSighting(attempt, header.format, `${header.digests.length} × ${header.format}`)],
  );
  const unknown = signed.filter(({ header }) => header === null);
  if (unknown.length <= known.length) return compareSightings(configured, known);
  const sightings = unknown.map(({ attempt }) => ({ exchange: attempt, text: 'a header of another form' }));
  return differ(null, sightings, { needed: 'a custom signature scheme (see the note)' });
}

function compareTimestamp(attempts: readonly DeliveryAttempt[], configured: string): Finding {
  const sightings = attempts.flatMap((attempt) => {
    if (attempt.timestamp === null) return [];
    const { name, value } = attempt.timestamp;
    return [toSighting(attempt, findTimestampFormat(value) ?? 'other', `${name}: ${value}`)];
  });
  const finding = compareSightings(configured, sightings);
  if (finding.override !== 'other') return finding;
  return { ...finding, observed: null, override: null, needed: 'another format of timestamps' };
}

function findTimestampFormat(text: string): SignatureScheme['timestampFormat'] | null {
  const ms = parseTimestamp(text);
  const formats = ['iso8601', 'unix', 'unix_ms'] as const;
  return formats.find((format) => ms !== null && formatTimestamp(format, ms) === text) ?? null;
}

/** Why deliveries could not be verified. A wrong secret and an unknown way to sign look the same, unless the header differs. */
function describeUnverified(
  signed: readonly SignedAttempt[],
  secrets: readonly string[],
  triedCount: number,
  scheme: SignatureScheme,
): string[] {
  const unverified = signed.filter(({ signing, attempt }) => signing === null && attempt.body.isComplete);
  const [first] = unverified;
  if (first === undefined) return [];
  if (first.header === null) return [describeCustomScheme(first.attempt)];
  const count = formatDeliveryCount(unverified.length);
  if (secrets.length === 0) return [`Pass --secret to verify the signatures of ${count}.`];
  if (unverified.length < signed.length) {
    return [
      `No secret that was passed signed ${count}. They can be for another endpoint, or signed before a rotation.`,
    ];
  }
  const { attempt, header } = first;
  const { body, id } = attempt;
  const message = {
    payload: body.content,
    timestamp: header.timestamp,
    id,
    signature: attempt.signature?.value,
  };
  const { reason, detail } = verify({ ...message, secret: secrets, scheme, now: attempt.at });
  const known =
    reason === 'signature_mismatch' || detail === null
      ? 'The secret is wrong, or the way to sign is unknown.'
      : detail;
  return [
    `None of ${triedCount} combinations of signed content and key leads to the signature of ${count}. ${known}`,
  ];
}

/** The scheme that would be needed for an unknown signature header, with `?` for what is not known. */
function describeCustomScheme({ signature, timestamp }: DeliveryAttempt): string {
  const [, prefix = '?', digest = ''] =
    /^(.*?[=,:\s]|)([\w+/-]{27,}={0,2})$/.exec(signature?.value ?? '') ?? [];
  const encoding = /^[0-9a-f]+$/i.test(digest) ? 'hex' : 'base64';
  const { length } = Buffer.from(digest, encoding);
  const scheme = {
    algorithm: signatureAlgorithms.find((each) => digestBytes[each] === length) ?? '?',
    key: { form: '?' },
    content: '?',
    encoding,
    header: { prefix, separator: null, timestamp_field: null },
    headers: { signature: signature?.name, timestamp: timestamp?.name ?? null, id: '?' },
    timestamp_format: findTimestampFormat(timestamp?.value ?? '') ?? '?',
  };
  return `The signature header has an unknown form. It needs a custom scheme in svc.config.json, with a value for each "?": ${JSON.stringify({ schemes: { observed: scheme } })}`;
}
