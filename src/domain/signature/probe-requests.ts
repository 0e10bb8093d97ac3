/** The requests with which a receiver is probed: each is signed as a receiver with known mistakes expects it. */
import {
  computeChangedDigest,
  listMistakes,
  listPairs,
  type Mistake,
  type MistakeInput,
  type SignatureChange,
} from './mistakes.ts';
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
  /** If the receiver accepts the request with these headers too, it does not make the mistakes. */
  readonly counterexample: Readonly<Record<string, string>> | null;
}

/** Mistakes of each kind, and pairs of mistakes, that are probed: the most likely ones. */
const MAX_OF_KIND = 150;
const MAX_PAIRS = 500;

/** Lists the requests with which a receiver can be probed, each with other headers: the likely mistakes first, then pairs. */
export function* listProbes(input: MistakeInput): Generator<Probe> {
  const { scheme, secrets, message } = input;
  const listed = new Set([JSON.stringify(createSignatureHeaders(scheme, secrets, message))]);
  const mistakes = listMistakes(input, MAX_OF_KIND);
  const distinct: Mistake[] = [];
  for (const mistake of mistakes) {
    const probe = toProbe(input, [mistake]);
    if (addNew(listed, probe)) {
      distinct.push(mistake);
      yield probe;
    }
  }
  const paired = distinct.filter(({ change }) => !isOnlySent(change));
  let count = 0;
  for (const pair of listPairs(paired)) {
    const probe = toProbe(input, pair);
    if (!addNew(listed, probe)) continue;
    yield probe;
    if (++count === MAX_PAIRS) return;
  }
}

/** A signature as it was sent. */
interface SentSignature {
  readonly timestamp: string;
  readonly digest: string;
}

/** What only some signatures have, and some mistakes need. */
const traits: readonly ((sent: SentSignature, scheme: SignatureScheme) => boolean)[] = [
  // Numbers have no leading zeros.
  ({ digest }, { encoding }) => encoding === 'hex' && digest.startsWith('0'),
  // Bytes below 16 have one digit.
  ({ digest }, { encoding }) => encoding === 'hex' && /^(?:..)*0/.test(digest),
  // Base64url has other characters.
  ({ digest }, { encoding }) => encoding === 'base64' && /[+/]/.test(digest),
  // Java omits seconds that are zero.
  ({ timestamp }) => timestamp.endsWith(':00Z'),
];

/** Well below the tolerance. */
const MAX_AGE_S = 60;

/**
 * The time to sign the requests of a probe with, so that they have the same traits as the signature that was rejected.
 * @returns milliseconds since 1970, at most {@link MAX_AGE_S} before `now`
 */
export function chooseProbeTime(
  scheme: SignatureScheme,
  secret: string,
  message: Pick<SignableMessage, 'id' | 'body'>,
  rejected: SentSignature,
  now: number,
): number {
  const needed = traits.filter((hasTrait) => hasTrait(rejected, scheme));
  for (let ageS = 0; ageS < MAX_AGE_S && needed.length > 0; ageS++) {
    const timestampMs = now - ageS * 1000;
    const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
    const sent = { timestamp, digest: computeDigest(scheme, secret, { ...message, timestamp }) };
    if (needed.every((hasTrait) => hasTrait(sent, scheme))) return timestampMs;
  }
  return now;
}

function addNew(listed: Set<string>, { headers }: Probe): boolean {
  const { size } = listed;
  return listed.add(JSON.stringify(headers)).size > size;
}

/** Whether the change is one of the request, and not of the digest. */
function isOnlySent({ aheadMs, signatureHeader, otherScheme, scheme }: SignatureChange): boolean {
  const changes = [aheadMs, signatureHeader, otherScheme, scheme?.timestampFormat];
  return changes.some((change) => change !== undefined);
}

function toProbe(input: MistakeInput, mistakes: readonly Mistake[]): Probe {
  const counterexample = mistakes.find((mistake) => mistake.counterexample !== undefined)?.counterexample;
  return {
    mistakes,
    headers: signWithMistakes(input, mistakes),
    counterexample:
      counterexample === undefined
        ? null
        : createSignatureHeaders(input.scheme, input.secrets, {
            ...input.message,
            timestamp: counterexample,
          }),
  };
}

/** The headers with one signature that only a receiver with these mistakes accepts. */
export function signWithMistakes(input: MistakeInput, mistakes: readonly Mistake[]): Record<string, string> {
  const { message, secrets } = input;
  const changes = mistakes.map(({ change }) => change);
  const other = changes.find((change) => change.otherScheme !== undefined)?.otherScheme;
  if (other !== undefined) {
    const timestampMs = parseTimestamp(message.timestamp) ?? 0;
    const timestamp = formatTimestamp(other.timestampFormat, timestampMs);
    return createSignatureHeaders(other, secrets, { ...message, timestamp });
  }
  const scheme: SignatureScheme = Object.assign({}, input.scheme, ...changes.map((change) => change.scheme));
  const form = changes.find((change) => change.form !== undefined)?.form;
  const aheadMs = changes.find((change) => change.aheadMs !== undefined)?.aheadMs ?? 0;
  const sentAt = parseTimestamp(message.timestamp);
  const isConverted =
    sentAt !== null && (aheadMs !== 0 || scheme.timestampFormat !== input.scheme.timestampFormat);
  const timestamp = isConverted
    ? formatTimestamp(scheme.timestampFormat, sentAt + aheadMs)
    : message.timestamp;
  const sent = { ...message, timestamp };
  const digest = computeChangedDigest({ scheme: input.scheme, message: sent }, secrets[0] ?? '', mistakes);
  const headers = formatSignatureHeaders(scheme, sent, [
    form?.write(digest) ?? digest.toString(scheme.encoding),
  ]);
  const name = changes.find((change) => change.signatureHeader !== undefined)?.signatureHeader;
  return name === undefined ? headers : { ...headers, [name]: headers[scheme.headers.signature] ?? '' };
}
