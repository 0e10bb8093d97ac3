/** Receivers with one defect each: the fuzz run finds a small sequence that shows it. Also failures that show late. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/domain/errors.ts';
import { fuzzRules } from '../../../src/receivers/play-rules.ts';
import { type DeliverySequence, parseSequence } from '../../../src/receivers/sequence.ts';
import { getTamperedDelivery } from '../../../src/receivers/tampered-deliveries.ts';
import type { ReceiverParts } from '../configurable-receiver.ts';
import { correctReceivers, storeSlowly } from '../correct-receivers.ts';
import { defects } from '../defects.ts';
import { startInProcessReceiver, useInProcessReceivers } from '../in-process-receiver.ts';
import { fuzzReceiver } from './fuzz-receiver.ts';

beforeEach(useInProcessReceivers);

const found = defects.flatMap(({ fuzz, ...defect }) => (fuzz === null ? [] : [{ ...defect, fuzz }]));

describe('the fuzz run of a receiver', () => {
  it.each(found)(
    'a receiver that $name breaks a rule, and its smallest sequence is short',
    async (defect) => {
      await using receiver = await startInProcessReceiver(defect.create());
      const { rule, steps, only, attack } = defect.fuzz;
      const { failure } = await fuzzReceiver({
        url: receiver.url,
        readSideEffects: receiver.readSideEffects,
        ...(only && { variations: new Set(only) }),
        timeoutMs: defect.timeoutMs ?? 5_000,
        restart: only?.includes('restart') ? receiver.restart : null,
      });
      expect(failure?.rule).toBe(rule);
      if (steps !== undefined) expect(failure?.sequence.steps.length).toBeLessThanOrEqual(steps);
      if (failure?.sequence.steps.some(({ kind }) => kind === 'restart'))
        expect(failure.remedy).toMatch(/ must survive a restart\.$/);
      if (attack !== undefined) expect(failure?.sequence.steps).toMatchObject([{ kind: 'attack', attack }]);
    },
  );

  it('the remedy for an attack that is accepted explains it, and one for an error does not', async () => {
    const rejectedWith = async (parts: Partial<ReceiverParts>) => {
      await using receiver = await startInProcessReceiver(parts);
      const { url } = receiver;
      const variations = new Set(['forged'] as const);
      const { failure } = await fuzzReceiver({ url, readSideEffects: null, variations });
      return failure?.remedy;
    };
    const { remedy } = fuzzRules.rejected;
    const attack = getTamperedDelivery('forged');
    expect(await rejectedWith({ matches: () => true })).toBe(`${attack.remedy} ${remedy}`);
    expect(await rejectedWith({ rejectionStatus: 500 })).toBe(remedy);
  });

  it('a repeated side effect is found with a count too', async () => {
    await using receiver = await startInProcessReceiver({ storeKey: () => true });
    const { failure, side_effects } = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffectCount,
    });
    expect(side_effects).toBe('count');
    expect(failure).toMatchObject({ rule: 'once', message: '2 side effects instead of 1.' });
  });

  it.each(
    Object.entries({
      ...correctReceivers,
      'works at once': () => ({}),
      'has a clock that is three minutes ahead': () => ({ clockDifferenceMs: 180_000 }),
      'has a clock that is three minutes behind': () => ({ clockDifferenceMs: -180_000 }),
    }),
  )('a correct receiver that %s breaks no rule', async (_, create) => {
    await using receiver = await startInProcessReceiver(create());
    const report = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffects,
      restart: receiver.restart,
      runs: 20,
    });
    expect(report).toMatchObject({ ok: true, runs: 20, side_effects: 'ids', failure: null });
  });
});

it('a correct receiver that stores keys in a second, and responds to repeats with 409 meanwhile, breaks no rule', async () => {
  await using receiver = await startInProcessReceiver(storeSlowly(1_000));
  const { failure } = await fuzzReceiver({
    url: receiver.url,
    readSideEffects: receiver.readSideEffects,
    replay: {
      version: 1,
      random_seed: 1,
      run: null,
      events: [{ type: 'order.shipped', payload: '{}' }],
      steps: [
        { kind: 'deliver', event: 0 },
        { kind: 'deliver', event: 0, with_previous: true },
      ],
    },
  });
  expect(failure).toBeNull();
});

describe('the fuzz run of a receiver that fails late', () => {
  it('a receiver that crashes 400 ms after an event is shown with a sequence that contains it', async () => {
    const crashing: Partial<ReceiverParts> = {
      beforeVerifying({ body }, { crash }) {
        if (body.includes('svc_test.unknown')) setTimeout(crash, 400);
      },
    };
    await using receiver = await startInProcessReceiver(crashing);
    const { failure } = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: null,
      restart: receiver.restart,
      variations: new Set(['unknown-type']),
      runs: 1_000,
      // For about half of the random seeds, the crash comes during a later sequence, which is then shown.
      randomSeed: 4,
    });
    expect(failure?.rule).toBe('running');
    expect(failure?.sequence.events.map(({ type }) => type)).toContain('svc_test.unknown');
  });

  it('a receiver that stops late and cannot be restarted is shown with the sequence before', async () => {
    const crashing: Partial<ReceiverParts> = {
      beforeVerifying({ body }, { crash }) {
        if (body.includes('svc_test.unknown')) setTimeout(crash, 60);
      },
    };
    await using receiver = await startInProcessReceiver(crashing);
    const { failure } = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffects,
      variations: new Set(['unknown-type']),
    });
    expect(failure?.rule).toBe('running');
    expect(failure?.sequence.events.map(({ type }) => type)).toContain('svc_test.unknown');
  });

  it('a delivery that is refused during a restart does not hide what the sequence shows', async () => {
    await using receiver = await startInProcessReceiver({ storeKey: () => true });
    const { url, readSideEffects, restart } = receiver;
    const delivery = { kind: 'deliver', event: 0 } as const;
    const replay: DeliverySequence = {
      ...{ version: 1, random_seed: 1, run: null, events: [{ type: 'order.shipped', payload: '{}' }] },
      steps: [{ kind: 'restart' }, { ...delivery, with_previous: true }, delivery],
    };
    const { failure } = await fuzzReceiver({ url, readSideEffects, restart, replay });
    expect(failure).toMatchObject({ rule: 'once', sequence: { steps: replay.steps } });
  });

  it('a failure is reported although the receiver cannot be restarted any more', async () => {
    const parts: Partial<ReceiverParts> = {
      beforeVerifying({ headers }, { crash }) {
        if (headers['service-signature'] === undefined) crash();
      },
    };
    await using receiver = await startInProcessReceiver(parts);
    const { failure } = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: null,
      variations: new Set(['missing-signature']),
      restart: () => Promise.reject(new SvcError('usage', 'The disk is full.')),
    });
    expect(failure?.rule).toBe('running');
  });

  it('a failure is reported although side effects can no longer be read', async () => {
    await using receiver = await startInProcessReceiver({ storeKey: () => true });
    let isShrinking = false;
    const { failure } = await fuzzReceiver({
      url: receiver.url,
      variations: new Set(['duplicate']),
      async readSideEffects() {
        if (isShrinking) throw new SvcError('usage', 'The table is locked.');
        return receiver.readSideEffects();
      },
      onProgress({ steps }) {
        isShrinking = steps !== null;
      },
    });
    expect(failure?.rule).toBe('once');
  });

  it('an interrupt during a restart ends the fuzz run with the failure', async () => {
    const interruption = new AbortController();
    await using receiver = await startInProcessReceiver({
      beforeVerifying({ headers }, { crash }) {
        if (headers['service-signature'] === undefined) crash();
      },
    });
    const report = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: null,
      variations: new Set(['missing-signature']),
      signal: interruption.signal,
      // The first sequence that fails has several steps, so that the receiver is restarted to play fewer.
      randomSeed: 4,
      async restart() {
        interruption.abort();
        throw new Error('The restart was aborted.');
      },
    });
    expect(report).toMatchObject({ interrupted: true, failure: { rule: 'running' } });
  });

  it('an interrupt while the sequence becomes smaller ends the fuzz run with the failure', async () => {
    const interruption = new AbortController();
    await using receiver = await startInProcessReceiver({ storeKey: () => true });
    const report = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffects,
      variations: new Set(['duplicate']),
      signal: interruption.signal,
      onProgress({ steps }) {
        if (steps !== null) interruption.abort();
      },
    });
    expect(report).toMatchObject({ ok: false, interrupted: true, failure: { rule: 'once' } });
  });

  it('a time limit also ends the fuzz run of a receiver that does not respond', async () => {
    await using receiver = await startInProcessReceiver({
      refuse: ({ type }) => (type === 'invoice.paid' ? new Promise(() => {}) : null),
    });
    const report = fuzzReceiver({
      url: receiver.url,
      readSideEffects: null,
      timeoutMs: 1_000,
      timeMs: 10_000,
      runs: null,
    });
    await expect(report).resolves.toMatchObject({ failure: { rule: 'accepted' } });
  });
});

it('a sequence with 60 events has 60 different IDs', async () => {
  const event = { type: 'order.shipped', payload: '{}' };
  const replay: DeliverySequence = {
    version: 1,
    random_seed: 1,
    run: null,
    events: Array(60).fill(event),
    steps: Array.from({ length: 60 }, (_, index) => ({ kind: 'deliver', event: index })),
  };
  await using receiver = await startInProcessReceiver();
  const { url, readSideEffects } = receiver;
  expect(await fuzzReceiver({ url, readSideEffects, replay })).toMatchObject({ failure: null });
  const events = [...replay.events, event];
  expect(() => parseSequence({ ...replay, events }, 'a.json')).toThrow('must have at most 60 events');
});
