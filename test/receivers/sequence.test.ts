import { describe, expect, it } from 'vitest';
import { getSender, senders } from '../../src/profile/senders.ts';
import {
  createUnknownEvent,
  type DeliverySequence,
  describeStep,
  groupSteps,
  normalizeSequence,
  parseSequence,
  type SequenceStep,
  toPayloadText,
} from '../../src/receivers/sequence.ts';

it.each([
  [senders.svc, '{"a":1}', { type: 'svc_test.unknown', payload: '{"a":1}' }],
  [senders.stripe, '{"type":"a.b"}', { type: 'svc_test.unknown', payload: '{"type":"svc_test.unknown"}' }],
  [senders.shopify, '{"id":1.50}', { type: 'svc_test/unknown', payload: '{"id":1.50}' }],
  [senders.github, '{}', { type: 'svc_test.unknown', payload: '{}' }],
  // Nothing in the delivery would show the type.
  [getSender({ scheme: 'github' }), '{"type":"a"}', null],
  [senders.svix, '{"id":1}', null],
  [getSender({ scheme: 'github', eventTypePath: 'type', types: /^robot$/ }), '{"type":"robot"}', null],
])(
  'an event of $name with the payload %s has an unknown type where receivers see it',
  (sender, payload, expected) => {
    expect(createUnknownEvent(sender, { payload })).toEqual(expected);
  },
);

const event = { type: 'order.shipped', payload: '{"order_id":"ord_1"}' };

function createSequence(
  steps: readonly SequenceStep[],
  events: DeliverySequence['events'] = [event, event, event],
): DeliverySequence {
  return { version: 1, random_seed: 0, run: 0, events, steps: [...steps] };
}

describe('parseSequence', () => {
  it('a sequence survives its file', () => {
    const sequence = createSequence([
      { kind: 'deliver', event: 0, failure: 'lost-response', keep_connection: true },
      { kind: 'attack', attack: 'forged', event: 1, with_previous: true },
      { kind: 'burst', count: 100 },
      { kind: 'restart' },
    ]);
    expect(parseSequence(JSON.parse(JSON.stringify(sequence)), 'a.json')).toEqual(sequence);
  });

  it.each<readonly [string, unknown, string]>([
    ['another version', { ...createSequence([{ kind: 'restart' }]), version: 2 }, 'version'],
    ['no steps', createSequence([]), 'steps must have at least one step'],
    [
      'an event that does not exist',
      createSequence([{ kind: 'deliver', event: 3 }]),
      'steps[0].event must be the index of an event',
    ],
    [
      'a payload that is not an object',
      createSequence([{ kind: 'deliver', event: 0 }], [{ type: 'a.b', payload: '[]' }]),
      'events[0].payload must be the JSON text of an object',
    ],
    ['an unknown field', { ...createSequence([{ kind: 'restart' }]), stepz: [] }, 'stepz'],
  ])('%s is rejected', (_, value, problem) => {
    expect(() => parseSequence(value, 'a.json')).toThrow(`a.json is not a delivery sequence: ${problem}`);
  });
});

describe('normalizeSequence', () => {
  it('events that no step uses are removed, and the others keep their order', () => {
    const events = ['a.a', 'a.b', 'a.c'].map((type) => ({ type, payload: '{}' }));
    const sequence = createSequence(
      [
        { kind: 'deliver', event: 2 },
        { kind: 'deliver', event: 1 },
      ],
      events,
    );
    expect(normalizeSequence(sequence)).toMatchObject({
      events: [{ type: 'a.b' }, { type: 'a.c' }],
      steps: [{ event: 1 }, { event: 0 }],
    });
  });

  it('fields without a meaning are removed', () => {
    const sequence = createSequence([
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
      { kind: 'burst', count: 1, with_previous: true },
      { kind: 'attack', attack: 'stale', event: 0, with_previous: true },
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
    ]);
    expect(normalizeSequence(sequence).steps).toEqual([
      { kind: 'deliver', event: 0 },
      { kind: 'burst', count: 1, with_previous: true },
      { kind: 'attack', attack: 'stale', event: 0, with_previous: true },
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
    ]);
  });
});

it('each step says what is sent', () => {
  const sequence = createSequence(
    [
      { kind: 'deliver', event: 0, failure: 'cut-request' },
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
      { kind: 'deliver', event: 0, slow_body: true },
      { kind: 'attack', attack: 'missing-signature', event: 1 },
      { kind: 'burst', count: 1 },
      { kind: 'restart' },
    ],
    [event, { ...event, padding: 9, days_old: 2 }],
  );
  expect(sequence.steps.map((step, index) => describeStep(sequence, step, index))).toMatchInlineSnapshot(`
    [
      "deliver event 1 (order.shipped), cut the request off and send it again",
      "deliver event 1 (order.shipped) again, in another delivery, at the same time",
      "deliver event 1 (order.shipped) again, with a slow body",
      "attack with event 2 (order.shipped): a delivery without a signature header",
      "deliver 1 other event",
      "restart the receiver",
    ]
  `);
});

it('steps that start at the same time form a group', () => {
  const steps: SequenceStep[] = [
    { kind: 'deliver', event: 0 },
    { kind: 'deliver', event: 1, with_previous: true },
    { kind: 'deliver', event: 2 },
  ];
  expect(groupSteps(steps).map((group) => group.map(([index]) => index))).toEqual([[0, 1], [2]]);
});

it.each([
  [{ payload: '{}', padding: 3 }, '{"padding":"xxx"}'],
  [{ payload: '{"a":1} ', padding: 1 }, '{"a":1,"padding":"x"}'],
  [{ payload: '{"a":1.0}' }, '{"a":1.0}'],
])('the payload of %j is %s', (fields, text) => {
  expect(toPayloadText({ type: 'a.b', ...fields })).toBe(text);
});
