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
import { createSignatureHeaders, formatSignatureHeaders } from './sign.ts';
import { formatTimestamp, parseTimestamp } from './signature-header.ts';

/** A request that only a receiver with these mistakes accepts. */
export interface Probe {
  readonly mistakes: readonly Mistake[];
  readonly headers: Readonly<Record<string, string>>;
  /** If the receiver accepts the request with these headers too, it does not make the mistakes. */
  readonly counterexample: Readonly<Record<string, string>> | null;
}

/** Mistakes of each kind that are probed, and mistakes of which pairs are probed: the most likely ones. */
const MAX_OF_KIND = 50;
const MAX_PAIRED = 40;
const MAX_PAIRS = 200;

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
  const paired = distinct.filter(({ change }) => !isOnlySent(change)).slice(0, MAX_PAIRED);
  let count = 0;
  for (const pair of listPairs(paired)) {
    const probe = toProbe(input, pair);
    if (!addNew(listed, probe)) continue;
    yield probe;
    if (++count === MAX_PAIRS) return;
  }
}

function addNew(listed: Set<string>, { headers }: Probe): boolean {
  const { size } = listed;
  return listed.add(JSON.stringify(headers)).size > size;
}

/** Whether the change is one of the request, and not of the digest. */
function isOnlySent({ aheadMs, signatureHeader, scheme }: SignatureChange): boolean {
  return aheadMs !== undefined || signatureHeader !== undefined || scheme?.timestampFormat !== undefined;
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
