import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EventFields,
  extractEventRecord,
  isEventType,
  isSubscribedTo,
  listCommonTypes,
  toEnvelope,
  toEventRecord,
} from '../../src/domain/event.ts';

const facts: EventFields = {
  id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  workspaceId: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  type: 'order.shipped',
  payload: '{"total":12.50,"big":9007199254740993}',
  createdAt: Date.UTC(2026, 10, 20, 23, 6, 0, 7),
};

describe('isEventType', () => {
  it.each(['order.shipped', 'invoice.paid', 'a.b', 'line_item2.re_created', `a.${'b'.repeat(126)}`])(
    'the event type %s is valid [§2.webhook.events]',
    (type) => {
      expect(isEventType(type)).toBe(true);
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
    expect(isEventType(type)).toBe(false);
  });
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

describe('isSubscribedTo', () => {
  it('a subscription matches its own type, and a wildcard matches every type [§6.registration.events, §2.webhook.wildcard]', () => {
    expect(isSubscribedTo(['invoice.paid', 'order.shipped'], 'order.shipped')).toBe(true);
    expect(isSubscribedTo(['order.shipped'], 'order.shipped_back')).toBe(false);
    expect(isSubscribedTo(['order.*'], 'order.shipped')).toBe(false);
    expect(isSubscribedTo([], 'order.shipped')).toBe(false);
    expect(isSubscribedTo(['*'], 'order.shipped')).toBe(true);
  });
});

describe('the envelope', () => {
  it('the envelope has the type, the workspace and the creation time, and contains the event [§2.envelope, envelope, event.record]', () => {
    const { id, workspaceId: workspace_id, type } = facts;
    const created_at = '2026-11-20T23:06:00.007Z';
    const payload = { total: 12.5, big: 9007199254740992 };
    expect(JSON.parse(toEnvelope(facts))).toEqual({
      ...{ type, workspace_id, created_at },
      data: { id, workspace_id, type, payload, created_at },
    });
  });

  it('the envelope keeps the text of the payload [envelope]', () => {
    expect(toEnvelope(facts)).toContain(`"payload":${facts.payload},`);
  });

  it('the event can be read from its envelope unchanged [event.record]', () => {
    const payload = fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constant({ data: { id: '}}"' } }),
    );
    const at = fc.date({ min: new Date(0), max: new Date(8.64e15), noInvalidDate: true });
    fc.assert(
      fc.property(payload, at, (value, date) => {
        const event = { ...facts, payload: JSON.stringify(value), createdAt: date.getTime() };
        expect(extractEventRecord(toEnvelope(event), event)).toBe(toEventRecord(event));
      }),
    );
  });
});
