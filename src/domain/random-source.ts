/** Random bytes and numbers, which a seed makes the same in every run. */
import { createCipheriv, createHash, randomFillSync } from 'node:crypto';
import type { RandomFill } from './ids.ts';

/** The random values of a run: IDs, secrets and jitter. */
export interface RandomSource {
  readonly fill: RandomFill;
  /** Uniform in [0, 1). */
  readonly next: () => number;
}

/**
 * @param seed the same seed gives the same bytes in the same order; null for unpredictable bytes.
 * @param purpose each purpose has its own bytes of the same seed.
 */
export function createRandomSource(seed: number | null, purpose = ''): RandomSource {
  const fill =
    seed === null
      ? (buffer: Uint8Array<ArrayBuffer>) => randomFillSync(buffer)
      : createSeededFill(`${seed} ${purpose}`.trimEnd());
  return { fill, next: () => Buffer.from(fill(new Uint8Array(6))).readUIntBE(0, 6) / 2 ** 48 };
}

// The key stream of a cipher with a key from the seed: uniform, and the same on every machine.
function createSeededFill(seed: string): RandomFill {
  const key = createHash('sha256').update(`svc-emulator ${seed}`).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (buffer) => {
    buffer.set(stream.update(Buffer.alloc(buffer.length)));
    return buffer;
  };
}
