/** Correct receivers in different styles, which fuzzing must not report. */
import { type ReceiverParts, sleep, storeKey } from './configurable-receiver.ts';

/** By name, which completes "a correct receiver that …". */
export const correctReceivers: Readonly<Record<string, () => Partial<ReceiverParts>>> = {
  'works after the response': () => ({ work: () => sleep(30) }),
  'responds after the work': () => ({ work: () => sleep(15), respondsAfterWork: true }),
  'stores keys slowly, and responds to repeats with 409 meanwhile': () => storeSlowly(10),
  'limits the rate': limitRate,
};

/** A repeat that arrives while the event is being stored gets 409, and 204 later. */
export function storeSlowly(delayMs: number): Partial<ReceiverParts> {
  const storing = new Set<string>();
  return {
    refuse: ({ data }) => (storing.has(data.id) ? 409 : null),
    async storeKey(key, seen) {
      storing.add(key);
      await sleep(delayMs);
      storing.delete(key);
      return storeKey(key, seen);
    },
  };
}

/** A token bucket: 50 deliveries at once, and one more every 20 ms. */
function limitRate(): Partial<ReceiverParts> {
  let [tokens, filledAt] = [50, performance.now()];
  return {
    refuse() {
      const now = performance.now();
      tokens = Math.min(50, tokens + (now - filledAt) / 20);
      filledAt = now;
      if (tokens < 1) return 429;
      tokens--;
      return null;
    },
  };
}
