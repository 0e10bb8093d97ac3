import type { VNode } from 'preact';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findResourceRoute } from '../../src/dashboard/address.ts';
import {
  describeFilterValue,
  getStatusCount,
  pickFilters,
  toListInput,
} from '../../src/dashboard/filters.ts';
import { toExampleId } from '../../src/domain/ids.ts';
import { deliveryFilters } from '../../src/resources/delivery.ts';
import { requestFilters } from '../../src/resources/request.ts';
import { createHistory } from './fake-browser.ts';

const [EVENT_ID, WEBHOOK_ID, KEY_ID] = [toExampleId('event'), toExampleId('webhook'), toExampleId('apiKey')];

describe('the filters of a URL', () => {
  it('the filters of a URL are trimmed', () => {
    const query = { status: 'paused', type: 'a.b', since: '1h', until: '2026-01-01T00:00:00Z', text: ' X ' };
    expect(pickFilters(deliveryFilters, query)).toEqual({ ...query, text: 'X' });
  });

  it('the filters of a URL omit empty, invalid and unknown values', () => {
    const query = { status: 'odd', response_status: '99', webhook_id: 'wh_1', since: 'soon', type: ' ' };
    expect(pickFilters(deliveryFilters, { ...query, attempt: '2' })).toEqual({});
    expect(pickFilters(requestFilters, { path: ' /v1 ', status: '6xx', method: '' })).toEqual({
      path: '/v1',
    });
  });

  it('the filters of a URL are converted to the parameters of the control plane', () => {
    const ids = { webhook_id: WEBHOOK_ID, event_id: EVENT_ID };
    expect(toListInput(deliveryFilters, { ...ids, response_status: '4XX', text: 'x' })).toEqual({
      ...{ ...ids, response_status: '4xx', text: 'x' },
    });
    expect(toListInput(requestFilters, { status: '404', api_key_id: KEY_ID })).toEqual({
      ...{ status: 404, api_key_id: KEY_ID },
    });
  });
});

it('the filter buttons show an active value that is none of their options', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  createHistory('/#/requests');
  const { FilterButtons } = await import('../../src/dashboard/ui/filter-bar.tsx');
  const { props } = FilterButtons({ name: 'status', label: 'Status', value: '404', options: ['2xx'] });
  expect(props.children.map((button: VNode) => button.props)).toMatchObject([
    { children: 'All', 'aria-pressed': false },
    { children: '2xx', 'aria-pressed': false },
    { children: '404', 'aria-pressed': true },
  ]);
});

it.each([
  ['pending', 3],
  ['unsuccessful', 1_000],
  ['succeeded', undefined],
] as const)('the count of the filter %s is %s', (status, count) => {
  const counts = { pending: 3, failing: 3, paused: 0, failed: 999, canceled: 0 };
  expect(getStatusCount(status, counts)).toBe(count);
  expect(getStatusCount(status, undefined)).toBe(undefined);
});

it('only the status pending is described as a group', () => {
  expect(describeFilterValue('status', 'pending')).toBe('all pending');
  expect(describeFilterValue('text', 'pending')).toBe('pending');
});

describe('findResourceRoute', () => {
  it.each([
    ['evt_1', { section: 'events', id: 'evt_1' }],
    ['wh_1', { section: 'webhooks', id: 'wh_1' }],
    ['del_1', { section: 'deliveries', id: 'del_1' }],
    ['req_1', { section: 'requests', id: 'req_1' }],
    ['ws_1', null],
  ])('findResourceRoute returns the route of %s', (id, place) => {
    expect(findResourceRoute(id)).toEqual(place);
  });
});
