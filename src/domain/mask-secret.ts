/** Prefix of endpoint secrets and of the API keys of each environment. */
const KNOWN_PREFIX = /^(?:svc_(?:test|live)_|whsec_)/;
/** A shorter secret shows nothing but its prefix: its last characters would be too large a part of it. */
const MIN_LENGTH_TO_SHOW_END = 16;

/** Masks a secret for display: `svc_test_…9fQx`, with its known prefix and its last four characters. */
export function maskSecret(secret: string): string {
  const prefix = KNOWN_PREFIX.exec(secret)?.[0] ?? '';
  const end = secret.length >= prefix.length + MIN_LENGTH_TO_SHOW_END ? secret.slice(-4) : '';
  return `${prefix}…${end}`;
}
