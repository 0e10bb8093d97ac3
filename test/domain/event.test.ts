import { describe, expect, it } from 'vitest';
import { EVENT_TYPE_PATTERN, isEventType, isSubscribedTo, listCommonTypes } from '../../src/domain/event.ts';

describe('isEventType', () => {
  it.each(['order.shipped', 'invoice.paid', 'a.b', 'line_item2.re_created', `a.${'b'.repeat(126)}`])(
    'the event type %s is valid [§2.webhook.events]',
    (type) => {
      expect(isEventType(type, EVENT_TYPE_PATTERN)).toBe(true);
    },
  );

  it.each([
    '',
    '*',
    'order',
    'order.',
    '.shipped',
    'order.shipped.twice',
    'Order.shipped',
    'order.Shipped',
    'order shipped',
    '2order.shipped',
    'order.shipped\n',
    'order."x',
    'ordér.shipped',
    `a.${'b'.repeat(127)}`,
  ])('the event type %j is invalid [§2.webhook.events]', (type) => {
    expect(isEventType(type, EVENT_TYPE_PATTERN)).toBe(false);
  });

  it.each(['push', 'orders/create', 'payment_intent.succeeded', 'v1.billing.meter', 'App.Made-2'])(
    'the event type %s of another sender is valid',
    (type) => {
      expect(isEventType(type)).toBe(true);
    },
  );

  it.each(['', '*', 'order.', '/orders', 'an order', 'order\n', 'ordér', 'a'.repeat(129)])(
    'the event type %j of another sender is invalid',
    (type) => {
      expect(isEventType(type)).toBe(false);
    },
  );
});

it.each([
  [['*'], ['a.b'], ['a.b']],
  [['a.b'], ['*'], ['a.b']],
  [['*'], ['*'], ['*']],
  [['a.b', 'c.d'], ['e.f', 'c.d'], ['c.d']],
  [['a.b'], ['c.d'], []],
])('the common types of %j and %j are %j', (some, others, types) => {
  expect(listCommonTypes(some, others)).toEqual(types);
});

it('a subscription matches its own type, and a wildcard matches every type [§6.registration.events, §2.webhook.wildcard]', () => {
  expect(isSubscribedTo(['invoice.paid', 'order.shipped'], 'order.shipped')).toBe(true);
  expect(isSubscribedTo(['order.shipped'], 'order.shipped_back')).toBe(false);
  expect(isSubscribedTo(['order.*'], 'order.shipped')).toBe(false);
  expect(isSubscribedTo([], 'order.shipped')).toBe(false);
  expect(isSubscribedTo(['*'], 'order.shipped')).toBe(true);
});
