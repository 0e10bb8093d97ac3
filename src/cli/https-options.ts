/** HTTPS of `emulator start`: what is served, and what the clients are to trust. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigValues } from '../config.ts';
import { SvcError } from '../errors.ts';

type HttpsSettings = Pick<ConfigValues, 'https' | 'cert' | 'key'>;

interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate means HTTPS, asked for or not.
 * @throws SvcError `usage` for a certificate without its key, and the reverse.
 */
export function toHttpsOptions({ https, cert, key }: HttpsSettings): true | CertificateFiles | undefined {
  if (cert === null && key === null) return https ? true : undefined;
  if (cert !== null && key !== null) return { cert, key };
  const [given, missing] = cert === null ? ['--key', '--cert'] : ['--cert', '--key'];
  throw new SvcError('usage', `${given} needs ${missing} too.`, {
    hint: 'Name both files, or neither: --https makes a certificate.',
  });
}

/**
 * Writes a certificate that no authority issued to `certificate.pem` in `folder`, where clients find it, and returns
 * its path; null for any other one, which its authority vouches for.
 */
export function writeCertificate(folder: string, certificate: string | null): string | null {
  if (certificate === null || !isSelfSigned(certificate)) return null;
  const path = join(folder, 'certificate.pem');
  writeFileSync(path, certificate, { mode: 0o644 });
  return path;
}

function isSelfSigned(certificate: string): boolean {
  const { issuer, subject } = new X509Certificate(certificate);
  return issuer === subject;
}
