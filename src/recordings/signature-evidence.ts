/** Finds out how deliveries are signed: from the form of their headers, and by trying secrets and ways to sign. */
import { formatDeliveryCount } from '../domain/message-parts.ts';
import { signatureHeaderFormats, signatureKeys } from '../profile/gaps/signature-gaps.ts';
import type { GapId, GapValues } from '../profile/gaps.ts';
import { toSignatureScheme } from '../profile/rules.ts';
import { type SignatureScheme, signatureAlgorithms } from '../signature/scheme.ts';
import { isSignedWithAny } from '../signature/sign.ts';
import {
  formatSignatureHeader,
  formatTimestamp,
  parseTimestamp,
  readSignedMessage,
} from '../signature/signature-header.ts';
import type { Observation } from './finding.ts';
import type { DeliveryAttempt } from './sort-traffic.ts';

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

/** Deliveries for which all combinations are tried in vain: with a wrong secret, it would take too long for each one. */
const MAX_FAILED_SEARCHES = 3;

/** What the headers and the signatures show, and a note about what they cannot say, such as that a secret is missing. */
export function findSignatures(
  attempts: readonly DeliveryAttempt[],
  secrets: readonly string[],
  configured: GapValues,
): { readonly observations: readonly Observation[]; readonly note: string | null } {
  const { hash, key } = configured['signature.algorithm'];
  const observations: Observation[] = [];
  let unverifiedCount = 0;
  const known: Combination[] = [{ content: configured['signature.content'], key }];
  // A small body is searched fastest.
  for (const attempt of attempts.toSorted((a, b) => a.body.length - b.body.length)) {
    const observe = (gap: GapId, own: string, value: string | null, text: string, field?: string) => {
      const isSame = value === own;
      observations.push({
        gap,
        exchange: attempt,
        isSame,
        value,
        text,
        ...(field !== undefined && { field }),
      });
    };
    const { signature, timestamp } = attempt;
    if (timestamp !== '') {
      const format = findTimestampFormat(timestamp) ?? null;
      observe('signature.timestamp', configured['signature.timestamp'], format, timestamp);
    }
    if (signature === '') continue;
    const values = recognizeHeader(attempt, configured);
    const format = values?.['signature.header'] ?? null;
    observe('signature.header', configured['signature.header'], format, format ?? 'another form');
    const isSearched = attempt.isBodyComplete && unverifiedCount < MAX_FAILED_SEARCHES;
    const tried = isSearched ? [...known, ...combinations] : known;
    const found = values && tried.find((each) => isSignedWith(attempt, values, each, secrets));
    const usedHash = values?.['signature.algorithm'].hash;
    // Without a verified signature, the length of the digest can refute a hash, but not confirm it.
    if (usedHash !== undefined && (found || usedHash !== hash))
      observe('signature.algorithm', hash, usedHash, usedHash, 'hash');
    if (!found) {
      if (attempt.isBodyComplete) unverifiedCount++;
      continue;
    }
    if (!known.includes(found)) known.push(found);
    observe('signature.algorithm', key, found.key, found.key, 'key');
    observe('signature.content', configured['signature.content'], found.content, found.content);
  }
  const isVerified = observations.some(({ gap }) => gap === 'signature.content');
  const hasUnknownForm = observations.some(({ gap, value }) => gap === 'signature.header' && value === null);
  const count = formatDeliveryCount(unverifiedCount);
  let note: string | null = null;
  if (hasUnknownForm)
    note = 'The signature header has an unknown form. It needs a custom scheme in svc.config.json.';
  else if (unverifiedCount > 0 && secrets.length === 0)
    note = `Pass --secret to verify the signatures of ${count}.`;
  else if (unverifiedCount > 0 && isVerified)
    note = `No secret that was passed signed ${count}. They can be for another endpoint, or signed before a rotation.`;
  else if (unverifiedCount > 0)
    // A wrong secret and an unknown way to sign look the same.
    note = `None of ${combinations.length} combinations of signed content and key leads to the signature of ${count}. The secret is wrong, or the way to sign is unknown.`;
  return { observations, note };
}

function isSignedWith(
  attempt: DeliveryAttempt,
  values: GapValues,
  { content, key }: Combination,
  secrets: readonly string[],
): boolean {
  const { hash } = values['signature.algorithm'];
  const changed = { 'signature.content': content, 'signature.algorithm': { hash, key } };
  const scheme = toSignatureScheme({ ...values, ...changed });
  const { header, message } = readSignedMessage(scheme, attempt);
  return isSignedWithAny(scheme, secrets, message, header.digests);
}

const formatNames = Object.keys(signatureHeaderFormats) as GapValues['signature.header'][];

/** The values of the gaps with the configured format, or else with the first other one that the header has. */
function recognizeHeader(attempt: DeliveryAttempt, configured: GapValues): GapValues | null {
  const text = attempt.signature.replace(/\s*,\s*/g, ',');
  for (const format of [configured['signature.header'], ...formatNames]) {
    for (const hash of signatureAlgorithms) {
      const algorithm = { ...configured['signature.algorithm'], hash };
      const values = { ...configured, 'signature.header': format, 'signature.algorithm': algorithm };
      const scheme = toSignatureScheme(values);
      const { message, header } = readSignedMessage(scheme, attempt);
      const formatted = formatSignatureHeader(scheme, message.timestamp, header.digests);
      if (header.digests.length > 0 && formatted === text) return values;
    }
  }
  return null;
}

function findTimestampFormat(text: string): SignatureScheme['timestampFormat'] | undefined {
  const ms = parseTimestamp(text);
  const formats = ['iso8601', 'unix', 'unix_ms'] as const;
  return formats.find((format) => ms !== null && formatTimestamp(format, ms) === text);
}
