import { describe, expect, it } from 'vitest';
import {
  collectDeliveryOutcome,
  explainNoDeliveries,
  findUnexpectedDeliveries,
  reportUnexpectedDeliveries,
} from '../../../src/cli/exec/delivery-outcome.ts';
import type { Delivery } from '../../../src/contract/delivery-schemas.ts';
import { aDelivery, aDetail, createFakeContext, NOW, pageOf } from '../fake-context.ts';

const at = (ms: number) => new Date(NOW + ms).toISOString();
const scheduleTimeOf = () => NOW;
/** Deliveries in these states: `s`ucceeded, `f`ailed, `c`anceled, `p`ending. */
function inStates(states: string) {
  const names = { s: 'succeeded', f: 'failed', c: 'canceled', p: 'pending' } as const;
  return [...states].map((state, index) =>
    aDetail({ id: `del_${index + 1}`, status: names[state as keyof typeof names] }),
  );
}

describe('collectDeliveryOutcome', () => {
  /** Collects with a stream that reports `settled`, and returns the statuses by ID and how often the list was read after it. */
  async function collect(listed: readonly Delivery[], settled: readonly Delivery[] = []) {
    const reported: string[] = [];
    const current = new Map(listed.map((delivery) => [delivery.id, delivery]));
    const { context } = createFakeContext({
      json: true,
      control: {
        listDeliveries: async () => pageOf(...listed),
        getClock: async ({ workspace_id = '' }) => ({
          ...{ workspace_id, speed: 0, wall: at(0), next_due_at: null, moving: 'advance' as never },
          now: workspace_id === 'ws_ahead' ? at(60_000) : at(0),
        }),
        stream: () => ({
          ready: Promise.resolve(),
          async *[Symbol.asyncIterator]() {
            for (const delivery of settled) {
              reported.push(delivery.id);
              current.set(delivery.id, delivery);
              yield { type: 'attempt', delivery } as never;
            }
          },
        }),
        getDelivery: async ({ id }) => aDetail(current.get(id)),
      },
    });
    const { deliveries, ...outcome } = await collectDeliveryOutcome(await context.connect(), context);
    return {
      ...outcome,
      statuses: deliveries.map(({ id, status }) => `${id} ${status}`),
      reported,
    };
  }
  const pending = (changes: Partial<Delivery>) =>
    aDelivery({ id: 'del_1', workspace_id: 'ws_1', ...changes });
  const succeeded = (id = 'del_1') => pending({ id, status: 'succeeded', next_attempt_at: null });

  it.each([
    ['due exactly now', pending({ next_attempt_at: at(0) })],
    ['overdue', pending({ next_attempt_at: at(-1) })],
    ['due by the clock of its workspace', pending({ workspace_id: 'ws_ahead', next_attempt_at: at(60_000) })],
  ])('the outcome of a delivery that is %s includes its attempt', async (_, delivery) => {
    const { statuses, reported } = await collect([delivery], [succeeded()]);
    expect({ statuses, reported }).toEqual({ statuses: ['del_1 succeeded'], reported: ['del_1'] });
  });

  it.each([
    ['due in the future', pending({ next_attempt_at: at(1) })],
    [
      'due in the future of its workspace',
      pending({ workspace_id: 'ws_ahead', next_attempt_at: at(60_001) }),
    ],
    ['without a next attempt', pending({ next_attempt_at: null })],
    ['settled', succeeded()],
    ['settled, with an old time', { ...succeeded(), next_attempt_at: at(-1) }],
  ])('the outcome does not wait for a delivery that is %s', async (_, delivery) => {
    const { statuses, reported } = await collect([delivery], [succeeded()]);
    expect({ statuses, reported }).toEqual({ statuses: [`del_1 ${delivery.status}`], reported: [] });
  });

  it('the outcome includes deliveries that are created during the wait, and lists them oldest first', async () => {
    const listed = [pending({ id: 'del_2', next_attempt_at: at(0) }), succeeded('del_1')];
    const { statuses } = await collect(listed, [succeeded('del_3'), succeeded('del_2')]);
    expect(statuses).toEqual(['del_1 succeeded', 'del_2 succeeded', 'del_3 succeeded']);
  });

  it('the outcome has the time of each workspace, in text and in JSON', async () => {
    const { scheduleTimeOf: timeOf } = await collect([
      pending({ workspace_id: 'ws_ahead', next_attempt_at: null }),
    ]);
    expect(timeOf({ workspace_id: 'ws_ahead' })).toBe(NOW + 60_000);
  });
});

describe('findUnexpectedDeliveries', () => {
  it.each<[states: string, expectedFailed: number | null, unexpected: string | null]>([
    ['', null, null],
    ['sc', null, null],
    ['sf', null, 'f'],
    ['sp', null, 'p'],
    ['sf', 0, 'f'],
    ['sc', 0, null],
    ['sf', 1, null],
    ['sp', 1, 'p'],
    ['fp', 1, 'fp'],
    ['fp', 2, 'fp'],
    ['pf', 2, 'pf'],
    ['s', 1, ''],
    ['ff', 1, 'ff'],
    ['ffs', 2, null],
  ])(
    'deliveries in the states "%s" with --expect-failed %j are unexpected: %j',
    (states, expectedFailed, unexpected) => {
      const outcome = { deliveries: inStates(states), scheduleTimeOf };
      const found = findUnexpectedDeliveries(outcome, expectedFailed);
      expect(found?.deliveries.map(({ status }) => status[0]).join('') ?? null).toBe(unexpected);
      if (found !== null) expect(found).toMatchObject({ total: states.length, expectedFailed });
    },
  );
});

describe('reportUnexpectedDeliveries', () => {
  function report(states: string, expectedFailed: number | null): string[] {
    const lines: string[] = [];
    const unexpected = findUnexpectedDeliveries(
      { deliveries: inStates(states), scheduleTimeOf },
      expectedFailed,
    );
    if (unexpected !== null) reportUnexpectedDeliveries(unexpected, { note: (line) => lines.push(line) });
    return lines;
  }

  it.each<[string, number | null, string]>([
    [
      'sfp',
      null,
      '2 of 3 deliveries did not succeed, but --require-settled requires every delivery to succeed:',
    ],
    ['f', 0, '1 of 1 delivery did not succeed, but --expect-failed 0 requires every delivery to succeed:'],
    [
      'sp',
      1,
      '0 of 2 deliveries failed and 1 is pending, but --expect-failed requires 1 failed and none pending.',
    ],
    [
      'ffpps',
      1,
      '2 of 5 deliveries failed and 2 are pending, but --expect-failed requires 1 failed and none pending.',
    ],
    [
      's',
      1,
      '0 of 1 delivery failed and 0 are pending, but --expect-failed requires 1 failed and none pending.',
    ],
  ])(
    'the report of the states "%s" with --expect-failed %j begins with the numbers',
    (states, expected, line) => {
      expect(report(states, expected)[0]).toBe(line);
    },
  );

  it('the report lists the first 20 deliveries with their URL and state', () => {
    const lines = report('p'.repeat(20), null);
    expect(lines).toHaveLength(21);
    expect(lines[1]).toBe(
      '  order.shipped to http://localhost:3000/webhooks: del_1 pending after 0 attempts, next attempt in 5m',
    );
    const more = report('p'.repeat(21), null);
    expect([more.length, more.at(-1)]).toEqual([22, '  … and 1 more.']);
  });
});

describe('explainNoDeliveries', () => {
  it.each([
    [[], 'No event was created in this emulator.', /^Tests that use the Vitest fixtures/],
    [
      [{ id: 'evt_1' }],
      'No event had a delivery, because no enabled endpoint subscribed to its type.',
      /^Register an endpoint in your tests/,
    ],
  ])('a run without deliveries is explained by its events (%#)', async (events, message, hint) => {
    const explanation = await explainNoDeliveries({ listEvents: async () => pageOf(...events) as never });
    expect(explanation).toEqual({ message, hint: { text: expect.stringMatching(hint) } });
    expect(explanation.hint.text).toContain('pass --allow-no-deliveries.');
  });
});
