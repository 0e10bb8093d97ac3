/** Finds out how deliveries are signed: from the form of their headers, and by trying secrets and ways to sign. */
import { formatDeliveryCount } from '../domain/message-parts.ts';
import { signatureHeaderFormats, signatureKeys } from '../profile/gaps/signature-gaps.ts';
import type { GapValues } from '../profile/gaps.ts';
import { toSignatureScheme } from '../profile/rules.ts';
import { type SignatureScheme, signatureAlgorithms } from '../signature/scheme.ts';
import { isSignedWithAny } from '../signature/sign.ts';
import {
  formatSignatureHeader,
  formatTimestamp,
  parseTimestamp,
  readSignedMessage,
} from '../signature/signature-header.ts';
import { verify } from '../signature/verify.ts';
import { compareObservations, joinFindings, NO_EVIDENCE, type Observation } from './finding.ts';
import type { DeliveryAttempt } from './sort-traffic.ts';

interface SignedAttempt {
  readonly attempt: DeliveryAttempt;
  /** The values of the gaps with the format and the hash of the header; null if it has none of the known formats. */
  readonly values: GapValues | null;
  /** Null if no combination that was tried leads to the signature. */
  readonly signing: Combination | null;
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
const keyForms = Object.keys(signatureKeys) as (keyof typeof signatureKeys)[];
/** The ways to sign, without the hash, which follows from the length of the digest. */
const combinations = searchedTemplates.flatMap((content) => keyForms.map((key) => ({ content, key })));
type Combination = (typeof combinations)[number];

/** The findings, and a note about what they cannot say, such as that a secret is missing. */
export function findSignatures(
  attempts: readonly DeliveryAttempt[],
  secrets: readonly string[],
  configured: GapValues,
) {
  const { hash, key } = configured['signature.algorithm'];
  const find = createSearch(secrets, { content: configured['signature.content'], key });
  // A small body is searched fastest.
  const signed = attempts
    .filter(({ signature }) => signature !== null)
    .toSorted((a, b) => a.body.content.length - b.body.content.length)
    .map((attempt): SignedAttempt => {
      const values = recognizeHeader(attempt, configured);
      return { attempt, values, signing: values && find(attempt, values) };
    });
  const observe = <Value>(read: (each: SignedAttempt) => Value | null | undefined) =>
    signed.flatMap((each) => {
      const value = read(each) ?? null;
      return value === null ? [] : [{ exchange: each.attempt, value }];
    });
  const keys = observe(({ signing }) => signing?.key);
  const hashes = observe(({ values }) => values?.['signature.algorithm'].hash);
  const formats = signed.map(({ attempt, values }) => {
    const value = values?.['signature.header'] ?? null;
    const count = values && readSignature(attempt, toSignatureScheme(values)).header.digests.length;
    return { exchange: attempt, value, text: value === null ? 'another form' : `${count} × ${value}` };
  });
  const timestamps = attempts.flatMap((attempt) => {
    const { name, value: text } = attempt.timestamp ?? { name: '', value: '' };
    const value = findTimestampFormat(text) ?? null;
    return name === '' ? [] : [{ exchange: attempt, value, text: `${name}: ${text}` }];
  });
  const contents = observe(({ signing }) => signing?.content);
  const compare = (
    gap: 'signature.content' | 'signature.header' | 'signature.timestamp',
    observations: readonly Observation<string | null>[],
    needed?: string,
  ) => compareObservations(configured[gap], observations, needed);
  const algorithm = joinFindings({
    hash: compareObservations(hash, hashes),
    key: compareObservations(key, keys),
  });
  return {
    findings: {
      'signature.content': compare('signature.content', contents),
      // Without a verified signature, the length of the digest can refute a hash, but not confirm it.
      'signature.algorithm': keys.length === 0 && algorithm.verdict === 'confirmed' ? NO_EVIDENCE : algorithm,
      'signature.header': compare('signature.header', formats, 'a custom signature scheme (see the note)'),
      'signature.timestamp': compare('signature.timestamp', timestamps, 'another format of timestamps'),
    },
    note: describeUnverified(signed, secrets),
  };
}

/** Returns a function that tries the combinations that signed other deliveries first, then the configured one, then all others. */
function createSearch(secrets: readonly string[], configured: Combination) {
  const likely = [configured];
  let remainingCount = MAX_COMPUTED;
  return (attempt: DeliveryAttempt, values: GapValues): Combination | null => {
    const { hash } = values['signature.algorithm'];
    const isSignedWith = ({ content, key }: Combination) => {
      const changed = { 'signature.content': content, 'signature.algorithm': { hash, key } };
      const scheme = toSignatureScheme({ ...values, ...changed });
      const { header, message } = readSignature(attempt, scheme);
      return isSignedWithAny(scheme, secrets, message, header.digests);
    };
    const known = likely.find(isSignedWith);
    const { content, isComplete } = attempt.body;
    if (known !== undefined) return known;
    if (!isComplete || content.length > MAX_SEARCHED_BYTES || remainingCount < 0) return null;
    remainingCount -= combinations.length * secrets.length;
    const found = secrets.length === 0 ? undefined : combinations.find(isSignedWith);
    if (found !== undefined) likely.unshift(found);
    return found ?? null;
  };
}

function readSignature({ id, signature, timestamp, body }: DeliveryAttempt, scheme: SignatureScheme) {
  const headers = { signature: signature?.value ?? '', timestamp: timestamp?.value ?? '' };
  return readSignedMessage(scheme, { id, ...headers, body: body.content });
}

const formatNames = Object.keys(signatureHeaderFormats) as GapValues['signature.header'][];

/** The values of the gaps with the configured format, or else with the first other one that the header has. */
function recognizeHeader(attempt: DeliveryAttempt, configured: GapValues): GapValues | null {
  const text = attempt.signature?.value.replace(/\s*,\s*/g, ',');
  for (const format of [configured['signature.header'], ...formatNames]) {
    for (const hash of signatureAlgorithms) {
      const algorithm = { ...configured['signature.algorithm'], hash };
      const values = { ...configured, 'signature.header': format, 'signature.algorithm': algorithm };
      const scheme = toSignatureScheme(values);
      const {
        message,
        header: { digests },
      } = readSignature(attempt, scheme);
      if (digests.length > 0 && formatSignatureHeader(scheme, message.timestamp, digests) === text)
        return values;
    }
  }
  return null;
}

function findTimestampFormat(text: string): SignatureScheme['timestampFormat'] | undefined {
  const ms = parseTimestamp(text);
  const formats = ['iso8601', 'unix', 'unix_ms'] as const;
  return formats.find((format) => ms !== null && formatTimestamp(format, ms) === text);
}

/** Why deliveries could not be verified; null if all were. A wrong secret and an unknown way to sign look the same, unless the header differs. */
function describeUnverified(signed: readonly SignedAttempt[], secrets: readonly string[]): string | null {
  const unverified = signed.filter(({ signing, attempt }) => signing === null && attempt.body.isComplete);
  const [first] = unverified;
  if (first === undefined) return null;
  const { attempt, values } = first;
  const count = formatDeliveryCount(unverified.length);
  if (values === null)
    return 'The signature header has an unknown form. It needs a custom scheme in svc.config.json.';
  if (secrets.length === 0) return `Pass --secret to verify the signatures of ${count}.`;
  if (unverified.length < signed.length)
    return `No secret that was passed signed ${count}. They can be for another endpoint, or signed before a rotation.`;
  const scheme = toSignatureScheme(values);
  const { body: payload, ...message } = readSignature(attempt, scheme).message;
  const signature = attempt.signature?.value;
  const result = verify({ ...message, payload, signature, secret: secrets, scheme, now: attempt.at });
  const isUnknown = result.ok || result.reason === 'signature_mismatch';
  const known = isUnknown ? 'The secret is wrong, or the way to sign is unknown.' : result.detail;
  return `None of ${combinations.length} combinations of signed content and key leads to the signature of ${count}. ${known}`;
}
