import { describe, expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import {
  createScriptedSender,
  failedResult,
  NOW,
  runEventLoop,
  runTurn,
  startDispatcher as start,
} from './dispatcher-setup.ts';

const ONE_AT_A_TIME = { 'delivery.concurrency': { per_endpoint: 1, total: 1 } };

function startDispatcher(options: Parameters<typeof start>[0] = {}) {
  const dispatch = start(options);
  const { sandbox, store, inFlight } = dispatch;
  return {
    ...dispatch,
    /** Restores the rows of the last `store.setBaseline`. */
    async reset() {
      store.replaceState('baseline', () => {});
      sandbox.workspaces.clear();
      sandbox.bus.publish({ type: 'state_replaced' });
      await runEventLoop();
    },
    respondToAll: () => Promise.all(Array.from(inFlight, (attempt) => attempt.respond())),
  };
}

describe('a reset', () => {
  it('attempts in flight of the state before a reset are not recorded, and do not delay those of the state after it', async () => {
    const dispatch = startDispatcher({ overrides: ONE_AT_A_TIME });
    const { endpoint, trigger, attempt, reset, store, sandbox, dispatcher, sent, faults } = dispatch;
    endpoint();
    const [id = ''] = await trigger();
    store.setBaseline();
    const before = await attempt(1);
    await reset();
    expect([sent.map(({ deliveryId }) => deliveryId), dispatcher.inFlight]).toEqual([[id, id], 1]);
    await before.respond();
    expect(dispatch.get(id)).toMatchObject({ status: 'pending', attempt_count: 0 });
    expect(dispatcher.inFlight).toBe(1);
    await (await attempt(2)).respond();
    expect(dispatch.get(id)).toMatchObject({ status: 'succeeded', attempt_count: 1 });
    await dispatcher.whenIdle(sandbox.workspaces.default);
    expect([dispatcher.inFlight, sent.length, faults]).toEqual([0, 2, []]);
  });

  it('an attempt that is committed while the state is replaced does not count for the state after it', async () => {
    const { endpoint, trigger, reset, respondToAll, store, dispatcher, sent } = startDispatcher();
    endpoint();
    await trigger(20);
    store.setBaseline();
    const responded = respondToAll();
    await runTurn();
    expect([sent.length, dispatcher.inFlight]).toEqual([16, 16]);
    await reset();
    await responded;
    expect([sent.length, dispatcher.inFlight]).toEqual([24, 8]);
    for (let round = 0; round < 5; round++) await respondToAll();
    expect(dispatcher.inFlight).toBe(0);
    expect(store.deliveries.countPending()).toBe(0);
  });

  it('deliveries that waited for their turn before a reset are not started after it', async () => {
    const overrides = { 'delivery.concurrency': { per_endpoint: 8, total: 1 } };
    const { endpoint, trigger, reset, store, dispatcher, sent } = startDispatcher({ overrides });
    endpoint();
    store.setBaseline();
    await trigger(20);
    await reset();
    expect([sent.length, dispatcher.inFlight]).toEqual([1, 0]);
  });

  it('the due times of the state before a reset are forgotten', async () => {
    const { endpoint, trigger, attempt, reset, store, nextDueAt, moveTo, sent } = startDispatcher();
    endpoint();
    store.setBaseline();
    await trigger();
    await (await attempt(1)).respond(failedResult);
    expect(nextDueAt()).toBeGreaterThan(NOW);
    await reset();
    expect(nextDueAt()).toBeNull();
    await moveTo(NOW + HOUR_MS);
    expect(sent).toHaveLength(1);
  });

  it('a reset ends the pause after an error', async () => {
    const { endpoint, trigger, reset, store, faults, sent } = startDispatcher();
    endpoint();
    const reading = vi.spyOn(store.deliveries, 'findSendable').mockImplementation(() => {
      throw new Error('disk I/O error');
    });
    await trigger();
    store.setBaseline();
    reading.mockRestore();
    expect([faults.length, sent.length]).toEqual([1, 0]);
    await reset();
    expect(sent).toHaveLength(1);
  });
});

it.each<[string, (dispatch: ReturnType<typeof startDispatcher>) => unknown]>([
  ['the state is replaced', ({ reset }) => reset()],
  ['the dispatcher begins to stop', ({ dispatcher }) => void dispatcher.stop(HOUR_MS)],
  [
    'the database file is lost',
    async ({ store, trigger }) => {
      vi.spyOn(store, 'fileProblem', 'get').mockReturnValue('removed');
      await trigger();
    },
  ],
])('whenIdle resolves although an attempt is in flight when %s', async (_, change) => {
  const dispatch = startDispatcher();
  const { endpoint, trigger, attempt, store, dispatcher, workspace } = dispatch;
  endpoint();
  store.setBaseline();
  await trigger();
  const inFlight = await attempt(1);
  let isIdle = false;
  const waited = dispatcher.whenIdle(workspace).then(() => {
    isIdle = true;
  });
  await runEventLoop();
  expect(isIdle).toBe(false);
  await change(dispatch);
  await waited;
  await inFlight.respond();
});

it('a stop waits for the attempts in flight, starts no others, and closes the sender', async () => {
  const { sender, sent, inFlight } = createScriptedSender();
  let closeCount = 0;
  const close = () => void closeCount++;
  const { endpoint, trigger, dispatcher, get } = start({ sender: { ...sender, close } });
  endpoint();
  const [first = ''] = await trigger(9);
  const stopped = dispatcher.stop(HOUR_MS);
  for (const attempt of [...inFlight].slice(0, 7)) await attempt.respond();
  expect([sent.length, inFlight.size, closeCount]).toEqual([8, 1, 0]);
  for (const attempt of inFlight) await attempt.respond();
  await stopped;
  expect([get(first).status, dispatcher.inFlight, closeCount]).toEqual(['succeeded', 0, 1]);
  await dispatcher.stop(0);
  expect([sent.length, closeCount]).toEqual([8, 1]);
});
