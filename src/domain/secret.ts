/** Creates and hashes endpoint secrets and API keys. */
import { createHash, randomFillSync } from 'node:crypto';
import type { Environment } from './environment.ts';
import type { RandomFill } from './ids.ts';
import type { SignatureScheme } from './signature/scheme.ts';

/** Widely known, so that people and secret scanners recognize it. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const KEY_BYTES = 24;

/** Prefix of the keys of each environment (§5). */
export const keyPrefixes = { sandbox: 'svc_test_', production: 'svc_live_' } as const satisfies Record<
  Environment,
  string
>;

/**
 * A new endpoint secret (gap `secret.format`). If the scheme decodes the secret, the secret has its encoding and prefix,
 * because other implementations decode strictly.
 */
export function createWebhookSecret(
  key: SignatureScheme['key'] = { form: 'utf8' },
  fill: RandomFill = randomFillSync,
): string {
  return key.form === 'utf8'
    ? SECRET_PREFIX + randomText(SECRET_BYTES, 'base64url', fill)
    : key.prefix + randomText(SECRET_BYTES, key.form, fill);
}

/** A new API key of an environment (§5). */
export function createApiKey(environment: Environment, fill: RandomFill = randomFillSync): string {
  return keyPrefixes[environment] + randomText(KEY_BYTES, 'base64url', fill);
}

/** Fills buffers with the hash of `secret`, to derive another secret that is always the same. */
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

/** The environment in the prefix of an API key; null if it is not a key of this service. */
export function getApiKeyEnvironment(key: string): Environment | null {
  if (key.startsWith(keyPrefixes.sandbox)) return 'sandbox';
  if (key.startsWith(keyPrefixes.production)) return 'production';
  return null;
}

function randomText(bytes: number, encoding: BufferEncoding, fill: RandomFill): string {
  return Buffer.from(fill(new Uint8Array(bytes))).toString(encoding);
}
