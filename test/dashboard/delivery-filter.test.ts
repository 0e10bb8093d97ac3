import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import {
  matchesFilter,
  parseFilter,
  toListInput,
} from '../../src/dashboard/views/deliveries/delivery-filter.ts';

const delivery = {
  id: 'del_1',
  event_id: 'evt_1',
  event_type: 'order.shipped',
  webhook_id: 'wh_1',
  url: 'http://127.0.0.1/Hooks',
  status: 'failed',
  last_attempt: { number: 1, outcome: 'http_error', response_status: 404, error: null },
  created_at: '2026-01-01T12:00:00.000Z',
} as Delivery;
const noon = Date.parse(delivery.created_at);

describe('the delivery filter of a URL', () => {
  it('the delivery filter of a URL is parsed and trimmed', () => {
    const query = { status: 'paused', type: 'a.b', since: '1h', until: '2026-01-01T00:00:00Z', text: ' x ' };
    expect(parseFilter(query)).toEqual({ ...query, text: 'x' });
  });

  it('the delivery filter of a URL omits empty, invalid and unknown values', () => {
    expect(parseFilter({ status: 'odd', response: '99', since: 'soon', type: ' ', attempt: '2' })).toEqual(
      {},
    );
  });

  it('the delivery filter of a URL is converted to the parameters of the control plane', () => {
    expect(toListInput({ webhook: 'wh_1', event: 'evt_1', response: '4XX', text: 'x' })).toEqual({
      webhook_id: 'wh_1',
      event_id: 'evt_1',
      response_status: '4xx',
      text: 'x',
    });
  });
});

describe('matchesFilter', () => {
  it.each([
    {},
    { status: 'failed', type: 'order.shipped', webhook: 'wh_1', event: 'evt_1' },
    { response: '404' },
    { response: '4xx' },
    { since: '1m' },
    { since: '2026-01-01T12:00:00Z', until: '2026-01-01T12:00:01Z' },
    { text: 'DEL_1' },
    { text: 'hooks' },
    { text: 'ord_7' },
  ] as const)('matchesFilter accepts a delivery that matches %j', (filter) => {
    expect(matchesFilter(filter, delivery, '{"id":"ORD_7"}', noon + 60_000)).toBe(true);
  });

  it.each([
    { status: 'pending' },
    { status: 'paused' },
    { response: '5xx' },
    { response: 'none' },
    { type: 'order' },
    { webhook: 'wh_2' },
    { event: 'evt_2' },
    { since: '59s' },
    { until: '2026-01-01T12:00:00Z' },
    { text: 'ord_8' },
  ] as const)('matchesFilter rejects a delivery that does not match %j', (filter) => {
    expect(matchesFilter(filter, delivery, '{"id":"ORD_7"}', noon + 60_000)).toBe(false);
  });

  it('matchesFilter selects a paused delivery by paused and by pending', () => {
    const paused = { ...delivery, status: 'pending', paused: true } as Delivery;
    const statuses = ['paused', 'pending', 'failed'] as const;
    expect(statuses.map((status) => matchesFilter({ status }, paused, undefined, noon))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('matchesFilter returns null when only an unknown body could contain the text', () => {
    expect(matchesFilter({ text: 'ord_7' }, delivery, undefined, noon)).toBeNull();
    expect(matchesFilter({ text: 'ord_7', status: 'pending' }, delivery, undefined, noon)).toBe(false);
    expect(matchesFilter({ text: 'order' }, delivery, undefined, noon)).toBe(true);
  });
});
