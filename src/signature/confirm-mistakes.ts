/**
 * Confirms what a probe has found: a receiver accepted a request that is signed with mistakes. It makes them only if it accepts them
 * each time, with other timestamps too, and rejects both the correct signature and a random one that is written in the same way.
 */
import { isOnlySent, type Mistake, type MistakeInput } from './mistakes.ts';
import {
  listCounterexamples,
  listRecentTimes,
  MAX_AGE_S,
  type Probe,
  signWithMistakes,
} from './probe-requests.ts';
import { createSignatureHeaders } from './sign.ts';
import { formatTimestamp } from './signature-header.ts';

/**
 * - `refuted`: it rejected the mistakes at another time, or accepted a counterexample.
 * - `correct_accepted`: it accepted a correct signature, which the mistakes do not explain.
 * - `random_accepted`: it accepted a random signature that is written like that of the mistakes.
 * - `unreadable_accepted`: it accepted a correct signature of a timestamp that is not a time.
 */
export type Confirmation =
  | 'confirmed'
  | 'refuted'
  | 'correct_accepted'
  | 'random_accepted'
  | 'unreadable_accepted';

const ROUNDS = 2;
/**
 * A digest that is correct, and sent in another way, can be accepted by chance: by a receiver that accepts each correct digest with the
 * probability p, with (p·(1−p))^10 < 10^-6.
 */
const ROUNDS_WITH_CORRECT_DIGEST = 10;

/**
 * @param input with which the accepted request was signed
 * @param now milliseconds since 1970
 * @param accepts sends a request with these headers, and returns whether the receiver responds as it did to the accepted request
 */
export async function confirmMistakes(
  { mistakes }: Pick<Probe, 'mistakes'>,
  input: MistakeInput,
  now: () => number,
  accepts: (headers: Readonly<Record<string, string>>) => Promise<boolean>,
): Promise<Confirmation> {
  const rounds = mistakes.some(isOnlySent) ? ROUNDS_WITH_CORRECT_DIGEST : ROUNDS;
  const inputs = listChangedInputs(input, mistakes, now());
  for (let round = 0; round < rounds; round++) {
    const again = inputs[round] ?? input;
    if (await accepts(signCorrectly(again))) return 'correct_accepted';
    if (!(await accepts(signWithMistakes(again, mistakes)))) return 'refuted';
    if (await accepts(signWithMistakes(again, mistakes, true))) return 'random_accepted';
    if (round > 0) continue;
    for (const { headers, shows } of listCounterexamples(again, mistakes))
      if (await accepts(headers)) return shows;
  }
  return 'confirmed';
}

const signCorrectly = ({ scheme, secrets, message }: MistakeInput) =>
  createSignatureHeaders(scheme, secrets, message);

/** The input with other timestamps with which the mistakes change the request, the newest first. */
function listChangedInputs(
  { scheme, message, ...input }: MistakeInput,
  mistakes: readonly Mistake[],
  now: number,
): MistakeInput[] {
  return listRecentTimes(now, MAX_AGE_S)
    .map((ms) => formatTimestamp(scheme.timestampFormat, ms))
    .filter((timestamp) => timestamp !== message.timestamp)
    .map((timestamp) => ({ ...input, scheme, message: { ...message, timestamp } }))
    .filter(
      (other) => JSON.stringify(signWithMistakes(other, mistakes)) !== JSON.stringify(signCorrectly(other)),
    );
}
