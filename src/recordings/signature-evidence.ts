/** Finds out how deliveries are signed: from the form of their headers, and by trying secrets and ways to sign. */
import { formatDeliveryCount } from '../domain/message-parts.ts';
import { signatureHeaderFormats, signatureKeys } from '../profile/gaps/signature-gaps.ts';
import type { GapId, GapValues } from '../profile/gaps.ts';
import { toSignatureScheme } from '../profile/rules.ts';
import { type SignatureScheme, signatureAlgorithms } from '../signature/scheme.ts';
import { schemes } from '../signature/schemes.ts';
import { isSignedWithAny } from '../signature/sign.ts';
import {
  formatSignatureHeader,
  formatTimestamp,
  parseTimestamp,
  readSignedMessage,
} from '../signature/signature-header.ts';
import type { Observation } from './finding.ts';
import type { DeliveryAttempt } from './sort-recording.ts';

/** Templates of the signed content: those of the built-in senders, and two without an ID that other services use. */
export const searchedTemplates: readonly string[] = [
  ...new Set(Object.values(schemes).map(({ content }) => content)),
  '{timestamp}{body}',
  '{timestamp}:{body}',
];
const keyForms = Object.keys(signatureKeys) as (keyof typeof signatureKeys)[];
/** The ways to sign, without the hash, which follows from the length of the digest. */
const combinations = searchedTemplates.flatMap((content) => keyForms.map((key) => ({ content, key })));
type Combination = (typeof combinations)[number];

/** What the headers and the signatures show, and a note about what they cannot say, such as that a secret is missing. */
export function findSignatures(
  attempts: readonly DeliveryAttempt[],
  secrets: readonly string[],
  configured: GapValues,
): { readonly observations: readonly Observation[]; readonly note: string | null } {
  const { hash, key } = configured['signature.algorithm'];
  const observations: Observation[] = [];
  let unverifiedCount = 0;
  const tried = [{ content: configured['signature.content'], key }, ...combinations];
  for (const attempt of attempts) {
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
    const found = values && tried.find((each) => isSignedWith(attempt, values, each, secrets));
    const usedHash = values?.['signature.algorithm'].hash;
    // Without a verified signature, the length of the digest can refute a hash, but not confirm it.
    if (usedHash !== undefined && (found || usedHash !== hash))
      observe('signature.algorithm', hash, usedHash, usedHash, 'hash');
    if (!found) {
      if (attempt.isBodyComplete) unverifiedCount++;
      continue;
    }
    observe('signature.algorithm', key, found.key, found.key, 'key');
    observe('signature.content', configured['signature.content'], found.content, found.content);
  }
  const hasUnknownForm = observations.some(({ gap, value }) => gap === 'signature.header' && value === null);
  const count = formatDeliveryCount(unverifiedCount);
  let note: string | null = null;
  if (hasUnknownForm)
    note = 'The signature header has an unknown form. It needs a custom scheme in svc.config.json.';
  else if (unverifiedCount > 0 && secrets.length === 0)
    note = `Pass --secret to verify the signatures of ${count}.`;
  else if (unverifiedCount > 0)
    // A wrong secret and an unknown way to sign look the same.
    note = `No secret that was passed signed ${count}. They can be for another endpoint, or signed before a rotation or in an unknown way.`;
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
