/** Describes the causes of a signature that does not match. */
import { formatCount } from '../format-count.ts';
import { PASS_RAW_BODY, quote, type Refusal } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';

export function otherScheme(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The signature is valid for the scheme ${other.name}, but it was verified as ${scheme.name}.`,
    remedy: `Verify with the scheme ${other.name}, or have the sender sign with ${scheme.name}.`,
  };
}

export function otherSchemeHeader(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The request has the header ${other.headers.signature} of the scheme ${other.name}, but no ${scheme.headers.signature}.`,
    remedy: `Verify with the scheme ${other.name}, or have the sender sign with ${scheme.name}.`,
  };
}

export function apiKeyAsSecret(prefix: string): Refusal {
  return {
    reason: 'api_key_as_secret',
    detail: `The secret starts with ${prefix}, so it is an API key. Deliveries are signed with the endpoint secret.`,
    remedy:
      'Verify with the secret that was shown when the endpoint was created (whsec_…), not with the API key.',
  };
}

/** @param matchingSecret its description, such as `the secret of wh_…` */
export function wrongSecret(matchingSecret: string): Refusal {
  return {
    reason: 'wrong_secret',
    detail: `The signature does not match the given secret, but it matches ${matchingSecret}.`,
    remedy: 'Correct the secret in the configuration of the receiver.',
  };
}

/** For a body that is known to be unchanged: only the secret can be wrong. */
export function unknownSecret(): Refusal {
  return {
    reason: 'wrong_secret',
    detail:
      'The signature does not match the given secret, and the body is unchanged: the signature was made with another secret or is forged.',
    remedy: 'Reject it. If it is genuine, correct the secret in the configuration of the receiver.',
  };
}

export function timestampChanged(received: string, signed: string): Refusal {
  return {
    reason: 'timestamp_changed',
    detail: `The signature matches the timestamp in the form ${signed}, but ${quote(received)} was given.`,
    remedy: 'Pass the timestamp header as it arrived. Converting it changes the signed string.',
  };
}

export function bodyChanged(change: string, signedBytes: number, receivedBytes: number): Refusal {
  return {
    reason: 'body_changed',
    detail: `The body was changed after signing: ${change} (${formatCount(signedBytes, 'byte')} signed, ${receivedBytes} given).`,
    remedy: PASS_RAW_BODY,
  };
}

export function bodyDecompressed(encoding: string): Refusal {
  return {
    reason: 'body_changed',
    detail: `The signature does not match, and the body is not the one that arrived: Content-Encoding is ${quote(encoding)}, but the given body is not compressed.`,
    remedy: 'Verify the bytes as they arrived, before the framework or a proxy decompresses them.',
  };
}

export function bodyCompressed(): Refusal {
  return {
    reason: 'body_changed',
    detail:
      'The signature does not match, and the given body is compressed with gzip: it was compressed after signing.',
    remedy: 'Turn off compression between sender and receiver, or decompress the body before verifying.',
  };
}

export function bodyStringified(): Refusal {
  return {
    reason: 'body_changed',
    detail:
      'The given body is the text [object Object]: the body was parsed, and the object was converted to text.',
    remedy: PASS_RAW_BODY,
  };
}

export function bodyMisread(): Refusal {
  return {
    reason: 'body_changed',
    detail:
      'The signature does not match, and the given body contains U+FFFD: bytes were lost when it was read as text.',
    remedy: PASS_RAW_BODY,
  };
}

export function signatureMismatch(secretCount: number, receivedBytes: number): Refusal {
  const secrets = secretCount === 1 ? 'the given secret' : `any of the ${secretCount} given secrets`;
  return {
    reason: 'signature_mismatch',
    detail: `The signature does not match ${secrets} and a body of ${formatCount(receivedBytes, 'byte')}: either the secret is wrong or the body was changed after signing.`,
    remedy:
      receivedBytes === 0
        ? 'Read the raw request body before anything else consumes it. The given body is empty.'
        : 'Compare the secret with the endpoint secret first. If they are the same, make sure that you verify the raw request body.',
  };
}
