/** How a delivery is signed, and what secrets and identifiers look like. */
import { CONTENT_TEMPLATE, isContentTemplate } from '../../domain/signature/scheme-check.ts';
import type { Gap } from '../gap.ts';
import { duration, objectOf, oneOf, text } from '../value-schema.ts';

export const signatureGaps = {
  'signature.content': {
    question: 'Which string is signed?',
    references: ['§6.2', '§6.gaps.signature'],
    reason:
      'Verification is given four things: raw body, signature, timestamp and secret. Nothing else, the delivery id for one, can be part of what was signed.',
    schema: text(CONTENT_TEMPLATE, isContentTemplate),
    relaxed: '{timestamp}.{body}',
  },
  'signature.algorithm': {
    question: 'With which algorithm, and what of the secret is the key?',
    references: ['§6.gaps.signature'],
    reason:
      'The commonest among senders of webhooks, and one line in every language: no prefix to strip, nothing to decode.',
    schema: objectOf({
      hash: oneOf({ sha256: 'HMAC-SHA256', sha512: 'HMAC-SHA512', sha1: 'HMAC-SHA1' }),
      key: oneOf({
        utf8: 'the whole secret as UTF-8 bytes',
        base64: 'what follows `whsec_`, decoded from base64',
      }),
    }),
    relaxed: { hash: 'sha256', key: 'utf8' },
  },
  'signature.header': {
    question: 'What is the grammar of `Service-Signature`?',
    references: ['§6.headers.signature', '§6.gaps.signature'],
    reason:
      'A version in front leaves room for another algorithm; a list leaves room for the second secret during a rotation.',
    schema: oneOf({
      'v1=<hex>': 'lower-case hex; several joined by `,` while a secret is being rotated, current first',
      '<hex>': 'the bare digest, several joined by `,`',
      '<base64>': 'the bare digest, several joined by `,`',
      '<hash>=<hex>': 'the name of the hash in front, as in `sha256=…`, several joined by `,`',
      'v1,<base64>': 'as in Standard Webhooks, several joined by a space',
    }),
    relaxed: 'v1=<hex>',
  },
  'signature.timestamp': {
    question: 'In which format is `Service-Timestamp`?',
    references: ['§2.timestamps', '§6.headers.timestamp'],
    reason: 'Timestamps of the service are ISO 8601, UTC. The verifier accepts both choices.',
    schema: oneOf({ iso8601: '`2026-11-20T23:06:00Z`, whole seconds', unix: 'seconds since 1970' }),
    relaxed: 'iso8601',
  },
  'signature.tolerance': {
    question: 'How far may a timestamp be from the time of the receiver?',
    references: ['§6.3', '§8.tolerance'],
    reason:
      'Five minutes is described for old deliveries. The same limit for the future stops a signature from being kept for later.',
    schema: duration('1s', '24h'),
    relaxed: '5m',
  },
  'secret.format': {
    question: 'What does an endpoint secret look like?',
    references: ['§2.webhook.secret', '§6.gaps.signature'],
    reason: 'The prefix is widely known, so that people and secret scanners see what it is.',
    answer: '`whsec_` and 32 random bytes in base64url; in base64 or hex where the scheme decodes the secret',
  },
  'id.format': {
    question: 'What is the opaque part of an identifier?',
    references: ['§2.ids'],
    reason:
      'Order by id is order of creation, which keeps cursor pages stable while events are being created.',
    answer: 'a ULID: 26 characters of Crockford base32, time first',
  },
} satisfies Record<string, Gap>;
