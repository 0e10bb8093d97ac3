/** Deliveries with an invalid signature or timestamp, each of which differs from a valid delivery in one way. */
import { MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import { type AttackName, attackNames, attacks } from '../domain/variations.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { hasTimestamp } from '../signature/schemes.ts';
import { parseSignatureHeader } from '../signature/signature-header.ts';
import type { DeliveryFactory, SentEvent, SignedMessage } from './delivery-factory.ts';
import type { DeliveryMessage } from './receiver-client.ts';
import { addField, omitField } from './sequence.ts';

export interface TamperedDelivery {
  /** The check that fails if the receiver accepts it. */
  readonly id: `${'signature' | 'timestamp'}.${string}`;
  readonly sent: string;
  /** What to do if a receiver accepts it. */
  readonly remedy: string;
  create(factory: DeliveryFactory, event: SentEvent): DeliveryMessage;
}

/**
 * More than a minute over the tolerance, so that an age that is rounded to minutes is too large too. The margin of ten seconds is
 * there because the receiver's clock is known only to about a second.
 */
const STALE_AGE_MS = 6 * MINUTE_MS + 10 * SECOND_MS;
/** Ten seconds more than the tolerance. */
const SLIGHTLY_STALE_AGE_MS = 5 * MINUTE_MS + 10 * SECOND_MS;
/** Two minutes more than the tolerance, so that an age that is rounded to minutes is too large too. */
const FUTURE_AGE_MS = -7 * MINUTE_MS;

/** The names of the tampered deliveries that every correct receiver rejects with this scheme. */
export function listAttacks(scheme: SignatureScheme): readonly AttackName[] {
  return attackNames.filter((name) => definitions[name].isPossible?.(scheme) ?? true);
}

export function getTamperedDelivery(name: AttackName): TamperedDelivery {
  return { ...definitions[name], sent: attacks[name] };
}

interface Definition extends Omit<TamperedDelivery, 'sent'> {
  /** Whether it can be created with this scheme, and every correct receiver rejects it (default: always). */
  isPossible?(scheme: SignatureScheme): boolean;
}

/** A receiver that responds with 2xx to this delivery does not show by its responses what it verifies. */
export const OTHER_SECRET_CHECK_ID = 'signature.other-secret';
export const ALTERED_BODY_CHECK_ID = 'signature.altered-body';
export const OLD_DELIVERY_CHECK_ID = 'timestamp.old';
const hasTimestampHeader = ({ headers }: SignatureScheme) => headers.timestamp !== null;
const signsTimestamp = ({ content }: SignatureScheme) => content.includes('{timestamp}');
/** The schemes whose official library checks only that a timestamp is not too old: `stripe` of Stripe, `@slack/bolt` of Slack. */
const acceptFutureTimestamps: readonly string[] = ['stripe', 'slack'];
const REJECT_REMEDY = 'Reject it instead of skipping verification.';
const COMPARE_REMEDY = 'Compare whole signatures, including their length, byte by byte.';
const VERSION_REMEDY = 'Compare whole signatures, with their version, because other versions can be weaker.';

const definitions: Readonly<Record<AttackName, Definition>> = {
  forged: {
    id: OTHER_SECRET_CHECK_ID,
    remedy:
      'Compute the signature with the endpoint secret, compare it with the header, and respond with 4xx if they differ. If the verification returns a promise, await it.',
    create: signWithOtherSecret,
  },
  altered: {
    id: ALTERED_BODY_CHECK_ID,
    remedy: 'Compute the signature over the body that arrived.',
    create: (factory, event) => ({ ...factory.sign(event), body: addField(event.body, 'altered', 'true') }),
  },
  'missing-signature': {
    id: 'signature.missing',
    remedy: REJECT_REMEDY,
    create: (factory, event) => withoutHeader(factory.sign(event), factory.scheme.headers.signature),
  },
  'empty-signature': {
    id: 'signature.empty',
    remedy: REJECT_REMEDY,
    create: (factory, event) => withHeader(factory.sign(event), factory.scheme.headers.signature, ''),
  },
  'missing-digest': {
    id: 'signature.blank',
    remedy: COMPARE_REMEDY,
    create: withDigest(() => ''),
  },
  'truncated-signature': {
    id: 'signature.truncated',
    remedy: COMPARE_REMEDY,
    create: withDigest((digest) => digest.slice(0, digest.length / 2)),
  },
  'prefixed-signature': {
    id: 'signature.prefixed',
    remedy: COMPARE_REMEDY,
    create: withDigest((digest) => `0000${digest}`),
  },
  'suffixed-signature': {
    id: 'signature.suffixed',
    remedy:
      'Compare whole signatures, including their length, as text: hex decoders such as Buffer.from ignore what follows the digits.',
    // Base64 decoders, including those of correct receivers, ignore what follows the padding.
    isPossible: ({ encoding }) => encoding === 'hex',
    create: withDigest((digest) => `${digest}zz`),
  },
  'non-ascii-signature': {
    id: 'signature.non-ascii',
    remedy: COMPARE_REMEDY,
    create: withDigest((digest) => `é${digest.slice(1)}`),
  },
  'missing-version': {
    id: 'signature.no-version',
    remedy: VERSION_REMEDY,
    isPossible: ({ header }) => header.prefix !== '',
    create: withSignature((digest) => digest),
  },
  'other-version': {
    id: 'signature.other-version',
    remedy: VERSION_REMEDY,
    isPossible: ({ header }) => /\d/.test(header.prefix),
    create: withSignature((digest, prefix) => prefix.replace(/\d+/, (n) => (n === '0' ? '1' : '0')) + digest),
  },
  'empty-body-signature': {
    id: 'signature.empty-body',
    remedy: 'A parser has probably read the body before your code does. Read the raw bytes first.',
    create: (factory, event) => ({ ...factory.sign({ ...event, body: '' }), body: event.body }),
  },
  'doubled-signature': {
    id: 'signature.doubled',
    remedy: 'Reject a delivery unless one of its signatures matches.',
    create(factory, event) {
      const { signature } = factory.scheme.headers;
      const [first, second] = [signWithOtherSecret(factory, event), signWithOtherSecret(factory, event)];
      const values = [first, second].map(({ headers }) => headers[signature] ?? '');
      return withHeader(first, signature, values);
    },
  },
  'missing-timestamp': {
    id: 'timestamp.missing',
    remedy: REJECT_REMEDY,
    isPossible: hasTimestampHeader,
    create: (factory, event) => withoutHeader(factory.sign(event), factory.scheme.headers.timestamp ?? ''),
  },
  stale: {
    id: OLD_DELIVERY_CHECK_ID,
    remedy:
      'Anyone who recorded a delivery can send it again. Reject those that are older than five minutes.',
    isPossible: hasTimestamp,
    create: (factory, event) => factory.sign(event, { ageMs: STALE_AGE_MS }),
  },
  'slightly-stale': {
    id: 'timestamp.slightly-old',
    remedy:
      'Compare the exact age with 300 seconds, without rounding it to minutes, and check the clock of the receiver.',
    isPossible: hasTimestamp,
    create: (factory, event) => factory.sign(event, { ageMs: SLIGHTLY_STALE_AGE_MS }),
  },
  'unreadable-timestamp': {
    id: 'timestamp.unreadable',
    remedy:
      'A comparison with NaN, such as age > 300, is always false. Accept a delivery only if its age is a number and at most five minutes.',
    isPossible: hasTimestamp,
    create: (factory, event) => factory.sign(event, { timestamp: 'not-a-time' }),
  },
  future: {
    id: 'timestamp.future',
    remedy:
      'Anyone who recorded a delivery can send it again for longer than five minutes. Compare the absolute value of the age.',
    isPossible: (scheme) => hasTimestamp(scheme) && !acceptFutureTimestamps.includes(scheme.name),
    create: (factory, event) => factory.sign(event, { ageMs: FUTURE_AGE_MS }),
  },
  replayed: {
    id: 'timestamp.replaced',
    remedy: 'Include the value of the timestamp header in the signed content.',
    isPossible: signsTimestamp,
    create(factory, event) {
      const stale = factory.sign(event, { ageMs: STALE_AGE_MS });
      const { timestamp } = factory.sign(event);
      const headers = Object.entries(stale.headers).map(([name, value]) => [
        name,
        value.replace(stale.timestamp, timestamp),
      ]);
      return { body: event.body, headers: Object.fromEntries(headers) };
    },
  },
  'unsigned-timestamp': {
    id: 'timestamp.unsigned',
    remedy:
      'Anyone who recorded a delivery can send it again with a new timestamp. Accept only a signature over the timestamp and the body.',
    isPossible: signsTimestamp,
    create: (factory, event) => factory.sign(event, { scheme: { ...factory.scheme, content: '{body}' } }),
  },
  'doubled-timestamp': {
    id: 'timestamp.doubled',
    remedy:
      'Verify the same timestamp from which you compute the age, and reject a delivery with two of them.',
    isPossible: hasTimestampHeader,
    create(factory, event) {
      const stale = factory.sign(event, { ageMs: STALE_AGE_MS });
      const timestamps = [stale.timestamp, factory.sign(event).timestamp];
      return withHeader(stale, factory.scheme.headers.timestamp ?? '', timestamps);
    },
  },
};

/** A secret that the receiver does not have. */
export function createOtherSecret({ scheme }: DeliveryFactory): string {
  return createWebhookSecret(scheme.key);
}

function signWithOtherSecret(factory: DeliveryFactory, event: SentEvent): SignedMessage {
  return factory.sign(event, { secrets: [createOtherSecret(factory)] });
}

function withDigest(change: (digest: string) => string): Definition['create'] {
  return withSignature((digest, prefix) => prefix + change(digest));
}

/** @param change returns the signature, which was the prefix and the digest */
function withSignature(change: (digest: string, prefix: string) => string): Definition['create'] {
  return (factory, event) => {
    const message = factory.sign(event);
    const { header, headers } = factory.scheme;
    const text = message.headers[headers.signature] ?? '';
    const [digest = ''] = parseSignatureHeader(factory.scheme, text).digests;
    const value = text.replace(header.prefix + digest, () => change(digest, header.prefix));
    return withHeader(message, headers.signature, value);
  };
}

function withHeader(
  { body, headers }: SignedMessage,
  name: string,
  value: string | readonly string[],
): DeliveryMessage {
  return { body, headers: { ...headers, [name]: value } };
}

function withoutHeader({ body, headers }: SignedMessage, name: string): DeliveryMessage {
  return { body, headers: omitField(headers, name) };
}
