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
import { compareValue, type Observation } from './finding.ts';
import type { DeliveryAttempt } from './sort-recording.ts';

/** Templates of the signed content: those of the built-in senders, and two without an ID that other services use. */
export const searchedTemplates: readonly string[] = [
  ...new Set(Object.values(schemes).map(({ content }) => content)),
  '{timestamp}{body}',
  '{timestamp}:{body}',
];
const headerFormats = Object.keys(signatureHeaderFormats) as GapValues['signature.header'][];
const keyForms = Object.keys(signatureKeys) as (keyof typeof signatureKeys)[];
const timestampFormats = ['iso8601', 'unix', 'unix_ms'] as const;

/** What the headers and the signatures show, and a note about what they cannot say, such as that a secret is missing. */
export function findSignatures(
  attempts: readonly DeliveryAttempt[],
  secrets: readonly string[],
  configured: GapValues,
): { readonly observations: readonly Observation[]; readonly note: string | null } {
  const { hash, key } = configured['signature.algorithm'];
  // The configured values first. The hash follows from the length of the digest.
  const forms = [configured['signature.header'], ...headerFormats].flatMap((format) =>
    signatureAlgorithms.map((each) => ({
      'signature.header': format,
      'signature.algorithm': { hash: each, key },
    })),
  );
  const ways = searchedTemplates.flatMap((content) => keyForms.map((each) => ({ content, key: each })));
  ways.unshift({ content: configured['signature.content'], key });
  const observations: Observation[] = [];
  let hasUnknownForm = false;
  let unverifiedCount = 0;
  for (const attempt of attempts) {
    const observe = (gap: GapId, value: string | null, field?: string) =>
      observations.push(compareValue(configured, attempt, gap, value, field));
    const { signature, timestamp: text } = attempt;
    const format = findTimestampFormat(text);
    if (text !== '')
      observations.push({ ...compareValue(configured, attempt, 'signature.timestamp', format), text });
    if (signature === '') continue;
    const form = forms.find((each) => hasForm(attempt, toSignatureScheme({ ...configured, ...each })));
    hasUnknownForm ||= form === undefined;
    observe('signature.header', form?.['signature.header'] ?? null);
    const usedHash = form?.['signature.algorithm'].hash ?? hash;
    const found = ways.find((way) => {
      const changes = {
        'signature.content': way.content,
        'signature.algorithm': { hash: usedHash, key: way.key },
      };
      return form && isSigned(attempt, toSignatureScheme({ ...configured, ...form, ...changes }), secrets);
    });
    // Without a verified signature, the length of the digest can refute a hash, but not confirm it.
    if (found || usedHash !== hash) observe('signature.algorithm', usedHash, 'hash');
    if (found) {
      observe('signature.algorithm', found.key, 'key');
      observe('signature.content', found.content);
    } else if (attempt.isBodyComplete) unverifiedCount++;
  }
  return { observations, note: describeProblem(hasUnknownForm, unverifiedCount, secrets.length > 0) };
}

function describeProblem(
  hasUnknownForm: boolean,
  unverifiedCount: number,
  hasSecrets: boolean,
): string | null {
  const deliveries = formatDeliveryCount(unverifiedCount);
  if (hasUnknownForm)
    return 'The signature header has an unknown form. It needs a custom scheme in svc.config.json.';
  if (unverifiedCount === 0) return null;
  if (!hasSecrets) return `Pass --secret to verify the signatures of ${deliveries}.`;
  // A wrong secret and an unknown way to sign look the same.
  return `No secret that was passed signed ${deliveries}. They can be for another endpoint, or signed before a rotation or in an unknown way.`;
}

/** Whether the header is written as this scheme does. */
function hasForm(attempt: DeliveryAttempt, scheme: SignatureScheme): boolean {
  const { message, header } = readSignedMessage(scheme, attempt);
  const text = formatSignatureHeader(scheme, message.timestamp, header.digests);
  return header.digests.length > 0 && text === attempt.signature.replace(/\s*,\s*/g, ',');
}

function isSigned(attempt: DeliveryAttempt, scheme: SignatureScheme, secrets: readonly string[]): boolean {
  const { message, header } = readSignedMessage(scheme, attempt);
  return isSignedWithAny(scheme, secrets, message, header.digests);
}

function findTimestampFormat(text: string): string | null {
  const ms = parseTimestamp(text);
  if (ms === null) return null;
  return timestampFormats.find((format) => formatTimestamp(format, ms) === text) ?? null;
}
