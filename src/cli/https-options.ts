/** The HTTPS settings of `emulator start`, and the certificate that clients must trust. */
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
 * A certificate turns HTTPS on.
 * @throws SvcError `usage` for a certificate without its key, or a key without its certificate.
 */
export function toHttpsOptions({ https, cert, key }: HttpsSettings): true | CertificateFiles | undefined {
  if (cert === null && key === null) return https ? true : undefined;
  if (cert !== null && key !== null) return { cert, key };
  const [given, missing] = cert === null ? ['--key', '--cert'] : ['--cert', '--key'];
  throw new SvcError('usage', `${given} needs ${missing}.`, {
    hint: 'Pass both, or use --https with a generated certificate.',
  });
}

/**
 * Writes a self-signed certificate to `certificate.pem` in `folder`, for clients to trust.
 * @returns its path; null for a certificate that an authority issued
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
