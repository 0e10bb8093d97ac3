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
  const own = {
    header: configured['signature.header'],
    content: configured['signature.content'],
    ...configured['signature.algorithm'],
  };
  const toScheme = ({ header, content, hash, key }: typeof own) =>
    toSignatureScheme({
      ...configured,
      'signature.header': header,
      'signature.content': content,
      'signature.algorithm': { hash, key },
    });
  // The configured values first. The hash follows from the length of the digest.
  const forms = [own.header, ...headerFormats].flatMap((header) =>
    signatureAlgorithms.map((hash) => ({ ...own, header, hash })),
  );
  const contents = [own.content, ...searchedTemplates];
  const ways = [own, ...contents.flatMap((content) => keyForms.map((key) => ({ content, key })))];
  const observations: Observation[] = [];
  let note: string | null = null;
  let unverifiedCount = 0;
  for (const attempt of attempts) {
    const observe = (gap: GapId, value: string | null, field?: string) =>
      observations.push(compareValue(configured, attempt, gap, value, field));
    const { signature, timestamp: text } = attempt;
    const format = findTimestampFormat(text);
    if (text !== '')
      observations.push({ ...compareValue(configured, attempt, 'signature.timestamp', format), text });
    if (signature === '') continue;
    const form = forms.find((each) => hasForm(attempt, toScheme(each)));
    observe('signature.header', form?.header ?? null);
    if (form === undefined) {
      note = 'The signature header has an unknown form. It needs a custom scheme in svc.config.json.';
      continue;
    }
    const { message, header } = readSignedMessage(toScheme(form), attempt);
    const found = ways.find(({ content, key }) =>
      isSignedWithAny(toScheme({ ...form, content, key }), secrets, message, header.digests),
    );
    // Without a verified signature, the length of the digest can refute a hash, but not confirm it.
    if (found || form.hash !== own.hash) observe('signature.algorithm', form.hash, 'hash');
    if (found) {
      observe('signature.algorithm', found.key, 'key');
      observe('signature.content', found.content);
    } else if (attempt.isBodyComplete) unverifiedCount++;
  }
  if (unverifiedCount > 0) note ??= describeUnverified(unverifiedCount, secrets.length > 0);
  return { observations, note };
}

function describeUnverified(count: number, hasSecrets: boolean): string {
  const deliveries = formatDeliveryCount(count);
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

function findTimestampFormat(text: string): string | null {
  const ms = parseTimestamp(text);
  if (ms === null) return null;
  return timestampFormats.find((format) => formatTimestamp(format, ms) === text) ?? null;
}
