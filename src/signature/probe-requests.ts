/** The requests with which a receiver is probed: each is signed as a receiver with known mistakes expects it. */
import { randomBytes } from 'node:crypto';
import { computeChangedDigest, listPairs, mergeChanges } from './find-mistakes.ts';
import { listMistakes, type Mistake, type MistakeInput } from './mistakes.ts';
import type { SignatureScheme } from './scheme.ts';
import {
  computeDigest,
  createSignatureHeaders,
  formatSignatureHeaders,
  type SignableMessage,
} from './sign.ts';
import { formatTimestamp, parseTimestamp } from './signature-header.ts';

/** A request that only a receiver with these mistakes accepts. */
export interface Probe {
  readonly mistakes: readonly Mistake[];
  readonly headers: Readonly<Record<string, string>>;
}

/** As in a digest of SHA-512. */
const MAX_RANDOM_BYTES = 64;
/** Web servers refuse longer headers. */
const MAX_HEADER_CHARS = 8_000;
/** Pairs of mistakes that are probed: the most likely ones. */
const MAX_PAIRS = 500;

/** Lists the requests with which a receiver can be probed, each with other headers: the likely mistakes first, then pairs. */
export function* listProbes(input: MistakeInput): Generator<Probe> {
  const { scheme, secrets, message } = input;
  const listed = new Set([JSON.stringify(createSignatureHeaders(scheme, secrets, message))]);
  const toNewProbe = (...mistakes: readonly Mistake[]): Probe[] => {
    const headers = signWithMistakes(input, mistakes);
    const text = JSON.stringify(headers);
    if (text.length > MAX_HEADER_CHARS) return [];
    return listed.size < listed.add(text).size ? [{ mistakes, headers }] : [];
  };
  const paired: Mistake[] = [];
  for (const mistake of listMistakes(input)) {
    const probes = toNewProbe(mistake);
    if (probes.length > 0 && mistake.part !== 'header') paired.push(mistake);
    yield* probes;
  }
  let count = 0;
  for (const pair of listPairs(paired)) {
    const probes = toNewProbe(...pair);
    yield* probes;
    count += probes.length;
    if (count === MAX_PAIRS) break;
  }
  for (const mistake of listMistakes({ ...input, otherSecrets: input.rareSecrets ?? [] }))
    yield* toNewProbe(mistake);
}

/** Of a timestamp. Well below the tolerance. */
export const MAX_AGE_S = 60;

/** The current time and `count - 1` earlier ones, each by a second, in milliseconds since 1970. */
export function listRecentTimes(now: number, count: number): number[] {
  return Array.from({ length: count }, (_, ageS) => now - ageS * 1000);
}

/**
 * The time to sign the requests of a probe with. If only some digests show the mistake, such as hex without leading zeros, those
 * show it that begin like the rejected one.
 * @returns milliseconds since 1970, at most {@link MAX_AGE_S} before `now`
 */
export function chooseProbeTime(
  scheme: SignatureScheme,
  secret: string,
  message: Pick<SignableMessage, 'id' | 'body'>,
  rejectedDigest: string,
  now: number,
): number {
  const times = listRecentTimes(now, MAX_AGE_S);
  const digestAt = (ms: number) =>
    computeDigest(scheme, secret, { ...message, timestamp: formatTimestamp(scheme.timestampFormat, ms) });
  return times.find((ms) => digestAt(ms)[0] === rejectedDigest[0]) ?? now;
}

/**
 * The headers with one signature that only a receiver with these mistakes accepts.
 * @param isRandom puts random bytes in place of the digest, written in the same way and with the same length
 */
export function signWithMistakes(
  input: MistakeInput,
  mistakes: readonly Mistake[],
  isRandom = false,
): Record<string, string> {
  const { message, secrets } = input;
  const { otherScheme, form, sentTime = (now) => now, signatureHeader, ...change } = mergeChanges(mistakes);
  const sentAt = parseTimestamp(message.timestamp);
  if (otherScheme !== undefined) {
    const timestamp = formatTimestamp(otherScheme.timestampFormat, sentAt ?? 0);
    const signing = isRandom ? secrets.map(() => randomBytes(32).toString('base64')) : secrets;
    return createSignatureHeaders(otherScheme, signing, { ...message, timestamp });
  }
  const scheme = { ...input.scheme, ...change.scheme };
  const timestamp = sentAt === null ? message.timestamp : writeTime(scheme.timestampFormat, sentTime(sentAt));
  const sent = { ...message, timestamp };
  const digest = computeChangedDigest({ scheme: input.scheme, message: sent }, secrets[0] ?? '', mistakes);
  const write = (bytes: Buffer) => form?.write(bytes) ?? bytes.toString(scheme.encoding);
  const text = isRandom ? writeRandom(digest, write) : write(digest);
  const headers = formatSignatureHeaders(scheme, sent, [text]);
  return signatureHeader === undefined
    ? headers
    : { ...headers, [signatureHeader]: headers[scheme.headers.signature] ?? '' };
}

/** More than the tolerance, and less than the distance between two time zones. */
const BEFORE_ZONE_MS = 14 * 60_000;

/** Headers with a correct signature, and what it shows if the receiver accepts them: at least that it does not make the mistakes. */
interface Counterexample {
  readonly headers: Record<string, string>;
  readonly shows: 'refuted' | 'unreadable_accepted';
}

export function listCounterexamples(
  { scheme, secrets, message }: MistakeInput,
  mistakes: readonly Mistake[],
): Counterexample[] {
  const sentAt = parseTimestamp(message.timestamp) ?? 0;
  return mistakes.flatMap(({ reason, change: { sentTime } }) => {
    if (reason !== 'timestamp_unreadable' && sentTime === undefined) return [];
    // A receiver that accepts each later time reads no time zone. The comparison with NaN is false, so some receivers accept any text.
    const timestamp =
      sentTime === undefined
        ? 'not a time'
        : writeTime(scheme.timestampFormat, sentTime(sentAt) - BEFORE_ZONE_MS);
    const headers = createSignatureHeaders(scheme, secrets, { ...message, timestamp });
    return [{ headers, shows: sentTime === undefined ? 'unreadable_accepted' : 'refuted' }];
  });
}

/** With milliseconds if it has some: only a time in the wrong unit does. */
function writeTime(format: SignatureScheme['timestampFormat'], ms: number): string {
  return format === 'iso8601' && ms % 1000 > 0 ? new Date(ms).toISOString() : formatTimestamp(format, ms);
}

/** Random bytes as a text of the same length as the digest. Some forms omit zeros. The start of a long digest is signed content. */
function writeRandom(digest: Buffer, write: (bytes: Buffer) => string): string {
  for (;;) {
    const bytes = randomBytes(Math.min(digest.length, MAX_RANDOM_BYTES));
    const text = write(Buffer.concat([digest.subarray(0, -MAX_RANDOM_BYTES), bytes]));
    if (text.length === write(digest).length) return text;
  }
}
