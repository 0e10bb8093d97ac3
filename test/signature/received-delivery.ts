import { type SchemeName, schemes } from '../../src/signature/schemes.ts';
import { signDelivery } from '../../src/signature/sign.ts';
import type { VerifyInput } from '../../src/signature/verify-input.ts';

export const secret = 'whsec_N3pVvJb1c2Yh0t6m4Q8xZk5sRf7uWg9aLdEeTyUiOpA';
export const body =
  '{"type":"order.shipped","data":{"id":"evt_1","payload":{"price":10.50,"to":"Grüße/世界"}}}';
export const now = Date.parse('2026-11-20T23:06:00Z');

/** Its headers are not arrays. */
export interface ReceivedDelivery extends VerifyInput {
  readonly signature: string | null | undefined;
  readonly timestamp?: string | null | undefined;
  readonly id?: string | null | undefined;
}

/** Input to verify a delivery that is signed now with {@link secret}, with `changes`. */
export function received(
  changes: Partial<ReceivedDelivery> = {},
  signed: { payload?: string | Uint8Array; secrets?: readonly string[]; scheme?: SchemeName } = {},
): ReceivedDelivery {
  const { payload = body, secrets = [secret], scheme: name = 'svc' } = signed;
  const scheme = schemes[name];
  const { headers } = signDelivery({ scheme, secrets, id: 'del_1', timestampMs: now, body: payload });
  const value = (header: string | null) => (header === null ? null : headers[header]);
  return {
    payload,
    signature: value(scheme.headers.signature),
    timestamp: value(scheme.headers.timestamp),
    id: value(scheme.headers.id),
    scheme: name,
    secret,
    now,
    ...changes,
  };
}
