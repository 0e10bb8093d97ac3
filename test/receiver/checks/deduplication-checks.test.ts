import { describe, expect, it } from 'vitest';
import { type CheckSetup, idOf, respond, runCheck } from './check-setup.ts';

describe.each([
  'deduplication.same-delivery',
  'deduplication.other-delivery',
  'deduplication.at-once',
] as const)('%s', (id) => {
  const isConcurrent = id === 'deduplication.at-once';
  const prefix = isConcurrent ? '10 × status 204' : '2 × status 204';

  it.each([
    [1, 'passed', 'Your receiver processes the event once.'],
    [0, 'failed', 'Your receiver accepts the event but does not process it.'],
    [2, 'failed', 'Your receiver processes the event more than once.'],
  ])(`${id} with %i side effects is %s: %s [§6.6]`, async (sideEffects, status, meaning) => {
    const run = await runCheck(id, { sideEffects });
    expect(run).toMatchObject({ status, received: `${prefix}, side effects: ${sideEffects}` });
    expect(run.meaning).toContain(meaning);
    expect(new Set(run.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(run.sent).size).toBe(id === 'deduplication.other-delivery' ? 2 : 1);
    expect([run.sent.length, run.concurrency]).toEqual(isConcurrent ? [10, 10] : [2, 1]);
  });

  it.each<[string, number[], number | undefined, string]>([
    [
      'one accepted response',
      [204, 400],
      1,
      isConcurrent ? 'processes the event once' : 'rejects a duplicate',
    ],
    ['no accepted response', [400], 1, 'rejects a correctly signed delivery'],
    ['no accepted response and no side effects', [400], undefined, 'rejects a correctly signed delivery'],
    ['accepted responses and no side effects', [204], undefined, 'Side effects are not counted.'],
  ])(`${id} says what %s mean`, async (_, responses, sideEffects, meaning) => {
    const run = await runCheck(id, { responses, ...(sideEffects !== undefined && { sideEffects }) });
    expect(run.meaning).toContain(meaning);
    const isPassed = meaning.includes('once');
    expect(run.status).toBe(
      sideEffects === undefined && responses[0] === 204 ? 'inconclusive' : isPassed ? 'passed' : 'failed',
    );
  });
});

describe('a repeat that gets 409', () => {
  it('a repeat that gets 409 is sent again until it is accepted', async () => {
    const setup: CheckSetup = { responses: [204, 409, 409, 204], sideEffects: 1 };
    const run = await runCheck('deduplication.other-delivery', setup);
    expect(run).toMatchObject({
      ...{ status: 'passed', received: '2 × status 204, side effects: 1', sleeps: [250, 250] },
    });
    expect(run.sent.map((message) => run.sent.indexOf(message))).toEqual([0, 1, 1, 1]);
  });

  it('a repeat that always gets 409 is a rejected duplicate', async () => {
    const setup: CheckSetup = { responses: [204, 409], sideEffects: 1, context: { timeoutMs: 5 } };
    const run = await runCheck('deduplication.same-delivery', setup);
    expect(run).toMatchObject({ status: 'failed', received: 'status 204, status 409, side effects: 1' });
    expect(run.meaning).toContain('rejects a duplicate');
  });

  it('a first delivery that gets 409 is not sent again', async () => {
    const { sent } = await runCheck('deduplication.same-delivery', { responses: [409, 204], sideEffects: 1 });
    expect(sent).toHaveLength(2);
  });
});

describe('deduplication.during-work', () => {
  it.each<[number[], number, string, string]>([
    [[204], 1, 'passed', 'processes the event once'],
    [[204, 409], 1, 'passed', 'processes the event once'],
    [[204], 0, 'failed', 'does not process it'],
    [[204], 2, 'failed', 'if a duplicate arrives while the first is being processed'],
    [[400], 0, 'failed', 'rejects a correctly signed delivery'],
  ])(
    'deduplication.during-work with the statuses %j and %i side effects is %s [§6.6]',
    async (responses, sideEffects, status, meaning) => {
      const run = await runCheck('deduplication.during-work', { responses, sideEffects });
      expect(run).toMatchObject({ status, meaning: expect.stringContaining(meaning) });
      expect(run.sent[1]).toBe(run.sent[0]);
    },
  );

  it.each([
    [100, 50],
    [20_000, 5_000],
  ])(
    'deduplication.during-work sends the duplicate of work of %i ms after %i ms',
    async (workMs, delayMs) => {
      const { sleeps } = await runCheck('deduplication.during-work', { sideEffects: { workMs } });
      expect(sleeps).toEqual([delayMs]);
    },
  );
});

describe('deduplication.similar-ids', () => {
  it.each([
    [[204], 3, 'passed'],
    [[204], 4, 'passed'],
    [[204], 2, 'failed'],
    [[204, 204, 400], 3, 'failed'],
  ])(
    'deduplication.similar-ids with the statuses %j and %i side effects is %s [§6.6]',
    async (responses, sideEffects, status) => {
      expect(await runCheck('deduplication.similar-ids', { responses, sideEffects })).toMatchObject({
        status,
      });
    },
  );

  it('deduplication.similar-ids sends IDs that differ in the last or the second character', async () => {
    const { sent } = await runCheck('deduplication.similar-ids', { sideEffects: 3 });
    const [id = '', ...others] = sent.map(idOf);
    const differences = others.map((other) =>
      [...other].flatMap((character, index) => (character === id[index] ? [] : [index])),
    );
    expect(differences).toEqual([[29], [5]]);
    expect(others.map((other) => other.length)).toEqual([30, 30]);
  });
});

describe('deduplication.later', () => {
  const setup = (agoMs: number, sideEffects: number): CheckSetup => ({
    sideEffects,
    context: {
      firstDelivery: {
        message: { body: '{"data":{"id":"evt_1"}}', headers: {} },
        ...{ response: respond(204), respondedAt: performance.now() - agoMs },
      },
    },
  });

  it.each([
    [0, 'passed', 'The duplicate has no side effect.'],
    [1, 'failed', 'Keep each data.id for at least 72 hours'],
  ])('deduplication.later with %i side effects is %s [§6.6]', async (sideEffects, status, meaning) => {
    const run = await runCheck('deduplication.later', setup(0, sideEffects));
    expect(run).toMatchObject({
      ...{ status, meaning: expect.stringContaining(meaning) },
      received: `status 204, side effects of the duplicate: ${sideEffects}`,
    });
    expect(run.sent).toEqual([setup(0, 0).context?.firstDelivery?.message]);
  });

  it('deduplication.later waits until 2.5 seconds after the first response', async () => {
    const waitMs = async (agoMs: number) => (await runCheck('deduplication.later', setup(agoMs, 0))).sleeps;
    const [early = 0] = await waitMs(0);
    expect(early).toBeGreaterThan(1_500);
    expect(early).toBeLessThanOrEqual(2_500);
    expect(await waitMs(3_000)).toEqual([0]);
  });
});

describe('deduplication.after-others', () => {
  it.each<[string, CheckSetup, string, number, number]>([
    ['one after the other', {}, 'passed', 112, 10],
    // Of the first ten, three are rejected. Then one is sent at a time.
    [
      'one at a time',
      { responses: (_, index) => respond(index > 7 && index <= 10 ? 429 : 204) },
      'passed',
      115,
      10,
    ],
    ['none', { responses: [204, 503] }, 'inconclusive', 11, 10],
    [
      'some slowly',
      { context: { isSlow: true }, responses: (_, index) => respond(index > 7 ? 429 : 204) },
      'inconclusive',
      11,
      10,
    ],
    ['all slowly', { context: { isSlow: true } }, 'passed', 112, 10],
  ])(
    'deduplication.after-others of a receiver that accepts %s',
    async (_, setup, status, count, concurrency) => {
      const run = await runCheck('deduplication.after-others', { sideEffects: 0, ...setup });
      expect(run.status).toBe(status);
      expect([run.sent.length, run.concurrency]).toEqual([count, concurrency]);
      if (status === 'passed') expect(run.sent.at(-1)).toBe(run.sent[0]);
      expect(new Set(run.sent.map(idOf)).size).toBe(status === 'passed' ? count - 1 : count);
    },
  );

  it('deduplication.after-others says how many deliveries were accepted, or that the work takes too long', async () => {
    const rejecting: CheckSetup = { sideEffects: 0, responses: (_, index) => respond(index > 5 ? 503 : 204) };
    expect(await runCheck('deduplication.after-others', rejecting)).toMatchObject({
      received: '5 of 110 accepted',
      meaning: 'Your receiver does not accept enough other deliveries.',
    });
    expect(
      await runCheck('deduplication.after-others', {
        sideEffects: { wait: async () => ({ count: 109, isComplete: false }) },
      }),
    ).toMatchObject({
      status: 'inconclusive',
      meaning: expect.stringContaining('still working on 110 events after 5s'),
    });
    expect(await runCheck('deduplication.after-others', { sideEffects: 1 })).toMatchObject({
      status: 'failed',
    });
  });
});

it('a check that needs side effects is inconclusive without them, and sends nothing', async () => {
  for (const name of ['during-work', 'similar-ids', 'later', 'after-others'] as const) {
    const run = await runCheck(`deduplication.${name}`);
    expect(run).toMatchObject({ status: 'inconclusive', meaning: 'Side effects are not counted.', sent: [] });
  }
});
