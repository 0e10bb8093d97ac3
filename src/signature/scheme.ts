/**
 * A signature scheme describes everything that differs between senders of signed webhooks, so that one implementation
 * signs and verifies them all. The default is the scheme of the service (gaps `signature.*`).
 */
import type { SecretKey } from '../domain/secret.ts';

export const signatureAlgorithms = ['sha256', 'sha1', 'sha512'] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** The kinds of pieces of a signed content: fields of the message, and literal text between them. */
export const signedParts = ['id', 'timestamp', 'body', 'literal'] as const;
export type SignedPart = (typeof signedParts)[number];

export interface SignatureScheme {
  readonly name: string;
  /** Hash function of the HMAC. */
  readonly algorithm: SignatureAlgorithm;
  readonly key: SecretKey;
  /** The signed string, a template with `{id}`, `{timestamp}` and `{body}`, for example `{timestamp}.{body}`. */
  readonly content: string;
  readonly encoding: 'hex' | 'base64';
  /**
   * Format of the signature header: each signature is `prefix` + encoded digest. During a rotation several are joined by
   * `separator`, the current secret first. `separator` is null if the header has only one signature, that of the current
   * secret. `timestampField` is the name of the timestamp in this header (Stripe's `t`); null when it is not there.
   */
  readonly header: {
    readonly prefix: string;
    readonly separator: string | null;
    readonly timestampField: string | null;
  };
  /** Header names; null if the scheme has no such header. */
  readonly headers: {
    readonly signature: string;
    readonly timestamp: string | null;
    readonly id: string | null;
  };
  /** ISO 8601 in whole seconds, or seconds or milliseconds since 1970. */
  readonly timestampFormat: 'iso8601' | 'unix' | 'unix_ms';
}
