/** The certificates of the tests, created by `certs/make.sh`. */
import { readFileSync } from 'node:fs';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The authority that issued all certificates except the self-signed one. */
export const authority = read('authority.cert');

/** `localhost` is valid for that name and for both loopback addresses. The name of each other certificate is its problem. */
export function getCertificate(
  name: 'localhost' | 'elsewhere' | 'expired' | 'future' | 'self-signed',
): Certificate {
  return { cert: read(`${name}.cert`), key: read(`${name}.key`) };
}

function read(name: string): string {
  return readFileSync(new URL(`certs/${name}.pem`, import.meta.url), 'utf8');
}
