import { describe, expect, it } from 'vitest';
import { selectDisturbances } from '../../../src/domain/exploration.ts';
import {
  describeStep,
  groupSteps,
  type History,
  type HistoryStep,
  normalizeHistory,
  parseHistory,
  parseHistoryText,
  toPayloadText,
} from '../../../src/receiver/explore/history.ts';

const event = { type: 'order.shipped', payload: '{"order_id":"ord_1"}' };

function createHistory(
  steps: readonly HistoryStep[],
  events: History['events'] = [event, event, event],
): History {
  return { version: 1, seed: 1, run: 2, events, steps: [...steps] };
}

describe('parseHistory', () => {
  it('a history survives its file', () => {
    const history = createHistory([
      {
        kind: 'deliver',
        event: 0,
        failure: 'lost-response',
        second_signature: 'after',
        keep_connection: true,
      },
      { kind: 'attack', attack: 'forged', event: 1, with_previous: true },
      { kind: 'burst', count: 100 },
      { kind: 'pause', ms: 200 },
      { kind: 'restart' },
    ]);
    expect(parseHistoryText(JSON.stringify(history), 'a.json')).toEqual(history);
  });

  it.each<readonly [string, unknown, string]>([
    ['another version', { ...createHistory([{ kind: 'restart' }]), version: 2 }, 'version'],
    ['no steps', createHistory([]), 'steps must have at least one step'],
    [
      'an event that does not exist',
      createHistory([{ kind: 'deliver', event: 3 }]),
      'steps[0].event must be the index of an event',
    ],
    [
      'a payload that is not an object',
      createHistory([{ kind: 'deliver', event: 0 }], [{ type: 'a.b', payload: '[]' }]),
      'events[0].payload must be the JSON text of an object',
    ],
    ['an unknown field', { ...createHistory([{ kind: 'restart' }]), stepz: [] }, 'stepz'],
  ])('%s is rejected', (_, value, problem) => {
    expect(() => parseHistory(value, 'a.json')).toThrow(`a.json is not a delivery history: ${problem}`);
  });

  it('text that is not JSON is rejected', () => {
    expect(() => parseHistoryText('{', 'a.json')).toThrow(
      'a.json is not a delivery history: it is not JSON.',
    );
  });
});

describe('normalizeHistory', () => {
  it('events that no step uses are removed, and the others keep their order', () => {
    const events = ['a.a', 'a.b', 'a.c'].map((type) => ({ type, payload: '{}' }));
    const history = createHistory(
      [
        { kind: 'deliver', event: 2 },
        { kind: 'deliver', event: 1 },
      ],
      events,
    );
    expect(normalizeHistory(history)).toMatchObject({
      events: [{ type: 'a.b' }, { type: 'a.c' }],
      steps: [{ event: 1 }, { event: 0 }],
    });
  });

  it('fields without a meaning are removed', () => {
    const history = createHistory([
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
      { kind: 'pause', ms: 1 },
      { kind: 'burst', count: 1, with_previous: true },
      { kind: 'attack', attack: 'stale', event: 0, with_previous: true },
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
    ]);
    expect(normalizeHistory(history).steps).toEqual([
      { kind: 'deliver', event: 0 },
      { kind: 'pause', ms: 1 },
      { kind: 'burst', count: 1 },
      { kind: 'attack', attack: 'stale', event: 0, with_previous: true },
      { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
    ]);
  });
});

describe('describeStep', () => {
  it('each step says what is sent', () => {
    const history = createHistory(
      [
        { kind: 'deliver', event: 0, failure: 'cut-request' },
        { kind: 'deliver', event: 0, with_previous: true, new_delivery: true },
        { kind: 'deliver', event: 0, slow_body: true },
        { kind: 'attack', attack: 'missing-signature', event: 1 },
        { kind: 'burst', count: 1 },
        { kind: 'pause', ms: 20 },
        { kind: 'restart' },
      ],
      [event, { ...event, padding: 9, days_old: 2 }],
    );
    expect(history.steps.map((_, index) => describeStep(history, index))).toMatchInlineSnapshot(`
      [
        "deliver event 1 (order.shipped), cut the request off and send it again",
        "deliver event 1 (order.shipped) again, in another delivery, at the same time",
        "deliver event 1 (order.shipped) again, with a slow body",
        "attack with event 2 (order.shipped): a delivery without a signature header",
        "deliver 1 other event",
        "wait 20 ms",
        "restart the receiver",
      ]
    `);
  });
});

it('steps that start at the same time form a group, unless a pause is between them', () => {
  const steps: HistoryStep[] = [
    { kind: 'deliver', event: 0 },
    { kind: 'deliver', event: 1, with_previous: true },
    { kind: 'pause', ms: 1 },
    { kind: 'deliver', event: 2, with_previous: true },
  ];
  expect(groupSteps(steps).map((group) => group.map(([index]) => index))).toEqual([[0, 1], [2], [3]]);
});

it.each([
  [{ payload: '{}', padding: 3 }, '{"padding":"xxx"}'],
  [{ payload: '{"a":1} ', padding: 1 }, '{"a":1,"padding":"x"}'],
  [{ payload: '{"a":1.0}' }, '{"a":1.0}'],
])('the payload of %j is %s', (fields, text) => {
  expect(toPayloadText({ type: 'a.b', ...fields })).toBe(text);
});

describe('selectDisturbances', () => {
  it('disturbances are selected and removed by name', () => {
    expect([...selectDisturbances(['burst', 'forged', 'stale'], ['stale'])].sort()).toEqual([
      'burst',
      'forged',
    ]);
    expect(selectDisturbances([], ['burst']).has('burst')).toBe(false);
    expect(selectDisturbances().size).toBeGreaterThan(15);
  });

  it('an unknown name is rejected with the closest one', () => {
    expect(() => selectDisturbances(['dublicate'])).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Did you mean duplicate?' }),
    );
  });
});
