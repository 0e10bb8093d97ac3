/** Creates what an attacker sends, from the body of an event. */
import { type AttackName, attackNames } from '../../domain/exploration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { STALE_AGE_MS } from '../checks/signature-checks.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import type { DeliveryMessage } from '../receiver-client.ts';

/** The attacks that a scheme must reject. A scheme without a timestamp cannot tell that a delivery is old. */
export function listAttacks(scheme: SignatureScheme): readonly AttackName[] {
  const canBeStale = hasTimestamp(scheme);
  const hasTimestampHeader = scheme.headers.timestamp !== null;
  const isPossible: Readonly<Record<AttackName, boolean>> = {
    forged: true,
    altered: true,
    stale: canBeStale,
    replayed: scheme.content.includes('{timestamp}'),
    'missing-signature': true,
    'missing-timestamp': hasTimestampHeader,
    'doubled-timestamp': hasTimestampHeader && canBeStale,
  };
  return attackNames.filter((name) => isPossible[name]);
}

/** @param body the envelope of the event */
export function createAttack(
  name: AttackName,
  body: string,
  deliveryId: string,
  factory: DeliveryFactory,
): DeliveryMessage {
  const { signature, timestamp } = factory.scheme.headers;
  switch (name) {
    case 'forged':
      return factory.sign(body, { secrets: [createWebhookSecret(factory.scheme.key)], deliveryId });
    case 'altered': {
      const { headers } = factory.sign(body, { deliveryId });
      return { headers, body: `${body.slice(0, -1)},"altered":true}` };
    }
    case 'stale':
      return factory.sign(body, { ageMs: STALE_AGE_MS, deliveryId });
    case 'replayed': {
      const old = factory.sign(body, { ageMs: STALE_AGE_MS, deliveryId });
      const current = factory.sign(body, { deliveryId });
      const headers = Object.entries(old.headers).map(([header, value]) => [
        header,
        value.replace(old.timestamp, current.timestamp),
      ]);
      return { body, headers: Object.fromEntries(headers) };
    }
    case 'missing-signature':
      return withoutHeader(factory.sign(body, { deliveryId }), signature);
    case 'missing-timestamp':
      return withoutHeader(factory.sign(body, { deliveryId }), timestamp ?? '');
    case 'doubled-timestamp': {
      const old = factory.sign(body, { ageMs: STALE_AGE_MS, deliveryId });
      const current = factory.sign(body, { deliveryId });
      return {
        body,
        headers: { ...old.headers, [timestamp ?? '']: [old.timestamp, current.timestamp] },
      };
    }
  }
}

function withoutHeader({ body, headers }: DeliveryMessage, name: string): DeliveryMessage {
  const { [name]: _, ...otherHeaders } = headers;
  return { body, headers: otherHeaders };
}
