/** What is wrong with a certificate or a TLS handshake, in words. */
import type { ExchangeStage, NetworkError } from './outbound-exchange.ts';

const TRUST_IT = 'to trust it, pass its file with --ca';
const UNKNOWN_AUTHORITY = `was issued by an authority that is not known here; ${TRUST_IT}`;

/** OpenSSL's verdicts on a certificate, as what follows "the certificate of <host>". */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet; is the clock of this machine right?',
  CERT_REVOKED: 'was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: `is self-signed; ${TRUST_IT}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  // Said of a chain that consists of one certificate: an intermediate one may be missing.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNKNOWN_AUTHORITY}, or let the receiver send its intermediate certificates`,
};

/** OpenSSL's verdicts that the rest of the table does not name. */
const OTHER_VERDICT = /^(?:CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH$)/;
/** What OpenSSL makes of an answer in plain text. */
const PLAIN_ANSWER = /wrong version number|packet length too long|http request/i;

/** The problem as a sentence; null when the failure is not one of TLS. */
export function findTlsProblem(
  error: NetworkError,
  at: { url: URL; exchangeStage: ExchangeStage },
): string | null {
  const { url, exchangeStage } = at;
  const code = error.code ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = error.cert?.subjectaltname ?? 'no host at all';
    return `the certificate of ${url.host} is for ${names}, not for ${url.hostname}`;
  }
  const problem =
    certificateProblems[code] ?? (OTHER_VERDICT.test(code) ? `is not accepted: ${code}` : undefined);
  if (problem !== undefined) return `the certificate of ${url.host} ${problem}`;
  if (code === 'ECONNRESET' && exchangeStage === 'connecting') {
    return `${url.host} closed the connection in the TLS handshake: if it speaks plain HTTP, its address starts with http://`;
  }
  if (!/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return null;
  return PLAIN_ANSWER.test(error.reason ?? error.message)
    ? `${url.host} does not speak TLS: its address starts with http://`
    : `the TLS handshake with ${url.host} failed: ${error.reason ?? error.message}`;
}
