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
  created_at: '2026-01-01T12:00:00.000Z',
} as Delivery;
const noon = Date.parse(delivery.created_at);

describe('the filter of an address', () => {
  it('is read as it was written', () => {
    const query = { status: 'failed', type: 'a.b', since: '1h', until: '2026-01-01T00:00:00Z', text: ' x ' };
    expect(parseFilter(query)).toEqual({ ...query, text: 'x' });
  });

  it('leaves out what is empty, impossible or not of it', () => {
    expect(parseFilter({ status: 'odd', since: 'soon', type: ' ', attempt: '2' })).toEqual({});
  });

  it('has the names of the control plane when it is asked', () => {
    expect(toListInput({ webhook: 'wh_1', event: 'evt_1', text: 'x' })).toEqual({
      webhook_id: 'wh_1',
      event_id: 'evt_1',
      text: 'x',
    });
  });
});

describe('a delivery of the live stream', () => {
  it.each([
    {},
    { status: 'failed', type: 'order.shipped', webhook: 'wh_1', event: 'evt_1' },
    { since: '1m' },
    { since: '2026-01-01T12:00:00Z', until: '2026-01-01T12:00:01Z' },
    { text: 'DEL_1' },
    { text: 'hooks' },
    { text: 'ord_7' },
  ] as const)('fits %j', (filter) => {
    expect(matchesFilter(filter, delivery, '{"id":"ORD_7"}', noon + 60_000)).toBe(true);
  });

  it.each([
    { status: 'pending' },
    { type: 'order' },
    { webhook: 'wh_2' },
    { event: 'evt_2' },
    { since: '59s' },
    { until: '2026-01-01T12:00:00Z' },
    { text: 'ord_8' },
  ] as const)('does not fit %j', (filter) => {
    expect(matchesFilter(filter, delivery, '{"id":"ORD_7"}', noon + 60_000)).toBe(false);
  });

  it('may fit a text that its body could have, where that is not known', () => {
    expect(matchesFilter({ text: 'ord_7' }, delivery, undefined, noon)).toBeNull();
    expect(matchesFilter({ text: 'ord_7', status: 'pending' }, delivery, undefined, noon)).toBe(false);
    expect(matchesFilter({ text: 'order' }, delivery, undefined, noon)).toBe(true);
  });
});
