/** Gaps about signatures, secrets and IDs. */
import { SECRET_PREFIX } from '../../domain/credentials.ts';
import { DAY_MS, SECOND_MS } from '../../domain/duration.ts';
import { duration, text, wholeNumber } from '../../resources/value-schemas.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { CONTENT_TEMPLATE_DESCRIPTION, isContentTemplate } from '../../signature/schemes.ts';
import type { Gap } from '../gap.ts';
import { objectOf, oneOf } from '../gap-schemas.ts';

/** The formats of `Service-Signature`. `<hash>` in a prefix is the name of the hash. */
export const signatureHeaderFormats = {
  'v1=<hex>': { encoding: 'hex', prefix: 'v1=', separator: ',', timestampField: null },
  '<hex>': { encoding: 'hex', prefix: '', separator: ',', timestampField: null },
  '<base64>': { encoding: 'base64', prefix: '', separator: ',', timestampField: null },
  '<hash>=<hex>': { encoding: 'hex', prefix: '<hash>=', separator: ',', timestampField: null },
  '<hash>=<base64>': { encoding: 'base64', prefix: '<hash>=', separator: ',', timestampField: null },
  'v1=<base64>': { encoding: 'base64', prefix: 'v1=', separator: ',', timestampField: null },
  'v1,<base64>': { encoding: 'base64', prefix: 'v1,', separator: ' ', timestampField: null },
  't=<timestamp>,v1=<hex>': { encoding: 'hex', prefix: 'v1=', separator: ',', timestampField: 't' },
} as const;

/** The keys of the HMAC. */
export const signatureKeys = {
  utf8: { form: 'utf8' },
  utf8_without_prefix: { form: 'utf8', prefix: SECRET_PREFIX },
  base64: { form: 'base64', prefix: SECRET_PREFIX },
  hex: { form: 'hex', prefix: SECRET_PREFIX },
} as const satisfies Record<string, SignatureScheme['key']>;

export const signatureGaps = {
  'signature.content': {
    question: 'Which string is signed?',
    references: ['§6.2', '§6.gaps.signature'],
    reason:
      'Verification has four inputs: raw body, signature, timestamp and secret. The default signs nothing else, such as the delivery ID.',
    schema: text(CONTENT_TEMPLATE_DESCRIPTION, isContentTemplate),
    relaxed: '{timestamp}.{body}',
  },
  'signature.algorithm': {
    question: 'Which algorithm is used, and which part of the secret is the key?',
    references: ['§6.gaps.signature'],
    reason:
      'Most webhook senders use HMAC-SHA256. The key needs no decoding, so verification takes little code in every language.',
    schema: objectOf({
      hash: oneOf({ sha256: 'HMAC-SHA256', sha512: 'HMAC-SHA512', sha1: 'HMAC-SHA1' }),
      key: oneOf({
        utf8: 'the whole secret as UTF-8 bytes',
        utf8_without_prefix: 'the part after `whsec_`, as UTF-8 bytes',
        base64: 'the part after `whsec_`, decoded from base64',
        hex: 'the part after `whsec_`, decoded from hex',
      }),
    }),
    relaxed: { hash: 'sha256', key: 'utf8' },
  },
  'signature.header': {
    question: 'What is the format of `Service-Signature`?',
    references: ['§6.headers.signature', '§6.gaps.signature'],
    reason:
      'With a version prefix, another algorithm can be added later. During a rotation, the current signature comes first, then a comma and the previous one.',
    schema: oneOf({
      'v1=<hex>': 'lowercase hex',
      '<hex>': 'the digest without a prefix',
      '<base64>': 'the digest without a prefix',
      '<hash>=<hex>': 'the name of the hash as the prefix, as in `sha256=…`',
      '<hash>=<base64>': 'as before, in base64',
      'v1=<base64>': 'base64',
      'v1,<base64>': 'as in Standard Webhooks, separated by a space',
      't=<timestamp>,v1=<hex>': 'as Stripe: the timestamp is signed as it is in this header',
    }),
    relaxed: 'v1=<hex>',
  },
  'signature.timestamp': {
    question: 'What is the format of `Service-Timestamp`?',
    references: ['§2.timestamps', '§6.headers.timestamp'],
    reason: 'Timestamps of the service are ISO 8601 in UTC. The verifier accepts every format.',
    schema: oneOf({
      iso8601: '`2026-11-20T23:06:00Z`, whole seconds',
      unix: 'seconds since 1970',
      unix_ms: 'milliseconds since 1970',
    }),
    relaxed: 'iso8601',
  },
  'signature.tolerance': {
    question: 'How far can a timestamp be from the current time of the receiver?',
    references: ['§6.3', '§8.tolerance'],
    reason:
      'The description sets a limit of five minutes for old deliveries. With the same limit for timestamps in the future, a signature is never valid for long.',
    schema: duration(wholeNumber(SECOND_MS, DAY_MS)),
    relaxed: '5m',
  },
  'secret.format': {
    question: 'What does an endpoint secret look like?',
    references: ['§2.webhook.secret', '§6.gaps.signature'],
    reason: 'The prefix is widely known, so people and secret scanners recognize it.',
    answer: '`whsec_` and 32 random bytes in base64url; in base64 or hex if the scheme decodes the secret',
  },
  'id.format': {
    question: 'What does the opaque part of an ID look like?',
    references: ['§2.ids'],
    reason: 'IDs sort by creation time, so pages stay stable while events are created.',
    answer: 'a ULID: 26 characters of Crockford base32 that begin with the creation time',
  },
} satisfies Record<string, Gap>;
