/** A receiver with one of the defects that are most common in code that receives webhooks, and without it. */
import { createHmac } from 'node:crypto';
import { createReceiver, type ReceivedRequest, type Receiver } from '../support/test-receiver.ts';

export const defects = ['body_reserialized', 'wrong_secret', 'timestamp_in_ms', 'duplicate_fails'] as const;
export type Defect = (typeof defects)[number];

export interface DefectiveReceiver {
  readonly receiver: Receiver;
  /** Sets the secret of the endpoint, which the receiver verifies with. */
  configure(secret: string): void;
  fix(): void;
}

/** It reports the signature that it computed, as many receivers do during development. */
export async function createDefectiveReceiver(defect: Defect): Promise<DefectiveReceiver> {
  const receiver = await createReceiver(500);
  const processed = new Set<string>();
  let current: Defect | null = defect;
  return {
    receiver,
    fix: () => {
      current = null;
    },
    configure(secret) {
      receiver.respond((request) => {
        const computed = `v1=${computeDigest(request, current, secret)}`;
        if (request.headers['service-signature'] !== computed) {
          return { status: 400, body: `Invalid signature. Computed ${computed}` };
        }
        const id = String(request.envelope?.data.id);
        if (processed.has(id) && current === 'duplicate_fails') {
          return { status: 500, body: 'UNIQUE constraint failed: orders.event_id' };
        }
        processed.add(id);
        return 200;
      });
    },
  };
}

function computeDigest(
  { headers, body, json }: ReceivedRequest,
  defect: Defect | null,
  secret: string,
): string {
  const sent = String(headers['service-timestamp']);
  const timestamp = defect === 'timestamp_in_ms' ? Date.parse(sent) : sent;
  const signedBody = defect === 'body_reserialized' ? JSON.stringify(json, null, 2) : body;
  // The text of a variable that is not set.
  const key = defect === 'wrong_secret' ? String(undefined) : secret;
  return createHmac('sha256', key).update(`${timestamp}.${signedBody}`).digest('hex');
}
