/** The certificates of the tests; `certs/make.sh` says how they were made. */
import { readFileSync } from 'node:fs';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The authority that issued all of them but the self-signed one. */
export const authority = read('authority.cert');

/** `localhost` is right for that name and for both loopback addresses; each other one has the fault it is named for. */
export function getCertificate(
  name: 'localhost' | 'elsewhere' | 'expired' | 'future' | 'self-signed',
): Certificate {
  return { cert: read(`${name}.cert`), key: read(`${name}.key`) };
}

function read(name: string): string {
  return readFileSync(new URL(`certs/${name}.pem`, import.meta.url), 'utf8');
}
