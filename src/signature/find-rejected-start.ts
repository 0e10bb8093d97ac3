/** Finds out whether a receiver rejects a correct signature because of the first character of its digest. */
import { listRecentTimes } from './probe-requests.ts';
import type { SignatureScheme } from './scheme.ts';
import { computeDigest, type SignableMessage } from './sign.ts';
import { formatTimestamp } from './signature-header.ts';

/** Receivers accept timestamps of this age: it is below the usual tolerance of five minutes. */
const ACCEPTED_AGE_S = 240;
/** Digests that begin like the rejected one, and as many others. */
const DIGESTS = 4;

interface RejectedSignature {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly message: SignableMessage;
  /** Current time in milliseconds since 1970. */
  readonly now: number;
}

/**
 * A function such as `lstrip` removes characters, where a prefix was meant. Sends the correct signature at other times, in pairs: a
 * digest that begins like the rejected one, which must be rejected, and an older one that begins differently, which must be accepted.
 * @param send sends the correct signature of a time, and returns whether the receiver accepted it, rejected it as before, or neither
 * @returns the first character; null if it does not decide
 */
export async function findRejectedStart(
  { scheme, secret, message, now }: RejectedSignature,
  send: (timestampMs: number) => Promise<'accepted' | 'rejected' | null>,
): Promise<string | null> {
  const readStart = (timestamp: string) => computeDigest(scheme, secret, { ...message, timestamp }).charAt(0);
  const digests = listRecentTimes(now, ACCEPTED_AGE_S).map((at) => ({
    at,
    start: readStart(formatTimestamp(scheme.timestampFormat, at)),
  }));
  const start = readStart(message.timestamp);
  const rejected = digests.filter((digest) => digest.start === start).slice(0, DIGESTS);
  if (rejected.length < DIGESTS - 1) return null;
  for (const { at } of rejected) {
    const other = digests.find((digest) => digest.at < at && digest.start !== start);
    // All digests are the same if the signature does not cover the timestamp.
    if (other === undefined) return null;
    if ((await send(at)) !== 'rejected' || (await send(other.at)) !== 'accepted') return null;
  }
  return start;
}
