import { schemes } from '../../../src/domain/signature/schemes.ts';
import { type ExploreOptions, type ExploreReport, explore } from '../../../src/receiver/explore/explore.ts';
import { SECRET } from '../configurable-receiver.ts';

/** Explores a receiver of these tests with a fixed seed. */
export function exploreReceiver(
  options: Pick<ExploreOptions, 'url' | 'readEffects'> & Partial<ExploreOptions>,
): Promise<ExploreReport> {
  return explore({
    urlRule: 'local',
    scheme: schemes.svc,
    secret: SECRET,
    events: [
      { type: 'order.shipped', payload: '{"order_id":"ord_1","street":"Schönhauser Allee 1/2"}' },
      { type: 'invoice.paid', payload: '{"invoice_id":"inv_1","amount":1250}' },
    ],
    seed: 1,
    runs: 100,
    timeMs: null,
    restart: null,
    timeoutMs: 5_000,
    now: Date.now,
    signal: new AbortController().signal,
    ...options,
  });
}
