import { variationNames } from '../../../src/domain/variations.ts';
import { senders } from '../../../src/profile/senders.ts';
import { type FuzzOptions, type FuzzReport, fuzz } from '../../../src/receivers/fuzz/fuzz.ts';
import { SECRET } from '../configurable-receiver.ts';

/** Fuzzes a receiver of these tests with a fixed seed. */
export function fuzzReceiver(
  options: Pick<FuzzOptions, 'url' | 'readSideEffects'> & Partial<FuzzOptions>,
): Promise<FuzzReport> {
  return fuzz({
    urlRule: 'local',
    sender: senders.svc,
    secret: SECRET,
    events: [
      { type: 'order.shipped', payload: '{"order_id":"ord_1","street":"Schönhauser Allee 1/2"}' },
      { type: 'invoice.paid', payload: '{"invoice_id":"inv_1","amount":1250}' },
    ],
    randomSeed: 1,
    runs: 100,
    timeMs: null,
    restart: null,
    variations: new Set(variationNames),
    timeoutMs: 5_000,
    now: Date.now,
    signal: new AbortController().signal,
    ...options,
  });
}
