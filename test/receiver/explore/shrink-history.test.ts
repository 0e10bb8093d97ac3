import { describe, expect, it } from 'vitest';
import {
  type AttackName,
  attackNames,
  type Disturbance,
  disturbanceNames,
} from '../../../src/domain/exploration.ts';
import {
  type DeliverStep,
  type EventTemplate,
  type History,
  type HistoryStep,
  UNKNOWN_TYPE,
} from '../../../src/receiver/explore/history.ts';
import { createRandomHistory } from '../../../src/receiver/explore/random-histories.ts';
import { shrinkHistory } from '../../../src/receiver/explore/shrink-history.ts';

const template: EventTemplate = { type: 'order.shipped', payload: '{"order_id":"ord_1"}' };
const events: readonly EventTemplate[] = [template, { type: 'invoice.paid', payload: '{"amount":1}' }];
const usualPayloads = new Set(events.map(({ payload }) => payload));
const enabled = new Set(disturbanceNames);

const createRandom = (run: number) => createRandomHistory({ seed: 7, run, events, enabled });
/** Whether a history contains a disturbance. */
const contains: Readonly<Record<Disturbance, (history: History) => boolean>> = {
  ...(Object.fromEntries(attackNames.map((name) => [name, hasAttack(name)])) as Record<
    AttackName,
    (history: History) => boolean
  >),
  duplicate: ({ steps }) => {
    const delivered = steps.flatMap((step) => (step.kind === 'deliver' ? [step.event] : []));
    return new Set(delivered).size < delivered.length;
  },
  concurrent: ({ steps }) => steps.some(isSimultaneous),
  reordered: ({ steps }) => {
    const used = new Set(steps.flatMap((step) => ('event' in step ? [step.event] : [])));
    return [...used].some((event, position) => event !== position);
  },
  'lost-response': hasDelivery(({ failure }) => failure === 'lost-response'),
  'cut-request': hasDelivery(({ failure }) => failure === 'cut-request'),
  'slow-body': hasDelivery((step) => step.slow_body === true),
  rotation: hasDelivery((step) => step.second_signature !== undefined),
  'kept-connection': hasDelivery((step) => step.keep_connection === true),
  'old-event': ({ events }) => events.some((event) => event.days_old !== undefined),
  payload: ({ events }) =>
    events.some(({ payload, padding }) => padding !== undefined || !usualPayloads.has(payload)),
  'unknown-type': ({ events }) => events.some(({ type }) => type === UNKNOWN_TYPE),
  burst: hasKind('burst'),
  pause: hasKind('pause'),
  restart: hasKind('restart'),
};

function hasDelivery(matches: (step: DeliverStep) => boolean) {
  return ({ steps }: History) => steps.some((step) => step.kind === 'deliver' && matches(step));
}

function hasKind(kind: HistoryStep['kind']) {
  return ({ steps }: History) => steps.some((step) => step.kind === kind);
}

function hasAttack(name: AttackName) {
  return ({ steps }: History) => steps.some((step) => step.kind === 'attack' && step.attack === name);
}

function isSimultaneous(step: HistoryStep): boolean {
  return 'with_previous' in step && step.with_previous === true;
}

function repeatsAfterTwoSeconds({ steps }: History): boolean {
  return steps.some((step, index) => {
    if (step.kind !== 'pause' || step.ms <= 2_000) return false;
    const isDelivered = (others: readonly HistoryStep[], event: number) =>
      others.some((other) => other.kind === 'deliver' && other.event === event);
    return steps
      .slice(index)
      .some((later) => later.kind === 'deliver' && isDelivered(steps.slice(0, index), later.event));
  });
}

const has = ({ steps }: History, matches: (step: HistoryStep) => boolean) => steps.some(matches);

describe('createRandomHistory', () => {
  it('the same seed and run give the same history, and others give others', () => {
    expect(createRandom(3)).toEqual(createRandom(3));
    const texts = Array.from({ length: 40 }, (_, run) => JSON.stringify(createRandom(run)));
    expect(new Set(texts).size).toBe(40);
    expect(createRandomHistory({ seed: 8, run: 3, events, enabled })).not.toEqual(createRandom(3));
  });

  const createWith = (disturbances: readonly Disturbance[]) =>
    Array.from({ length: 200 }, (_, run) =>
      createRandomHistory({ seed: 1, run, events, enabled: new Set(disturbances) }),
    );

  it.each(disturbanceNames)('some histories contain %s if it is enabled, also as the only one', (name) => {
    expect(createWith(disturbanceNames).some(contains[name])).toBe(true);
    expect(createWith([name]).some(contains[name])).toBe(true);
  });

  it.each(disturbanceNames)('no history contains %s if it is disabled', (name) => {
    const histories = createWith(disturbanceNames.filter((other) => other !== name));
    expect(histories.filter(contains[name])).toEqual([]);
  });

  it('deliveries and attacks also arrive during a burst or a restart', () => {
    const histories = Array.from({ length: 200 }, (_, run) => createRandom(run));
    const isDuring = (kind: HistoryStep['kind']) =>
      histories.some(({ steps }) =>
        steps.some((step, index) => isSimultaneous(step) && steps[index - 1]?.kind === kind),
      );
    expect([isDuring('burst'), isDuring('restart')]).toEqual([true, true]);
  });

  it('an event is repeated after more than two seconds at least four times in 100 runs, with any seed', () => {
    for (let seed = 0; seed < 10; seed++) {
      const histories = Array.from({ length: 100 }, (_, run) =>
        createRandomHistory({ seed, run, events, enabled }),
      );
      expect(histories.filter(repeatsAfterTwoSeconds).length).toBeGreaterThanOrEqual(4);
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
    const { history, tryCount, originalSteps } = await shrink(
      (candidate) =>
        has(candidate, ({ kind }) => kind === 'restart') &&
        has(candidate, (step) => step.kind === 'attack' && step.attack === 'stale'),
    );
    expect(originalSteps).toBeGreaterThan(15);
    expect(history.steps.map(({ kind }) => kind).sort()).toEqual(['attack', 'restart']);
    expect(history.events).toEqual([template]);
    expect(tryCount).toBeLessThan(80);
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
