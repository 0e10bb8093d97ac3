/** Creates random bytes, endpoint secrets and API keys, and hashes API keys. A seed makes random bytes the same in every run. */
import { createCipheriv, createHash, randomFillSync } from 'node:crypto';
import { type Environment, keyPrefixes, SECRET_PREFIX } from './credentials.ts';
import type { RandomFill } from './ids.ts';

/** Key bytes: the secret as UTF-8 or decoded, without a prefix such as `whsec_` (default: the whole secret). */
export type SecretKey =
  | { readonly form: 'utf8'; readonly prefix?: string }
  | { readonly form: 'base64' | 'hex'; readonly prefix: string };

const SECRET_BYTES = 32;
const KEY_BYTES = 24;

/**
 * A new endpoint secret (gap `secret.format`). If the scheme decodes the secret, the secret has its encoding and prefix,
 * because other implementations decode strictly.
 */
export function createWebhookSecret(
  key: SecretKey = { form: 'utf8' },
  fill: RandomFill = randomFillSync,
): string {
  return key.form === 'utf8'
    ? (key.prefix || SECRET_PREFIX) + randomText(SECRET_BYTES, 'base64url', fill)
    : key.prefix + randomText(SECRET_BYTES, key.form, fill);
}

/** A new API key of an environment (§5). */
export function createRandomApiKey(environment: Environment, fill: RandomFill = randomFillSync): string {
  return keyPrefixes[environment] + randomText(KEY_BYTES, 'base64url', fill);
}

/** Fills buffers of up to 32 bytes with the hash of `secret`, to derive another secret that is always the same. */
export function fillFromHash(secret: string): RandomFill {
  return (buffer) => {
    buffer.set(createHash('sha256').update(secret).digest().subarray(0, buffer.length));
    return buffer;
  };
}

/** The stored form of a key. Keys are long random values, so a plain hash is enough to protect them. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function randomText(size: number, encoding: BufferEncoding, fill: RandomFill): string {
  return Buffer.from(fill(new Uint8Array(size))).toString(encoding);
}

/** The random values of a run, such as IDs, secrets and jitter. */
export interface RandomSource {
  readonly fill: RandomFill;
  /** Uniform in [0, 1). Not for secrets. */
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
      : createSeededFill(purpose === '' ? String(seed) : `${seed} ${purpose}`);
  // 48 random bits. Numbers are not secrets, and `Math.random` is faster than random bytes.
  const next =
    seed === null ? Math.random : () => Buffer.from(fill(new Uint8Array(6))).readUIntBE(0, 6) / 2 ** 48;
  return { fill, next };
}

// The output of a cipher whose key is derived from the seed: uniform, and the same on every machine.
function createSeededFill(seed: string): RandomFill {
  const key = createHash('sha256').update(`svc-emulator ${seed}`).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (buffer) => {
    buffer.set(stream.update(Buffer.alloc(buffer.length)));
    return buffer;
  };
}
