import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import { pickFilters, toListInput } from '../../src/dashboard/url-filter.ts';
import { deliveryFields, matchesFilter } from '../../src/dashboard/views/deliveries/delivery-filter.ts';
import { toExampleId } from '../../src/domain/ids.ts';

const [EVENT_ID, WEBHOOK_ID] = [toExampleId('event'), toExampleId('webhook')];

const delivery = {
  id: 'del_1',
  event_id: EVENT_ID,
  event_type: 'order.shipped',
  webhook_id: WEBHOOK_ID,
  url: 'http://127.0.0.1/Hooks',
  status: 'failed',
  last_attempt: { number: 1, outcome: 'http_error', response_status: 404, error: null },
  created_at: '2026-01-01T12:00:00.000Z',
} as Delivery;
const noon = Date.parse(delivery.created_at);

describe('the delivery filter of a URL', () => {
  it('the delivery filter of a URL is parsed and trimmed', () => {
    const query = { status: 'paused', type: 'a.b', since: '1h', until: '2026-01-01T00:00:00Z', text: ' X ' };
    expect(pickFilters(deliveryFields, query)).toEqual({ ...query, text: 'X' });
  });

  it('the delivery filter of a URL omits empty, invalid and unknown values', () => {
    const query = { status: 'odd', response_status: '99', webhook_id: 'wh_1', since: 'soon', type: ' ' };
    expect(pickFilters(deliveryFields, { ...query, attempt: '2' })).toEqual({});
  });

  it('the delivery filter of a URL is converted to the parameters of the control plane', () => {
    const ids = { webhook_id: WEBHOOK_ID, event_id: EVENT_ID };
    expect(toListInput(deliveryFields, { ...ids, response_status: '4XX', text: 'x' })).toEqual({
      ...{ ...ids, response_status: '4xx', text: 'x' },
    });
    expect(toListInput(deliveryFields, { response_status: '404' })).toEqual({ response_status: 404 });
  });
});

describe('matchesFilter', () => {
  it.each([
    {},
    { status: 'failed', type: 'order.shipped', webhook_id: WEBHOOK_ID, event_id: EVENT_ID },
    { response_status: '404' },
    { response_status: '4xx' },
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
    { response_status: '5xx' },
    { response_status: 'none' },
    { type: 'order' },
    { webhook_id: WEBHOOK_ID.replace(/.$/, '0') },
    { event_id: EVENT_ID.replace(/.$/, '0') },
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
