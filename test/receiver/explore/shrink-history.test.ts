import { describe, expect, it } from 'vitest';
import { disturbanceNames } from '../../../src/domain/exploration.ts';
import type { EventTemplate, History, HistoryStep } from '../../../src/receiver/explore/history.ts';
import { createRandomHistory } from '../../../src/receiver/explore/random-histories.ts';
import { shrinkHistory } from '../../../src/receiver/explore/shrink-history.ts';

const template: EventTemplate = { type: 'order.shipped', payload: '{"order_id":"ord_1"}' };
const events: readonly EventTemplate[] = [template, { type: 'invoice.paid', payload: '{"amount":1}' }];
const enabled = new Set(disturbanceNames);

const createRandom = (run: number) => createRandomHistory({ seed: 7, run, events, enabled });
const has = ({ steps }: History, matches: (step: HistoryStep) => boolean) => steps.some(matches);

describe('createRandomHistory', () => {
  it('the same seed and run give the same history, and others give others', () => {
    expect(createRandom(3)).toEqual(createRandom(3));
    const texts = Array.from({ length: 40 }, (_, run) => JSON.stringify(createRandom(run)));
    expect(new Set(texts).size).toBe(40);
    expect(createRandomHistory({ seed: 8, run: 3, events, enabled })).not.toEqual(createRandom(3));
  });

  it('histories contain every kind of disturbance', () => {
    const text = Array.from({ length: 200 }, (_, run) => JSON.stringify(createRandom(run))).join();
    const signs = [
      ...['"attack":"forged"', '"attack":"altered"', '"attack":"stale"', '"attack":"replayed"'],
      ...['missing-signature', 'missing-timestamp', 'doubled-timestamp', 'lost-response', 'cut-request'],
      ...['with_previous', 'new_delivery', 'slow_body', '"after"', '"before"', 'keep_connection'],
      ...['"burst"', '"pause"', '"restart"', 'padding', 'days_old', 'svc_explore.unheard_of'],
    ];
    expect(signs.filter((sign) => !text.includes(sign))).toEqual([]);
  });

  it.each(disturbanceNames)('histories without %s are possible', (name) => {
    const disabled = new Set(disturbanceNames.filter((other) => other !== name));
    for (let run = 0; run < 8; run++) {
      const { steps } = createRandomHistory({ seed: 1, run, events, enabled: disabled });
      expect(
        has({ ...createRandom(0), steps }, (step) => step.kind === 'attack' && step.attack === name),
      ).toBe(false);
      expect(steps.some((step) => step.kind === name)).toBe(false);
    }
  });

  it('histories without disturbances deliver each event once, in the order of creation', () => {
    for (let run = 0; run < 20; run++) {
      const { steps } = createRandomHistory({ seed: 1, run, events, enabled: new Set() });
      expect(steps).toEqual(steps.map((_, event) => ({ kind: 'deliver', event })));
    }
  });
});

describe('shrinkHistory', () => {
  /** The longest of many histories for which `isFailing` holds. */
  function findLongest(isFailing: (history: History) => boolean): History {
    const failing = Array.from({ length: 300 }, (_, run) => createRandom(run)).filter(isFailing);
    return failing.reduce((longest, history) =>
      history.steps.length > longest.steps.length ? history : longest,
    );
  }

  async function shrink(isFailing: (history: History) => boolean) {
    const history = findLongest(isFailing);
    const result = await shrinkHistory(history, null, template, async (smaller) => isFailing(smaller));
    return { ...result, originalSteps: history.steps.length };
  }

  it('a history becomes the steps that matter, with usual events and few plays', async () => {
    const { history, playCount, originalSteps } = await shrink(
      (candidate) =>
        has(candidate, ({ kind }) => kind === 'restart') &&
        has(candidate, (step) => step.kind === 'attack' && step.attack === 'stale'),
    );
    expect(originalSteps).toBeGreaterThan(15);
    expect(history.steps.map(({ kind }) => kind).sort()).toEqual(['attack', 'restart']);
    expect(history.events).toEqual([template]);
    expect(playCount).toBeLessThan(80);
  });

  it('numbers come close to the smallest that fail', async () => {
    const { history } = await shrink((candidate) =>
      has(candidate, (step) => step.kind === 'burst' && step.count >= 100),
    );
    expect(history.steps).toEqual([{ kind: 'burst', count: expect.closeTo(105, -1) }]);
    const { history: large } = await shrink(({ events }) =>
      events.some(({ padding = 0 }) => padding >= 100_000),
    );
    const [padding = 0] = large.events.flatMap((event) => event.padding ?? []);
    expect(padding).toBeGreaterThanOrEqual(100_000);
    expect(padding).toBeLessThan(110_000);
  });

  it('an unusual payload keeps only the part that matters', async () => {
    const { history } = await shrink(({ events }) =>
      events.some(({ payload }) => payload.includes('9007199254740993')),
    );
    expect(history.events.map(({ payload }) => payload)).toEqual([
      expect.stringMatching(/^\{("order_id":"ord_1"|"amount":1)?,?"[^"]*":(9007199254740993)\}$/),
    ]);
  });

  it('a history that fails in any order is shown in the order of creation', async () => {
    const { history } = await shrink(
      ({ steps }) =>
        new Set(steps.flatMap((step) => (step.kind === 'deliver' ? [step.event] : []))).size >= 2,
    );
    expect(history.steps).toEqual([
      { kind: 'deliver', event: 0 },
      { kind: 'deliver', event: 1 },
    ]);
  });
});
