/** Finds out why a signature does not fit, by trying what commonly goes wrong until it does fit. */
import type { Claim } from './claim.ts';
import { fits, isUsableSecret, type SignedMessage } from './digest.ts';
import type { Refusal } from './explain.ts';
import * as explain from './explain-mismatch.ts';
import { describeDifference, type FormerBody, formerBodies } from './former-body.ts';
import { schemes } from './schemes.ts';
import { parseSignatureHeader } from './signature-header.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

/** Larger bodies are not tried in other forms: whoever sends forged ones must not be able to buy much work with them. */
const MAX_RESTORED_BYTES = 64 * 1024;
const API_KEY_PREFIX = /^svc_(?:test|live)_/;
const SECRET_PREFIX = 'whsec_';

/** Why the message is not the one that `digests` belong to, as exactly as it can be told. */
export function recognise(claim: Claim, message: SignedMessage, digests: readonly string[]): Refusal {
  const bytes = Buffer.byteLength(message.body);
  return (
    findOtherScheme(claim) ??
    findWrongSecret(claim, message, digests) ??
    findTimestampChange(claim, message, digests) ??
    findBodyChange(claim, message, digests) ??
    findTelltale(claim) ??
    (isAsSent(claim) ? explain.unknownSecret() : explain.signatureMismatch(claim.secrets.length, bytes))
  );
}

/** Whether the signature is right in another scheme: a built-in one, or one that the caller named. */
export function findOtherScheme(claim: Claim): Refusal | null {
  for (const other of [...Object.values(schemes), ...claim.otherSchemes]) {
    if (other === claim.scheme) continue;
    const header = parseSignatureHeader(other, claim.signature);
    if (header.digests.length === 0) continue;
    const message = { id: claim.id, timestamp: header.timestamp ?? claim.timestamp, body: claim.payload };
    const isRight = claim.secrets
      .filter((secret) => isUsableSecret(other, secret))
      .some((secret) => fits(other, secret, message, header.digests));
    if (isRight) return explain.otherScheme(claim.scheme, other);
  }
  return null;
}

function findWrongSecret(
  { scheme, secrets, otherSecrets }: Claim,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  const apiKey = secrets.map((secret) => API_KEY_PREFIX.exec(secret)?.[0]).find((prefix) => prefix);
  if (apiKey !== undefined) return explain.apiKeyAsSecret(apiKey);
  const candidates = [...secrets.flatMap(repairedSecrets), ...otherSecrets];
  const right = candidates.find(
    ({ secret }) => isUsableSecret(scheme, secret) && fits(scheme, secret, message, digests),
  );
  return right === undefined ? null : explain.wrongSecret(right.name);
}

/** What a secret may have been before it was copied carelessly. */
function repairedSecrets(secret: string): Claim['otherSecrets'] {
  const bare = secret.trim().replace(/^(["'])(.*)\1$/s, '$2');
  return [
    { name: 'it without the white space or quotes around it', secret: bare },
    { name: `it with ${SECRET_PREFIX} in front`, secret: SECRET_PREFIX + bare },
    { name: `it without ${SECRET_PREFIX} in front`, secret: bare.replace(SECRET_PREFIX, '') },
  ];
}

function findTimestampChange(
  { scheme, secrets }: Claim,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  const at = parseTimestamp(message.timestamp);
  if (at === null || !scheme.content.includes('{timestamp}')) return null;
  const forms = [
    formatTimestamp('iso8601', at),
    new Date(at).toISOString(),
    formatTimestamp('unix', at),
    formatTimestamp('unix_ms', at),
  ];
  const signed = forms.find((timestamp) =>
    secrets.some((secret) => fits(scheme, secret, { ...message, timestamp }, digests)),
  );
  return signed === undefined ? null : explain.timestampChanged(message.timestamp, signed);
}

function findBodyChange(
  { scheme, secrets, sentBody }: Claim,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  for (const { change, body } of formerCandidates(message.body, sentBody)) {
    if (secrets.some((secret) => fits(scheme, secret, { ...message, body }, digests))) {
      return explain.bodyChanged(change, Buffer.byteLength(body), Buffer.byteLength(message.body));
    }
  }
  return null;
}

function* formerCandidates(given: Claim['payload'], sent: Claim['sentBody']): Generator<FormerBody> {
  if (Buffer.byteLength(given) <= MAX_RESTORED_BYTES) yield* formerBodies(given);
  if (sent !== null) yield { change: describeDifference(sent, given), body: sent };
}

/** Whether the body is the very one that was sent. False where that is not known. */
function isAsSent({ payload, sentBody }: Claim): boolean {
  return sentBody !== null && Buffer.from(sentBody).equals(Buffer.from(payload));
}

const GZIP = /^\x1f\x8b/;
const JSON_BEGINNING = /^\s*[[{"]/;

/** What can be seen of a changed body without knowing what it was. */
function findTelltale({ payload, contentEncoding }: Claim): Refusal | null {
  const beginning = Buffer.from(payload.slice(0, 64)).toString('latin1');
  if (payload === '[object Object]') return explain.bodyStringified();
  const isEncoded = contentEncoding !== '' && contentEncoding !== 'identity';
  if (isEncoded && JSON_BEGINNING.test(beginning)) return explain.bodyDecompressed(contentEncoding);
  if (!isEncoded && GZIP.test(beginning)) return explain.bodyCompressed();
  return typeof payload === 'string' && payload.includes('\uFFFD') ? explain.bodyMisread() : null;
}
