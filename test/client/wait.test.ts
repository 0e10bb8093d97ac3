import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  fetchDelivery,
  type TrackResult,
  trackDeliveries,
  type WaitCondition,
  type WaitOptions,
  type WaitTarget,
  waitForDeliveries,
} from '../../src/client/wait.ts';
import type { ControlPlane, LiveStream } from '../../src/contract/control-plane.ts';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import type { StreamInput } from '../../src/contract/stream-schemas.ts';
import { SvcError } from '../../src/errors.ts';
import { aDelivery, aDetail, clockAt, NOW, pageOf, streamOf } from '../cli/fake-context.ts';

const A_MINUTE = 60_000;
const pending = aDelivery({ id: 'del_1', next_attempt_at: new Date(NOW).toISOString() });
/** Its next attempt is due in five minutes. */
const retrying = aDelivery({ id: 'del_1' });
const succeeded = aDelivery({ id: 'del_1', status: 'succeeded' });
const other = aDelivery({ id: 'del_2', status: 'failed', next_attempt_at: null });

interface WaitSetup extends Partial<WaitOptions> {
  readonly listed?: readonly Delivery[];
  readonly streamed?: readonly Delivery[];
  readonly stream?: (input: StreamInput, signal: AbortSignal) => LiveStream;
  readonly getClock?: ControlPlane['getClock'];
}

async function wait(setup: WaitSetup, changes: Partial<WaitTarget> = {}): Promise<Delivery[]> {
  return (await track(setup, changes)).deliveries;
}

async function track(setup: WaitSetup, changes: Partial<WaitTarget> = {}): Promise<TrackResult> {
  const { listed = [], streamed = [], signal = new AbortController().signal } = setup;
  const { timeoutMs = A_MINUTE, getClock = clockAt().getClock } = setup;
  const stream =
    setup.stream ?? (() => streamOf(streamed.map((delivery) => ({ type: 'attempt', delivery }))));
  const awaited = { filter: {}, list: async () => listed, ...changes };
  return trackDeliveries({ stream, getClock }, awaited, { ...setup, signal, timeoutMs });
}

/** Tells nothing until the signal is aborted. */
function silence(_input: StreamInput, signal: AbortSignal): LiveStream {
  return {
    ready: Promise.resolve(),
    async *[Symbol.asyncIterator]() {
      if (!signal.aborted) await once(signal, 'abort');
      yield* [];
    },
  };
}

/** Reports the deliveries and other items, and then nothing until the signal is aborted. */
function streamThenSilence(items: readonly (Delivery | { readonly type: 'webhook' })[]) {
  return (input: StreamInput, signal: AbortSignal): LiveStream => ({
    ready: Promise.resolve(),
    async *[Symbol.asyncIterator]() {
      for (const item of items) yield ('type' in item ? item : { type: 'attempt', delivery: item }) as never;
      yield* silence(input, signal);
    },
  });
}

describe('waiting for deliveries', () => {
  it('a wait requests only the needed items of the stream', async () => {
    const streamInputs: StreamInput[] = [];
    const stream = (input: StreamInput) => {
      streamInputs.push(input);
      return streamOf([]);
    };
    await wait({ stream }, { filter: { event_id: 'evt_1' } });
    expect(streamInputs).toEqual([{ event_id: 'evt_1', types: 'delivery,attempt,webhook' }]);
  });

  it('a wait reads the list when the stream is ready, so that it misses no change', async () => {
    const order: string[] = [];
    const stream = () => ({ ...streamOf([]), ready: Promise.resolve().then(() => void order.push('ready')) });
    const list = async () => {
      order.push('list');
      return [];
    };
    await wait({ stream }, { list });
    expect(order).toEqual(['ready', 'list']);
  });

  it('a wait ends after the list if no delivery is waiting', async () => {
    await expect(track({ listed: [succeeded], stream: silence })).resolves.toEqual({
      ...{ deliveries: [succeeded], isStalled: false },
    });
  });

  it('a wait ends when the last delivery of the list has settled, and ignores others', async () => {
    const streamed = [other, pending, succeeded, { ...succeeded, attempt_count: 9 }];
    await expect(wait({ listed: [pending], streamed })).resolves.toEqual([succeeded]);
  });

  it('a wait counts later deliveries if it includes them', async () => {
    const isDone = ({ matched }: { matched: number }) => matched === 2;
    const streamed = [succeeded, other, aDelivery({ id: 'del_3', status: 'failed' })];
    await expect(wait({ streamed }, { includes: () => true, isDone })).resolves.toEqual([succeeded, other]);
  });

  it('a wait closes the stream at its end', async () => {
    const signals: AbortSignal[] = [];
    const stream = (_input: StreamInput, signal: AbortSignal) => {
      signals.push(signal);
      return streamOf([{ type: 'attempt', delivery: succeeded }]);
    };
    await wait({ listed: [pending], stream });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('a wait returns the latest deliveries after the timeout', async () => {
    await expect(wait({ listed: [pending], stream: silence, timeoutMs: 1 })).resolves.toEqual([pending]);
  });

  it('a wait ends immediately when all waiting deliveries are paused, in the list or in the stream', async () => {
    const paused = { ...pending, paused: true };
    await expect(wait({ listed: [paused, other], stream: silence })).resolves.toEqual([paused, other]);
    const waiting = { ...pending, id: other.id };
    const streamed = [paused, waiting, other] as const;
    const listed = [pending, waiting];
    await expect(wait({ listed, stream: streamThenSilence(streamed) })).resolves.toEqual([paused, other]);
  });

  it('a wait continues while another delivery is waiting besides a paused one', async () => {
    const listed = [
      { ...pending, paused: true },
      { ...pending, id: other.id },
    ];
    await expect(wait({ listed, streamed: [succeeded, other] })).resolves.toEqual([succeeded, other]);
  });

  it('a wait reads the list again when the stream reports that an endpoint was changed', async () => {
    const pages = [pending, { ...pending, paused: true }];
    const list = async () => pages.splice(0, 1);
    const stream = streamThenSilence([{ type: 'webhook' }]);
    await expect(wait({ stream }, { list })).resolves.toMatchObject([{ paused: true }]);
  });

  it('a wait forgets all deliveries after a reset, and reads the list again', async () => {
    const lists = [[pending, other], [{ ...pending, id: 'del_3' }]];
    const list = async () => lists.shift() ?? [];
    const third = { ...succeeded, id: 'del_3' };
    const streamed = [
      { type: 'reset' },
      { type: 'attempt', delivery: succeeded },
      { type: 'attempt', delivery: third },
    ];
    const counts: unknown[] = [];
    const onChange = (change: object) => counts.push({ ...change });
    await expect(track({ stream: () => streamOf(streamed), onChange }, { list })).resolves.toEqual({
      ...{ deliveries: [third], isStalled: false },
    });
    expect(counts).toEqual([
      { waiting: 1, matched: 1, mismatched: 0 },
      { waiting: 1, matched: 0, mismatched: 0 },
      { waiting: 0, matched: 1, mismatched: 0 },
    ]);
  });

  it('a wait that a reset leaves without deliveries is over', async () => {
    const lists = [[pending]];
    const streamed = [{ type: 'reset' }, { type: 'webhook' }];
    let listCount = 0;
    const list = async () => {
      listCount++;
      return lists.shift() ?? [];
    };
    await expect(wait({ stream: () => streamOf(streamed) }, { list })).resolves.toEqual([]);
    expect(listCount).toBe(2);
  });

  it('a wait ends immediately when it is interrupted', async () => {
    const interruption = new AbortController();
    const waiting = wait({ listed: [pending], stream: silence, signal: interruption.signal });
    interruption.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('the end of a wait in which nothing can change', () => {
  const clock = async (changes: object) => ({ ...(await clockAt().getClock({})), ...changes });
  const inTime = { ...retrying, next_attempt_at: new Date(NOW + A_MINUTE / 2).toISOString() };

  it.each([
    ['the next attempt is due after the timeout', retrying, {}],
    ['the clock is frozen', inTime, { speed: 0 }],
    ['the clock is too slow', inTime, { speed: 0.25 }],
    ['the endpoint is disabled', { ...pending, paused: true, next_attempt_at: null }, {}],
  ])('a wait ends immediately when %s', async (_, delivery, changes) => {
    const setup = { listed: [delivery, other], stream: silence, getClock: () => clock(changes) };
    await expect(track(setup)).resolves.toEqual({ deliveries: [delivery, other], isStalled: true });
    await expect(track({ ...setup, timeoutMs: 0 })).resolves.toMatchObject({ isStalled: true });
  });

  it.each([
    ['an attempt is due before the timeout', inTime, {}],
    ['the clock is fast enough', retrying, { speed: 10 }],
    ['an attempt is due although the clock is frozen', pending, { speed: 0 }],
    [
      'no due time is known, because an attempt is in flight',
      { ...pending, next_attempt_at: null },
      { speed: 0 },
    ],
    ['a request moves the clock', retrying, { speed: 0, moving: { attempts: 0, canceled: false } }],
  ])('a wait continues when %s', async (_, delivery, changes) => {
    const released = new AbortController();
    let clockReads = 0;
    const getClock = () => {
      if (++clockReads === 3) released.abort();
      return clock(changes);
    };
    const stream = () => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        if (!released.signal.aborted) await once(released.signal, 'abort');
        yield { type: 'attempt', sequence: 1, delivery: succeeded } as never;
      },
    });
    await expect(track({ listed: [delivery], stream, getClock })).resolves.toEqual({
      ...{ deliveries: [succeeded], isStalled: false },
    });
  });

  it('a wait ends when a move of the clock has ended without an attempt', async () => {
    const states = [{ moving: { attempts: 0, canceled: false } }, {}];
    const getClock = () => clock({ speed: 0, ...states.shift() });
    await expect(track({ listed: [retrying], stream: silence, getClock })).resolves.toMatchObject({
      isStalled: true,
    });
  });

  it('a wait ends when the attempt that was in flight is followed by a retry after the timeout', async () => {
    const stream = streamThenSilence([retrying]);
    await expect(track({ listed: [pending], stream })).resolves.toEqual({
      ...{ deliveries: [retrying], isStalled: true },
    });
  });

  it('a wait continues while no clock can be read, for example after a reset', async () => {
    let reads = 0;
    const getClock = async () => {
      if (++reads < 3) throw new SvcError('not_found', 'The workspace does not exist.');
      return clock({});
    };
    await expect(track({ listed: [retrying], stream: silence, getClock })).resolves.toMatchObject({
      isStalled: true,
    });
    expect(reads).toBe(3);
  });

  it('a wait compares the due time of each delivery with the clock of its own workspace', async () => {
    const soon = aDelivery({ id: 'del_1', workspace_id: 'ws_frozen' });
    const late = { workspace_id: 'ws_fast', next_attempt_at: new Date(NOW + 600 * A_MINUTE).toISOString() };
    const getClock: ControlPlane['getClock'] = ({ workspace_id }) =>
      clock({ speed: workspace_id === 'ws_fast' ? 10 : 0 });
    const listed = [soon, aDelivery({ id: 'del_2', ...late })];
    await expect(track({ listed, stream: silence, getClock })).resolves.toMatchObject({ isStalled: true });
  });

  it('a wait whose time is over is not stalled, although no delivery can change any more', async () => {
    const stream = () => ({
      ready: Promise.resolve(),
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    });
    const setup = { listed: [retrying], stream, getClock: () => clock({ speed: 1e9 }), timeoutMs: 90 };
    await expect(track(setup)).resolves.toMatchObject({ isStalled: false });
  });

  it('a wait with keepWaiting ends after the timeout, and reads no clock', async () => {
    const getClock = () => expect.unreachable('The clock was read.');
    const setup = { listed: [retrying], stream: silence, getClock, keepWaiting: true, timeoutMs: 10 };
    await expect(track(setup)).resolves.toEqual({ deliveries: [retrying], isStalled: false });
  });

  it('a wait with stalledChecks continues until that many checks in a row find nothing that can change', async () => {
    let reads = 0;
    const getClock = () => clock({ speed: ++reads === 2 ? 10 : 1 });
    const result = track({ listed: [retrying], stream: silence, getClock, stalledChecks: 2 });
    await expect(result).resolves.toMatchObject({ isStalled: true });
    // The first one does not count, because the second one found that an attempt is due in time.
    expect(reads).toBe(4);
  });

  it.each([
    ['', 2, false],
    [', and counts them again after a delivery has changed', 3, true],
  ])('a wait with two stalledChecks needs two of them%s', async (_, expectedReads, changes) => {
    const hasChanged = new AbortController();
    let reads = 0;
    const getClock = () => {
      if (++reads === 1 && changes) hasChanged.abort();
      return clock({});
    };
    const stream = (_input: StreamInput, signal: AbortSignal) => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        if (!hasChanged.signal.aborted)
          await Promise.race([once(hasChanged.signal, 'abort'), once(signal, 'abort')]);
        if (!signal.aborted) yield { type: 'attempt', sequence: 1, delivery: retrying } as never;
        if (!signal.aborted) await once(signal, 'abort');
      },
    });
    await expect(track({ listed: [retrying], stream, getClock, stalledChecks: 2 })).resolves.toMatchObject({
      isStalled: true,
    });
    expect(reads).toBe(expectedReads);
  });
});

describe('the condition of a wait', () => {
  const [first, second, third] = [1, 2, 3].map((number) => `del_${number}`) as [string, string, string];
  const later = { ...pending, id: 'del_9' };
  const as = (status: Delivery['status'], ...ids: string[]) =>
    ids.map((id) => aDelivery({ id, status, next_attempt_at: new Date(NOW).toISOString() }));

  /** Waits for deliveries. The stream ends with a pending one, which is only seen if the wait has not ended before it. */
  async function waitUntil(
    condition: Partial<WaitCondition>,
    [listed, streamed = []]: readonly (readonly Delivery[])[],
    changes: Partial<ControlPlane> = {},
  ) {
    const items = [...streamed, later].map((delivery) => ({ type: 'delivery', delivery }));
    const control = {
      ...{ getClock: clockAt().getClock, stream: () => streamOf(items) },
      listDeliveries: async () => pageOf(...(listed ?? [])),
      getDelivery: () => expect.unreachable('One delivery was read.'),
      ...changes,
    };
    const options = { timeoutMs: A_MINUTE, signal: new AbortController().signal };
    const result = await waitForDeliveries(control, { filter: {}, ...condition }, options);
    const idsIn = (state: 'waiting' | 'matched' | 'mismatched' | 'deliveries') =>
      result[state].map(({ id }) => id);
    return {
      ...{ isMet: result.isMet, deliveries: idsIn('deliveries') },
      states: { waiting: idsIn('waiting'), matched: idsIn('matched'), mismatched: idsIn('mismatched') },
    };
  }

  it.each<[string, Partial<WaitCondition>, Delivery[][], { isMet: boolean; deliveries: string[] }]>([
    [
      'is met when all deliveries have settled, the failed ones too',
      {},
      [as('pending', first, second), [...as('failed', first), ...as('succeeded', second)]],
      { isMet: true, deliveries: [second, first] },
    ],
    [
      'without deliveries waits for the first one',
      {},
      [[], as('succeeded', first)],
      { isMet: true, deliveries: [first] },
    ],
    [
      'is not met while a delivery is pending',
      {},
      [as('pending', first)],
      { isMet: false, deliveries: ['del_9', first] },
    ],
    [
      'is not met while one of several deliveries is pending',
      {},
      [[...as('pending', first), ...as('succeeded', second)]],
      { isMet: false, deliveries: ['del_9', second, first] },
    ],
    [
      'with a count is met although another delivery is pending',
      { count: 1 },
      [[...as('pending', first), ...as('succeeded', second)]],
      { isMet: true, deliveries: [second, first] },
    ],
    [
      'with a count is not met by fewer deliveries',
      { count: 3 },
      [as('succeeded', first), as('succeeded', second)],
      { isMet: false, deliveries: ['del_9', second, first] },
    ],
    [
      'with a count counts the deliveries that are created meanwhile',
      { count: 3 },
      [
        as('succeeded', first),
        [...as('pending', second), ...as('failed', third), ...as('succeeded', second)],
      ],
      { isMet: true, deliveries: [third, second, first] },
    ],
    [
      'with a count and a status fails when one delivery settles with another status, although enough match',
      { count: 1, status: 'succeeded' },
      [[...as('succeeded', first), ...as('failed', second)]],
      { isMet: false, deliveries: [second, first] },
    ],
    [
      'with a count and a status fails as soon as one delivery settles with another status',
      { count: 2, status: 'succeeded' },
      [as('pending', first, second), as('canceled', first)],
      { isMet: false, deliveries: [second, first] },
    ],
    [
      'with a status fails as soon as one delivery settles with another status',
      { status: 'failed' },
      [as('pending', first, second), as('succeeded', second)],
      { isMet: false, deliveries: [second, first] },
    ],
    [
      'with a status is met when all deliveries have it',
      { status: 'failed' },
      [as('pending', first, second), as('failed', first, second)],
      { isMet: true, deliveries: [second, first] },
    ],
  ])('a wait %s', async (_, condition, deliveries, expected) => {
    await expect(waitUntil(condition, deliveries)).resolves.toMatchObject(expected);
  });

  it.each([
    ['ends', 'neither a count nor keepWaiting', {}, {}, true],
    ['continues until the timeout', 'a count', { count: 2 }, {}, false],
    ['continues until the timeout', 'keepWaiting', {}, { keepWaiting: true }, false],
    ['ends', 'a count and without keepWaiting', { count: 2 }, { keepWaiting: false }, true],
  ])('a wait %s although no delivery can change, with %s', async (_, __, condition, options, isStalled) => {
    const inputs: unknown[] = [];
    const control = {
      ...{ getClock: clockAt().getClock, stream: silence },
      listDeliveries: async (input: object) => {
        inputs.push(input);
        return pageOf(retrying);
      },
      getDelivery: () => expect.unreachable('One delivery was read.'),
    };
    const { signal } = new AbortController();
    const result = await waitForDeliveries(
      control,
      { filter: { type: 'a.b' }, ...condition },
      { timeoutMs: 50, signal, ...options },
    );
    expect(result).toMatchObject({ isMet: false, isStalled, waiting: [retrying] });
    expect(inputs).toEqual([{ limit: 1_000, type: 'a.b' }]);
  });

  it('the result of a wait lists the newest delivery first, by state', async () => {
    const listed = [
      ...as('succeeded', 'del_4', 'del_6'),
      ...as('failed', 'del_3', 'del_5'),
      ...as('pending', 'del_1', 'del_2'),
    ];
    await expect(waitUntil({ status: 'succeeded' }, [listed])).resolves.toEqual({
      isMet: false,
      deliveries: ['del_6', 'del_5', 'del_4', 'del_3', 'del_2', 'del_1'],
      states: {
        waiting: ['del_2', 'del_1'],
        matched: ['del_6', 'del_4'],
        mismatched: ['del_5', 'del_3'],
      },
    });
  });

  it('a wait for one delivery ignores the others, and has the fields of a list', async () => {
    const { attempts, due_times, ...summary } = aDetail({ ...pending, id: first });
    const getDelivery = async ({ id }: { id: string }) => ({ ...summary, id, attempts, due_times });
    const streamed = [...as('failed', second), ...as('succeeded', first)];
    const result = await waitUntil({ deliveryId: first }, [[], streamed], { getDelivery });
    expect(result).toMatchObject({ isMet: true, deliveries: [first] });
    await expect(fetchDelivery({ getDelivery }, first)).resolves.toEqual(summary);
  });

  it.each([
    ['a time', '2026-11-20T11:00:00.000Z', {}, null],
    [
      'a duration before now by the clock of the workspace',
      '1h',
      { workspace_id: 'ws_1' },
      { workspace_id: 'ws_1' },
    ],
    ['a duration before now by the clock of the default workspace', '1h', {}, {}],
  ])(
    'a wait since %s tracks the deliveries that were created at this time or later',
    async (_, since, filter, clockInput) => {
      const inputs: { clock: unknown; list: unknown[]; stream: unknown } = {
        clock: null,
        list: [],
        stream: null,
      };
      const createdAt = (id: string, created_at: string) =>
        ({ ...as('succeeded', id)[0], created_at }) as Delivery;
      const streamed = [
        createdAt(second, '2026-11-20T10:59:59.999Z'),
        createdAt(third, '2026-11-20T11:00:00.000Z'),
      ];
      const items = streamed.map((delivery) => ({ type: 'delivery', delivery }));
      const result = await waitUntil({ filter: { ...filter, since, type: 'a.b' }, count: 3 }, [], {
        getClock: async (input) => {
          inputs.clock = input;
          return clockAt().getClock(input);
        },
        listDeliveries: async (input) => {
          inputs.list.push(input);
          return input.starting_after === undefined
            ? { data: as('succeeded', first), has_more: true, end_cursor: first }
            : pageOf(...as('succeeded', 'del_0'));
        },
        stream: (input) => {
          inputs.stream = input;
          return streamOf(items);
        },
      });
      expect(result).toMatchObject({ isMet: true, deliveries: [third, first, 'del_0'] });
      const expected = { ...filter, type: 'a.b', since: '2026-11-20T11:00:00.000Z' };
      expect(inputs.clock).toStrictEqual(clockInput);
      expect(inputs).toMatchObject({
        list: [expected, { ...expected, starting_after: first }],
        stream: { ...filter, type: 'a.b' },
      });
      expect(inputs.stream).not.toHaveProperty('since');
    },
  );
});
