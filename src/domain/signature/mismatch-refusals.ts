/** The words for a signature that does not fit: what was found out about it, as in `explain.ts`. */
import { PASS_RAW_BODY, quote, type Refusal } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';

export function otherScheme(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The signature is right for the scheme ${other.name}, but it was verified as ${scheme.name}.`,
    remedy: `Verify with the scheme ${other.name}, or have the sender sign with ${scheme.name}.`,
  };
}

export function otherSchemeHeader(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The request has ${other.headers.signature}, the header of the scheme ${other.name}, and no ${scheme.headers.signature}.`,
    remedy: `Verify with the scheme ${other.name}, or have the sender sign with ${scheme.name}.`,
  };
}

export function apiKeyAsSecret(prefix: string): Refusal {
  return {
    reason: 'api_key_as_secret',
    detail: `The secret starts with ${prefix}, so it is an API key; deliveries are signed with the secret of the endpoint.`,
    remedy:
      'Verify with the secret that was shown when the endpoint was created (whsec_…), never with the API key.',
  };
}

export function wrongSecret(right: string): Refusal {
  return {
    reason: 'wrong_secret',
    detail: `The signature does not fit the secret given, but it fits ${right}.`,
    remedy: 'Correct the secret in the configuration of the receiver.',
  };
}

/** For a body that is known to be the one that was sent. */
export function unknownSecret(): Refusal {
  return {
    reason: 'wrong_secret',
    detail:
      'The signature does not fit the secret given, and the body is the one that was sent: it was signed with another secret, or made up.',
    remedy: 'Refuse it; if it is genuine, correct the secret in the configuration of the receiver.',
  };
}

export function timestampChanged(given: string, signed: string): Refusal {
  return {
    reason: 'timestamp_changed',
    detail: `The signature fits the timestamp written ${signed}, but ${quote(given)} was given.`,
    remedy: 'Pass the timestamp header as it arrived; converting it changes what was signed.',
  };
}

export function bodyChanged(change: string, signedBytes: number, givenBytes: number): Refusal {
  return {
    reason: 'body_changed',
    detail: `The body was changed after signing: ${change} (${signedBytes} bytes were signed, ${givenBytes} were given).`,
    remedy: PASS_RAW_BODY,
  };
}

export function bodyDecompressed(encoding: string): Refusal {
  return {
    reason: 'body_changed',
    detail: `The signature does not fit, and the body is not the one that arrived: Content-Encoding is ${quote(encoding)}, but what was given is not compressed.`,
    remedy: 'Verify the bytes as they arrived, before the framework or a proxy decompresses them.',
  };
}

export function bodyCompressed(): Refusal {
  return {
    reason: 'body_changed',
    detail:
      'The signature does not fit, and the body given is compressed with gzip: it was compressed after signing.',
    remedy:
      'Take the compression out of the way between sender and receiver, or decompress before verifying.',
  };
}

export function bodyStringified(): Refusal {
  return {
    reason: 'body_changed',
    detail: 'The body given is the text [object Object]: it was parsed, and the object turned into text.',
    remedy: PASS_RAW_BODY,
  };
}

export function bodyMisread(): Refusal {
  return {
    reason: 'body_changed',
    detail:
      'The signature does not fit, and the body given has U+FFFD in it: bytes were lost when it was read as text.',
    remedy: PASS_RAW_BODY,
  };
}

export function signatureMismatch(secrets: number, givenBytes: number): Refusal {
  const tried = secrets === 1 ? 'the secret given' : `any of the ${secrets} secrets given`;
  return {
    reason: 'signature_mismatch',
    detail: `The signature does not fit ${tried} over a body of ${givenBytes} bytes: either the secret is wrong or the body was changed after signing.`,
    remedy:
      givenBytes === 0
        ? 'Read the raw request body before anything else consumes it: an empty body was given.'
        : 'Compare the secret with that of the endpoint first; if it is the same, make sure that the raw request body is verified.',
  };
}
