/** Finds the mistakes with which a digest was computed: tries single mistakes, then pairs in different parts, until it matches. */
import {
  hmac,
  isOnlySent,
  listMistakes,
  type Mistake,
  type MistakeInput,
  type SignatureChange,
} from './mistakes.ts';
import type { MistakeReason } from './refusals.ts';
import { buildSignedContent, decodeSecret } from './sign.ts';

export interface FoundMistakes<Match> {
  /** One mistake or two in different parts; empty if the digest is correct. */
  readonly mistakes: readonly Mistake[];
  /** Single mistakes that have the same result. */
  readonly others: readonly Mistake[];
  readonly match: Match;
}

/** What is hashed for each digest in addition to the body, as the time that it takes. */
const BYTES_PER_DIGEST = 8_192;

/**
 * Finds the mistakes with which a digest was computed: none, a single one, or a pair.
 * @param match returns null for other digests
 * @param maxSize limits the work: bytes that are hashed for pairs, the likely ones first
 * @param candidates the more likely ones first
 */
export function findMistakes<Match>(
  input: MistakeInput,
  match: (digest: Buffer) => Match | null,
  maxSize: number,
  candidates: readonly Mistake[] = listMistakes(input),
): FoundMistakes<Match> | null {
  const message = { ...input.message, body: Buffer.from(input.message.body) };
  const tryMistakes = (mistakes: readonly Mistake[]) => {
    for (const secret of input.secrets) {
      const matched = match(computeChangedDigest({ ...input, message }, secret, mistakes));
      if (matched !== null) return { mistakes, match: matched };
    }
    return null;
  };
  const correct = tryMistakes([]);
  if (correct !== null) return { ...correct, others: [] };
  const singles = candidates.filter((mistake) => !isOnlySent(mistake));
  const [first, ...others] = singles.flatMap((mistake) => tryMistakes([mistake]) ?? []);
  if (first !== undefined) return { ...first, others: others.flatMap(({ mistakes }) => mistakes) };
  let left = maxSize;
  for (const pair of listPairs(singles)) {
    left -= (message.body.length + BYTES_PER_DIGEST) * input.secrets.length;
    if (left < 0) return null;
    const both = tryMistakes(pair);
    if (both !== null) return { ...both, others: [] };
  }
  return null;
}

/**
 * The pairs of mistakes in different parts, the likely ones first: those with the lowest product of their places.
 * @param mistakes as {@link listMistakes} returns them
 */
export function* listPairs(mistakes: readonly Mistake[]): Generator<readonly [Mistake, Mistake]> {
  for (let product = 2; product <= mistakes.length ** 2; product++)
    for (let place = 1; place * place < product; place++) {
      if (product % place > 0) continue;
      const [one, other] = [mistakes[place - 1], mistakes[product / place - 1]];
      if (one && other && one.part !== other.part) yield [one, other];
    }
}

type SignedInput = Pick<MistakeInput, 'scheme' | 'message'>;
type Changes = readonly Pick<Mistake, 'change'>[];

/** The digest of a receiver that makes these mistakes, each in another part. It has one of the correct secrets. */
export function computeChangedDigest(input: SignedInput, secret: string, mistakes: Changes): Buffer {
  const change = mergeChanges(mistakes);
  const { secret: usedSecret = secret, compute = hmac(input.scheme.algorithm) } = change;
  const key = decodeSecret({ ...input.scheme, ...change.scheme }, usedSecret);
  return compute(buildChangedContent(input, mistakes), key);
}

/** The content that a receiver with these mistakes signs. */
export function buildChangedContent(
  { scheme, message }: SignedInput,
  mistakes: Changes,
): string | Uint8Array {
  const { scheme: changes, body = message.body, timestamp } = mergeChanges(mistakes);
  const signed = { ...message, body, timestamp: timestamp?.(message.timestamp) ?? message.timestamp };
  return buildSignedContent({ ...scheme, ...changes }, signed);
}

/** The changes of mistakes in different parts as one. */
export function mergeChanges(mistakes: Changes): SignatureChange {
  const changes = mistakes.map(({ change }) => change);
  return Object.assign({}, ...changes, {
    scheme: Object.assign({}, ...changes.map(({ scheme }) => scheme)),
  });
}

/**
 * A sentence that names the mistakes of a receiver, and what to do.
 * @param mistakes at least one
 * @param others mistakes that have the same result
 */
export function describeMistakes(
  mistakes: readonly Pick<Mistake, 'reason' | 'description' | 'remedy'>[],
  others: readonly Pick<Mistake, 'description'>[] = [],
): { readonly reason: MistakeReason; readonly detail: string; readonly remedy: string } {
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  const detail = `The receiver makes ${count}: ${mistakes.map(({ description }) => description).join('; ')}.`;
  const other = others.find(({ description }) => description !== mistakes[0]?.description);
  return {
    reason: mistakes[0]?.reason ?? 'signature_mismatch',
    detail: other === undefined ? detail : `${detail} The result is the same if ${other.description}.`,
    remedy: joinRemedies(mistakes),
  };
}

export function joinRemedies(mistakes: readonly Pick<Mistake, 'remedy'>[]): string {
  return [...new Set(mistakes.map(({ remedy }) => remedy))].join(' ');
}
