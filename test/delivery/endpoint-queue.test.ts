import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
import type { SendResult } from '../../src/delivery/sender.ts';
import { decodePhases } from '../../src/domain/attempt-phases.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import type { LoadedWorkspace } from '../../src/sandbox/workspace-registry.ts';
import type { Store } from '../../src/store/store.ts';
import { failedResult, NOW, runEventLoop, runPromises, startDispatcher } from './dispatcher-setup.ts';

const sent: Partial<SendResult> = {
  phases: { queued: 0, dns: null, connect: null, tls: null, send: 0, wait: 0, receive: 0 },
};

/** A dispatcher that knows how long the last attempt of a delivery was queued. */
function startMeasuredDispatcher(frozen: boolean) {
  const dispatch = startDispatcher({ frozen });
  const queuedMs = (id: string) => {
    const phases = dispatch.store.attempts.listByDelivery(dispatch.get(id).seq).at(-1)?.phases;
    return phases ? decodePhases(phases).queued : null;
  };
  return { ...dispatch, queuedMs };
}

/** A queue whose rows are in an array. Real time moves with the schedule clock. */
function createQueue(nextDueAt: number | null = null, isEnabled = true) {
  let now = 0;
  /** Due times by sequence; null for settled deliveries. */
  const rows = new Map<number, number | null>();
  const listDue = (after: number, until: number) =>
    [...rows]
      .flatMap(([seq, due_at]) =>
        due_at !== null && due_at > after && due_at <= until ? [{ seq, due_at }] : [],
      )
      .sort((a, b) => a.due_at - b.due_at || a.seq - b.seq);
  const limits: number[] = [];
  const deliveries: Partial<Store['deliveries']> = {
    listDue: (_, until, limit) => {
      limits.push(limit);
      return listDue(Number.NEGATIVE_INFINITY, until).slice(0, limit);
    },
    findNextDueAt: (_, after) => listDue(after, Number.POSITIVE_INFINITY)[0]?.due_at,
    findOldestWindowStart: () => null,
    getProgress: (seq) =>
      ({ due_at: rows.get(seq) ?? null }) as ReturnType<Store['deliveries']['getProgress']>,
  };
  const clock = { now: () => now, realMsSince: (at: number) => Math.max(0, now - at) };
  const queue = new EndpointQueue({
    ...{ webhookSeq: 1, nextDueAt, isEnabled, wall: { monotonic: () => now } },
    workspace: { clock } as LoadedWorkspace,
    store: { deliveries } as Store,
  });
  return {
    ...{ queue, rows, limits, clock },
    pass: (ms: number) => {
      now += ms;
    },
    /** Adds a delivery as an event does. */
    add(seq: number, dueAt: number) {
      rows.set(seq, dueAt);
      queue.schedule(seq, dueAt);
    },
    /** Ends the attempt of a delivery. */
    end(seq: number, dueAt: number | null) {
      queue.endRequest();
      rows.set(seq, dueAt);
      queue.release(seq, dueAt);
    },
    takeAll(): number[] {
      const taken: number[] = [];
      for (let next = queue.takeDue(); next !== undefined; next = queue.takeDue()) taken.push(next.seq);
      return taken;
    },
  };
}

describe('EndpointQueue', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('add' as const),
        count: fc.constantFrom(1, 2, 300),
        delay: fc.nat(3),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ type: fc.constant('take' as const), count: fc.constantFrom(1, 2, 300) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('end' as const),
        index: fc.nat(9),
        delay: fc.option(fc.nat(3)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('replay' as const), index: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), index: fc.nat(9) }) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('enable' as const), isEnabled: fc.boolean() }) },
  );

  it('a queue hands out exactly the deliveries that are due and not held, and wakes in time for the next one', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const { queue, rows, clock, add, end, pass } = createQueue();
        const held = new Set<number>();
        const replayed = new Set<number>();
        const listFree = () =>
          [...rows].flatMap(([seq, dueAt]) => (dueAt === null || held.has(seq) ? [] : [dueAt]));
        const isDue = (dueAt: number) => queue.isEnabled && dueAt <= clock.now();
        const take = (count: number) => {
          const dueCount = listFree().filter(isDue).length;
          const taken = Array.from(
            { length: Math.min(count, dueCount + 1) },
            () => queue.takeDue()?.seq ?? null,
          );
          const seqs = taken.filter((seq) => seq !== null);
          expect(seqs.length).toBe(Math.min(count, dueCount));
          const isFree = (seq: number) => !held.has(seq) && isDue(rows.get(seq) ?? Number.NaN);
          expect(seqs.filter((seq) => !isFree(seq))).toEqual([]);
          for (const seq of seqs) held.add(seq);
          expect(held.size).toBe(queue.inFlight);
        };
        const pick = (index: number) => [...rows.keys()].at(-1 - index);
        for (const current of steps) {
          if (current.type === 'add') {
            for (let i = 0; i < current.count; i++) add(rows.size, clock.now() + current.delay);
          } else if (current.type === 'take') take(current.count);
          else if (current.type === 'end') {
            const seq = [...held].at(current.index);
            if (seq === undefined) continue;
            held.delete(seq);
            const nextDueAt = current.delay === null ? null : clock.now() + current.delay;
            // The row of a delivery with a waiting replay stays due.
            end(seq, replayed.delete(seq) ? clock.now() : nextDueAt);
          } else if (current.type === 'replay') {
            const seq = pick(current.index);
            if (seq === undefined) continue;
            if (held.has(seq)) replayed.add(seq);
            add(seq, clock.now());
          } else if (current.type === 'cancel') {
            const seq = pick(current.index);
            if (seq === undefined || held.has(seq)) continue;
            rows.set(seq, null);
            queue.reload();
          } else if (current.type === 'pass') pass(current.ms);
          else queue.isEnabled = current.isEnabled;

          expect(queue.inFlight).toBe(held.size);
          const next = Math.min(...listFree(), Number.POSITIVE_INFINITY);
          if (isDue(next)) expect(queue.hasDue()).toBe(true);
          if (!queue.isEnabled)
            expect([queue.hasDue(), queue.nextDueAt]).toEqual([false, Number.POSITIVE_INFINITY]);
          else if (queue.hasDue()) expect(queue.nextDueAt).toBeLessThanOrEqual(clock.now());
          else expect(queue.nextDueAt).toBe(next);
        }
        pass(10);
        queue.isEnabled = true;
        take(Number.POSITIVE_INFINITY);
        expect(queue.hasDue()).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('a queue hands out the deliveries that became due meanwhile in the order of their due times', () => {
    const { rows, queue, pass, takeAll } = createQueue(5);
    for (const [seq, dueAt] of [
      [1, 9],
      [2, 5],
      [3, 7],
      [4, 5],
      [5, 11],
    ] as const)
      rows.set(seq, dueAt);
    expect([queue.nextDueAt, queue.hasDue()]).toEqual([5, false]);
    pass(5);
    expect([queue.hasDue(), takeAll(), queue.nextDueAt]).toEqual([true, [2, 4], 7]);
    pass(5);
    expect([takeAll(), queue.nextDueAt]).toEqual([[3, 1], 11]);
  });

  it('a queue reads the store again only when its buffer of 256 deliveries is empty', () => {
    const { rows, queue, limits, pass, takeAll } = createQueue(1);
    for (let seq = 0; seq < 600; seq++) rows.set(seq, 1);
    pass(1);
    for (let i = 0; i < 256; i++) queue.takeDue();
    expect(limits).toEqual([256]);
    expect(takeAll()).toHaveLength(344);
    expect(limits).toEqual([256, 512, 768]);
    expect(queue.nextDueAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('a queue takes 256 new deliveries without reading the store, and those after them in their order', () => {
    const { queue, limits, add, takeAll } = createQueue();
    for (let seq = 1; seq <= 257; seq++) add(seq, 0);
    for (let seq = 1; seq <= 256; seq++) expect(queue.takeDue()?.seq).toBe(seq);
    expect(limits).toEqual([]);
    add(258, 0);
    expect(takeAll()).toEqual([257, 258]);
  });

  it.each<[string, number, (started: ReturnType<typeof createQueue>) => void]>([
    ['when it was added', 4, ({ add }) => add(1, 4)],
    ['when it was added, although it was due before', 4, ({ add }) => add(1, 2)],
    [
      'at its due time',
      6,
      ({ add, pass }) => {
        add(1, 6);
        pass(3);
      },
    ],
    [
      'when the endpoint was enabled, although it is enabled again',
      5,
      ({ queue, add, pass }) => {
        queue.isEnabled = false;
        add(1, 4);
        pass(1);
        queue.isEnabled = true;
        pass(1);
        queue.isEnabled = true;
      },
    ],
    [
      'when the queue was read again',
      5,
      ({ queue, add, pass }) => {
        add(1, 4);
        pass(1);
        queue.reload();
        pass(1);
      },
    ],
    [
      'when the first delivery outside of the buffer was added',
      5,
      ({ queue, add, pass }) => {
        for (let seq = 2; seq <= 257; seq++) add(seq, 4);
        pass(1);
        add(1, 2);
        pass(1);
        add(258, 2);
        for (let seq = 2; seq <= 257; seq++) queue.takeDue();
      },
    ],
  ])('a delivery that is due waits for its turn from %s', (_, since, change) => {
    const started = createQueue();
    started.pass(4);
    change(started);
    expect(started.queue.takeDue()).toEqual({ seq: 1, waitingSince: since });
  });

  it('a replay that comes between the commit of an attempt and its release is not lost, and one before it is not repeated', () => {
    const { rows, queue, add, takeAll } = createQueue();
    add(1, 0);
    expect(takeAll()).toEqual([1]);
    add(1, 0);
    expect(takeAll()).toEqual([]);
    queue.endRequest();
    expect([queue.inFlight, queue.unrecorded]).toEqual([0, 1]);
    // The attempt was recorded as the last one, before the row became due again.
    queue.release(1, null);
    expect(takeAll()).toEqual([1]);
    queue.endRequest();
    rows.set(1, null);
    queue.release(1, null);
    expect([queue.inFlight, queue.unrecorded]).toEqual([0, 0]);
    expect([takeAll(), queue.nextDueAt]).toEqual([[], Number.POSITIVE_INFINITY]);
  });
});

describe('paused deliveries of an endpoint queue', () => {
  it('no paused delivery expires at an endpoint without pending deliveries', () => {
    const { queue } = createQueue(null, false);
    expect(queue.findExpiryTime(HOUR_MS)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each<[string, number | null, (queue: EndpointQueue) => void]>([
    ['at the end of the oldest retry window', 40 + HOUR_MS, () => {}],
    ['never while the endpoint is enabled', null, (queue) => Object.assign(queue, { isEnabled: true })],
    ['never while an attempt is in flight', null, (queue) => queue.inFlight++],
    ['never while an attempt is not recorded', null, (queue) => queue.unrecorded++],
  ])('a paused delivery expires %s', (_, expected, change) => {
    const expired: unknown[] = [];
    const deliveries: Partial<Store['deliveries']> = {
      findOldestWindowStart: () => 40,
      listExpirable: (_, startedBy) => [
        { seq: 3, window_started_at: startedBy },
        { seq: 4, window_started_at: 40 },
      ],
      expire: (...args) => void expired.push(args),
    };
    const queue = new EndpointQueue({
      ...{ webhookSeq: 1, nextDueAt: 0, isEnabled: false, wall: { monotonic: () => 0 } },
      workspace: { clock: { now: () => 2 * HOUR_MS } } as LoadedWorkspace,
      store: { deliveries, nextSeq: () => 7 } as unknown as Store,
    });
    change(queue);
    expect(queue.findExpiryTime(HOUR_MS)).toBe(expected ?? Number.POSITIVE_INFINITY);
    queue.expirePaused(HOUR_MS);
    const settled = [
      [3, 2 * HOUR_MS, 7],
      [4, 40 + HOUR_MS, 7],
    ];
    expect(expired).toEqual(expected === null ? [] : settled);
  });
});

describe('a replay at the end of an attempt', () => {
  it.each([
    ['success', {}],
    ['failure', failedResult],
  ])(
    'a replay recorded just before the end of an attempt, in the same group, is sent [replay]: %s',
    async (_, result) => {
      const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
      endpoint();
      const [id = ''] = await trigger();
      const ended = (await attempt(1)).respond(result);
      await runPromises();
      await replay(id);
      await ended;
      await runEventLoop();
      expect(sent.map(({ deliveryId }) => deliveryId)).toEqual([id, id]);
      await sent[1]?.respond();
      expect(get(id)).toMatchObject({
        status: 'succeeded',
        attempt_count: 2,
        replays_waiting: 0,
        due_at: null,
      });
    },
  );

  it('a replay recorded just after the end of an attempt, in the same group, is sent [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    const replayed = replay(id);
    await first.respond();
    await replayed;
    await runEventLoop();
    expect(sent).toHaveLength(2);
    await sent[1]?.respond();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });

  it('a replay at the end of an attempt is one attempt, and the retry that follows keeps its due time [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    await replay(id);
    await first.respond(failedResult);
    await (await attempt(2)).respond(failedResult);
    await runEventLoop();
    expect(sent).toHaveLength(2);
    expect(get(id)).toMatchObject({ status: 'pending', due_at: NOW + 30 * MINUTE_MS });
  });

  it('a replay at the end of an attempt is sent past the retry window, and the delivery does not expire [replay, §6.retries.window]', async () => {
    const { endpoint, trigger, attempt, replay, get, workspace, sandbox } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond(failedResult);
    workspace.clock.moveTo(NOW + 80 * HOUR_MS);
    const replayed = replay(id);
    sandbox.bus.publish({ type: 'clock_changed', workspaceSeq: workspace.seq });
    await replayed;
    const manual = await attempt(2);
    await manual.respond();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });
});

describe('an endpoint queue', () => {
  it('a queue keeps its due deliveries while its endpoint is disabled and hands out none [delivery.concurrency]', async () => {
    const { endpoint, trigger, sent, update, inFlight } = startDispatcher();
    const { id } = endpoint();
    const ids = await trigger(20);
    expect(sent).toHaveLength(8);
    await update(id, { disabled: true });
    await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
    expect(sent).toHaveLength(8);
    await update(id, { disabled: false });
    while (inFlight.size > 0) await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual(ids);
  });

  it.each([
    ['the schedule clock runs', false],
    ['the schedule clock is frozen', true],
  ])(
    'the queued phase of an attempt begins when its delivery is due, even if the buffer has no room for it: %s',
    async (_, frozen) => {
      const { endpoint, trigger, inFlight, pass, queuedMs } = startMeasuredDispatcher(frozen);
      endpoint();
      pass(HOUR_MS);
      const [first = ''] = await trigger(8);
      pass(1_000);
      const ids = await trigger(300);
      pass(500);
      while (inFlight.size > 0) await Promise.all(Array.from(inFlight, (attempt) => attempt.respond(sent)));
      expect(queuedMs(first)).toBe(0);
      expect(ids.map(queuedMs)).toEqual(Array(300).fill(500));
    },
  );

  it('the queued phase of a retry begins at its due time', async () => {
    const { endpoint, trigger, attempt, pass, moveTo, queuedMs } = startMeasuredDispatcher(true);
    endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond({ ...failedResult, ...sent });
    pass(HOUR_MS);
    await moveTo(NOW + 5 * MINUTE_MS);
    await (await attempt(2)).respond(sent);
    expect(queuedMs(id)).toBe(0);
  });

  it('the queued phase of a paused delivery begins when its endpoint is enabled', async () => {
    const { endpoint, trigger, replay, update, attempt, pass, queuedMs } = startMeasuredDispatcher(true);
    const { id: webhookId } = endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond(sent);
    await update(webhookId, { disabled: true });
    await replay(id);
    pass(HOUR_MS);
    await update(webhookId, { disabled: false });
    await (await attempt(2)).respond(sent);
    expect(queuedMs(id)).toBe(0);
  });

  it('a queue hands out nothing for a deleted endpoint', async () => {
    const { endpoint, trigger, sent, remove, inFlight, get } = startDispatcher();
    const { id } = endpoint();
    const ids = await trigger(20);
    await remove(id);
    await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
    expect(sent).toHaveLength(8);
    const statuses = ids.map((delivery) => get(delivery).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 'canceled'));
  });
});
