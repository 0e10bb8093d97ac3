/**
 * A signature scheme is data: everything that differs between senders of signed webhooks, so that one implementation
 * signs and verifies them all. The service's own scheme is the default (decisions `signature.*`).
 */

export const signatureAlgorithms = ['sha256', 'sha1', 'sha512'] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** What the pieces of a signed content are: the members of a message, and what the template has between them. */
export const signedParts = ['id', 'timestamp', 'body', 'literal'] as const;
export type SignedPart = (typeof signedParts)[number];

export interface SignatureScheme {
  readonly name: string;
  /** Hash under the HMAC. */
  readonly algorithm: SignatureAlgorithm;
  /** Key bytes: the whole secret as UTF-8, or what follows a prefix such as `whsec_`, decoded. */
  readonly key: { readonly form: 'utf8' } | { readonly form: 'base64' | 'hex'; readonly prefix: string };
  /** What is signed, a template over `{id}`, `{timestamp}` and `{body}`, for instance `{timestamp}.{body}`. */
  readonly content: string;
  readonly encoding: 'hex' | 'base64';
  /**
   * Grammar of the signature header: each signature is `prefix` + encoded digest, several are joined by `separator`
   * while a secret is being rotated (current first). `separator` is null where the header holds one signature only;
   * the current secret then signs alone. `timestampField` is the name under which the timestamp travels in the same
   * header (Stripe's `t`), null when it does not.
   */
  readonly header: {
    readonly prefix: string;
    readonly separator: string | null;
    readonly timestampField: string | null;
  };
  /** Header names; null where the scheme has no such header. */
  readonly headers: {
    readonly signature: string;
    readonly timestamp: string | null;
    readonly id: string | null;
  };
  /** ISO 8601 in whole seconds, or seconds or milliseconds since 1970. */
  readonly timestampFormat: 'iso8601' | 'unix' | 'unix_ms';
}
