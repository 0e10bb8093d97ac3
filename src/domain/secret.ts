/** Secrets and keys: how they are made and what they look like. */
import { createHash, randomFillSync } from 'node:crypto';
import type { Environment } from './environment.ts';
import type { RandomFill } from './ids.ts';
import type { SignatureScheme } from './signature/scheme.ts';

/** Widely known, so that people and secret scanners see what it is. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const KEY_BYTES = 24;

/** Prefix of the keys of each environment (§5). */
export const keyPrefixes = { sandbox: 'svc_test_', production: 'svc_live_' } as const satisfies Record<
  Environment,
  string
>;

/**
 * A new endpoint secret (decision `secret.format`). Where the scheme decodes the secret it is written in that encoding,
 * behind the prefix of the scheme: other implementations decode strictly.
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

/** Bytes of a secret that is not the one given, and always the same for it. */
export function fillFromHash(secret: string): RandomFill {
  return (buffer) => {
    buffer.set(createHash('sha256').update(secret).digest().subarray(0, buffer.length));
    return buffer;
  };
}

/** What is stored of a key. Keys are long random values, so a plain hash is enough to keep them from being read back. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** A secret as anybody who looks on may see it: what it is, and four characters to tell it from others. */
export function maskSecret(secret: string): string {
  const prefix = /^[a-z]+_/.exec(secret)?.[0] ?? '';
  return `${prefix}…${secret.slice(-4)}`;
}

/** The environment that a key says it belongs to; null when it is not a key of this service. */
export function environmentOfApiKey(key: string): Environment | null {
  if (key.startsWith(keyPrefixes.sandbox)) return 'sandbox';
  if (key.startsWith(keyPrefixes.production)) return 'production';
  return null;
}

function randomText(bytes: number, encoding: BufferEncoding, fill: RandomFill): string {
  return Buffer.from(fill(new Uint8Array(bytes))).toString(encoding);
}
