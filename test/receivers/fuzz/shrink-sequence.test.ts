import { describe, expect, it } from 'vitest';
import {
  type AttackName,
  attackNames,
  type Variation,
  variationNames,
} from '../../../src/domain/variations.ts';
import { senders } from '../../../src/profile/senders.ts';
import { createRandomSequence } from '../../../src/receivers/fuzz/random-sequences.ts';
import { shrinkSequence } from '../../../src/receivers/fuzz/shrink-sequence.ts';
import type {
  DeliverStep,
  DeliverySequence,
  EventTemplate,
  SequenceEvent,
  SequenceStep,
} from '../../../src/receivers/sequence.ts';

const template: EventTemplate = { type: 'order.shipped', payload: '{"order_id":"ord_1"}' };
const events: readonly EventTemplate[] = [template, { type: 'invoice.paid', payload: '{"amount":1}' }];
const usualPayloads = new Set(events.map(({ payload }) => payload));
const enabled = new Set(variationNames);
const sender = senders.svc;

const createRandom = (run: number) => createRandomSequence({ sender, randomSeed: 7, run, events, enabled });
/** Whether a sequence contains a variation. */
const contains: Readonly<Record<Variation, (sequence: DeliverySequence) => boolean>> = {
  ...(Object.fromEntries(attackNames.map((name) => [name, hasAttack(name)])) as Record<
    AttackName,
    (sequence: DeliverySequence) => boolean
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
  'kept-connection': hasDelivery((step) => step.keep_connection === true),
  'old-event': ({ events }) => events.some((event) => event.days_old !== undefined),
  payload: ({ events }) =>
    events.some(({ payload, padding }) => padding !== undefined || !usualPayloads.has(payload)),
  'unknown-type': ({ events }) => events.some(({ type }) => type.startsWith('svc_test')),
  burst: hasKind('burst'),
  restart: hasKind('restart'),
};

function hasDelivery(matches: (step: DeliverStep) => boolean) {
  return ({ steps }: DeliverySequence) => steps.some((step) => step.kind === 'deliver' && matches(step));
}

function hasKind(kind: SequenceStep['kind']) {
  return ({ steps }: DeliverySequence) => steps.some((step) => step.kind === kind);
}

function hasAttack(name: AttackName) {
  return ({ steps }: DeliverySequence) =>
    steps.some((step) => step.kind === 'attack' && step.attack === name);
}

function isSimultaneous(step: SequenceStep): boolean {
  return 'with_previous' in step && step.with_previous === true;
}

const has = ({ steps }: DeliverySequence, matches: (step: SequenceStep) => boolean) => steps.some(matches);

describe('createRandomSequence', () => {
  it('the same random seed and run give the same sequence, and others give others', () => {
    expect(createRandom(3)).toEqual(createRandom(3));
    const texts = Array.from({ length: 40 }, (_, run) => JSON.stringify(createRandom(run)));
    expect(new Set(texts).size).toBe(40);
    expect(createRandomSequence({ sender, randomSeed: 8, run: 3, events, enabled })).not.toEqual(
      createRandom(3),
    );
  });

  const createWith = (variations: readonly Variation[]) =>
    Array.from({ length: 200 }, (_, run) =>
      createRandomSequence({ sender, randomSeed: 1, run, events, enabled: new Set(variations) }),
    );

  it.each(variationNames)('some sequences contain %s if it is enabled, also as the only one', (name) => {
    expect(createWith(variationNames).some(contains[name])).toBe(true);
    expect(createWith([name]).some(contains[name])).toBe(true);
  });

  it.each(variationNames)('no sequence contains %s if it is disabled', (name) => {
    const sequences = createWith(variationNames.filter((other) => other !== name));
    expect(sequences.filter(contains[name])).toEqual([]);
  });

  it('deliveries and attacks also arrive during a burst or a restart', () => {
    const sequences = Array.from({ length: 200 }, (_, run) => createRandom(run));
    const isDuring = (kind: SequenceStep['kind']) =>
      sequences.some(({ steps }) =>
        steps.some((step, index) => isSimultaneous(step) && steps[index - 1]?.kind === kind),
      );
    expect([isDuring('burst'), isDuring('restart')]).toEqual([true, true]);
  });

  it('sequences have up to 30 steps and 6 events, with payloads of up to 40 more levels', () => {
    const sequences = Array.from({ length: 300 }, (_, run) => createRandom(run));
    const nested = JSON.stringify(sequences).match(/(?:\{\\"a\\":\[)+/g) ?? [];
    expect(Math.max(...sequences.map(({ steps }) => steps.length))).toBe(30);
    expect(Math.max(...sequences.map(({ events }) => events.length))).toBe(6);
    expect(Math.max(...nested.map((text) => text.length))).toBe(20 * '{\\"a\\":['.length);
  });

  it('sequences without variations deliver each event once, in the order of creation', () => {
    for (let run = 0; run < 20; run++) {
      const { steps } = createRandomSequence({ sender, randomSeed: 1, run, events, enabled: new Set() });
      expect(steps).toEqual(steps.map((_, event) => ({ kind: 'deliver', event })));
    }
  });
});

describe('shrinkSequence', () => {
  /** The longest of many sequences for which `isFailing` holds. */
  function findLongest(isFailing: (sequence: DeliverySequence) => boolean): DeliverySequence {
    const failing = Array.from({ length: 300 }, (_, run) => createRandom(run)).filter(isFailing);
    return failing.reduce((longest, sequence) =>
      sequence.steps.length > longest.steps.length ? sequence : longest,
    );
  }

  async function shrink(isFailing: (sequence: DeliverySequence) => boolean) {
    const sequence = findLongest(isFailing);
    let tryCount = 0;
    const smallest = await shrinkSequence(sequence, null, { ...template, sender }, async (smaller) => {
      tryCount++;
      return isFailing(smaller);
    });
    return { sequence: smallest, tryCount, originalSteps: sequence.steps.length };
  }

  it('a sequence becomes the steps that matter, with usual events and few plays', async () => {
    const { sequence, tryCount, originalSteps } = await shrink(
      (candidate) =>
        has(candidate, ({ kind }) => kind === 'restart') &&
        has(candidate, (step) => step.kind === 'attack' && step.attack === 'stale'),
    );
    expect(originalSteps).toBeGreaterThan(15);
    expect(sequence.steps.map(({ kind }) => kind).sort()).toEqual(['attack', 'restart']);
    expect(sequence.events).toEqual([template]);
    expect(tryCount).toBeLessThan(80);
  });

  it('numbers come close to the smallest that fail', async () => {
    const { sequence } = await shrink((candidate) =>
      has(candidate, (step) => step.kind === 'burst' && step.count >= 100),
    );
    expect(sequence.steps).toEqual([{ kind: 'burst', count: expect.closeTo(105, -1) }]);
    const { sequence: large } = await shrink(({ events }) =>
      events.some(({ padding = 0 }) => padding >= 100_000),
    );
    const [padding = 0] = large.events.flatMap((event) => event.padding ?? []);
    expect(padding).toBeGreaterThanOrEqual(100_000);
    expect(padding).toBeLessThan(110_000);
  });

  it('an unusual payload keeps only the field that matters', async () => {
    const isFailing = ({ payload }: SequenceEvent) => payload.includes('"svc_test":9007199254740993');
    const { sequence } = await shrink(({ events }) => events.some(isFailing));
    expect(sequence.events).toEqual([
      { ...template, payload: '{"order_id":"ord_1","svc_test":9007199254740993}' },
    ]);
  });

  it('only an event of an unknown type gets the payload of another type', async () => {
    const tried: SequenceEvent[] = [];
    const hasType = (type: string) => (sequence: DeliverySequence) => {
      tried.push(...sequence.events);
      return sequence.events.some((event) => event.type === type);
    };
    const { sequence } = await shrink(hasType('svc_test.unknown'));
    expect(sequence.events).toEqual([{ ...template, type: 'svc_test.unknown' }]);
    await shrink(hasType('invoice.paid'));
    const invoices = tried.filter(({ type }) => type === 'invoice.paid');
    expect(invoices.length).toBeGreaterThan(1);
    expect(invoices.filter(({ payload }) => payload.includes('order_id'))).toEqual([]);
  });

  it('a sequence that fails in any order is shown in the order of creation', async () => {
    const { sequence } = await shrink(
      ({ steps }) =>
        new Set(steps.flatMap((step) => (step.kind === 'deliver' ? [step.event] : []))).size >= 2,
    );
    expect(sequence.steps).toEqual([
      { kind: 'deliver', event: 0 },
      { kind: 'deliver', event: 1 },
    ]);
  });
});
