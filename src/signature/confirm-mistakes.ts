/**
 * Confirms what a probe has found: a receiver accepted a request that is signed with mistakes. It makes them only if it accepts them
 * each time, with other timestamps too, and rejects both the correct signature and a random one that is written in the same way.
 */
import type { Mistake, MistakeInput } from './mistakes.ts';
import { listCounterexamples, MAX_AGE_S, type Probe, signWithMistakes } from './probe-requests.ts';
import { createSignatureHeaders } from './sign.ts';
import { formatTimestamp } from './signature-header.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * - `refuted`: it rejected the mistakes at another time, or accepted a counterexample.
 * - `correct_accepted`: it accepted a correct signature, which the mistakes do not explain.
 * - `random_accepted`: it accepted a random signature that is written like that of the mistakes.
 */
export type Confirmation = 'confirmed' | 'refuted' | 'correct_accepted' | 'random_accepted';

const ROUNDS = 2;
/**
 * A digest that is correct, and sent in another way, can be accepted by chance: by a receiver that accepts each correct digest with the
 * probability p, with (p·(1−p))^10 < 10^-6.
 */
const ROUNDS_WITH_CORRECT_DIGEST = 10;
const partsWithCorrectDigest: readonly Mistake['part'][] = ['header', 'encoding'];

function atTime(input: MistakeInput, timestampMs: number): MistakeInput {
  const timestamp = formatTimestamp(input.scheme.timestampFormat, timestampMs);
  return { ...input, message: { ...input.message, timestamp } };
}

/**
 * @param input with which the accepted request was signed
 * @param now milliseconds since 1970
 * @param accepts sends a request with these headers, and returns whether the receiver responds as it did to the accepted request
 */
export async function confirmMistakes(
  { mistakes }: Pick<Probe, 'mistakes'>,
  input: MistakeInput,
  now: () => number,
  accepts: (headers: Headers) => Promise<boolean>,
): Promise<Confirmation> {
  const rounds = mistakes.some(({ part }) => partsWithCorrectDigest.includes(part))
    ? ROUNDS_WITH_CORRECT_DIGEST
    : ROUNDS;
  const { changed, unchanged } = listInputs(input, mistakes, now());
  for (let round = 0; round < rounds; round++) {
    const again = changed[round] ?? input;
    if (await accepts(signCorrectly(again))) return 'correct_accepted';
    if (!(await accepts(signWithMistakes(again, mistakes)))) return 'refuted';
    if (await accepts(signWithMistakes(again, mistakes, true))) return 'random_accepted';
    if (round > 0) continue;
    for (const headers of listCounterexamples(again, mistakes)) if (await accepts(headers)) return 'refuted';
  }
  for (const again of unchanged.slice(0, rounds))
    if (!(await accepts(signCorrectly(again)))) return 'refuted';
  return 'confirmed';
}

const signCorrectly = ({ scheme, secrets, message }: MistakeInput) =>
  createSignatureHeaders(scheme, secrets, message);

/** The input with other timestamps, the newest first: those with which the mistakes change the request, and the others. */
function listInputs(input: MistakeInput, mistakes: readonly Mistake[], now: number) {
  const inputs = Array.from({ length: MAX_AGE_S }, (_, ageS) => atTime(input, now - ageS * 1000));
  const others = inputs.filter(({ message }) => message.timestamp !== input.message.timestamp);
  const isChanged = (other: MistakeInput) =>
    JSON.stringify(signWithMistakes(other, mistakes)) !== JSON.stringify(signCorrectly(other));
  return { changed: others.filter(isChanged), unchanged: others.filter((other) => !isChanged(other)) };
}
