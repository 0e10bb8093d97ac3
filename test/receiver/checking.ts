import { schemes } from '../../src/domain/signature/schemes.ts';
import type { CheckStatus } from '../../src/receiver/check.ts';
import { type ConductOptions, conductChecks, type Report } from '../../src/receiver/conduct.ts';
import { API_KEY, SECRET } from './faulty-receiver.ts';

type Given = Pick<ConductOptions, 'url'> & Partial<ConductOptions>;

/** The whole check with what the receivers of these tests know; work of 400 ms counts as slow. */
export function check(options: Given): Promise<Report> {
  return conductChecks({
    ...{ count: null, urlRule: 'local', secret: SECRET, scheme: schemes.svc, apiKey: API_KEY, only: [] },
    ...{ eventType: 'order.shipped', payload: '{"order_id":"ord_1","street":"Schönhauser Allee 1/2"}' },
    ...{ now: Date.now, timeoutMs: 5_000, slowMs: 400, signal: new AbortController().signal },
    ...options,
  });
}

export function idsOf({ checks }: Report, wanted: CheckStatus): string[] {
  return checks.filter(({ status }) => status === wanted).map(({ id }) => id);
}
