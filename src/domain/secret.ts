/** Secrets and keys: how they are made and what they look like. */
import { createHash, randomFillSync } from 'node:crypto';
import type { Environment } from './access.ts';
import type { RandomFill } from './ids.ts';

const SECRET_BYTES = 32;
const KEY_BYTES = 24;

/** Prefix of the keys of each environment (§5). */
export const keyPrefixes = { sandbox: 'svc_test_', production: 'svc_live_' } as const satisfies Record<
  Environment,
  string
>;

/** A new endpoint secret (decision `secret.format`). */
export function createWebhookSecret(fill: RandomFill = randomFillSync): string {
  return `whsec_${randomText(SECRET_BYTES, fill)}`;
}

/** A new API key of an environment (§5). */
export function createApiKeyText(environment: Environment, fill: RandomFill = randomFillSync): string {
  return keyPrefixes[environment] + randomText(KEY_BYTES, fill);
}

/** What is stored of a key. Keys are long random values, so a plain hash is enough to keep them from being read back. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The environment that a key says it belongs to; null when it is not a key of this service. */
export function environmentOfKey(key: string): Environment | null {
  if (key.startsWith(keyPrefixes.sandbox)) return 'sandbox';
  if (key.startsWith(keyPrefixes.production)) return 'production';
  return null;
}

function randomText(bytes: number, fill: RandomFill): string {
  return Buffer.from(fill(new Uint8Array(bytes))).toString('base64url');
}
