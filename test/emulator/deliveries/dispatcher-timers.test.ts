import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { MAX_UNRECORDED } from '../../../src/emulator/deliveries/dispatcher.ts';
import { Store } from '../../../src/store/store.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { failedResult, NOW, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

const PAUSE_MS = 1_000;
const fail = (message = 'page on fire') => {
  throw new Error(message);
};

/** A dispatcher on a running clock, with fake real time. */
function start(options: Parameters<typeof startDispatcher>[0] = {}) {
  useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const startedAt = performance.now();
  const monotonic = () => performance.now() - startedAt;
  const dispatch = startDispatcher({ frozen: false, monotonic, ...options });
  // Before the dispatcher ends, which waits for timers.
  onTestFinished(() => void vi.useRealTimers());
  const { dispatcher, workspace } = dispatch;
  return {
    ...dispatch,
    async advance(ms: number) {
      vi.advanceTimersByTime(ms);
      await runEventLoop();
    },
    /** Whether the workspace is idle now. */
    async isIdle() {
      let isIdle = false;
      void dispatcher.whenIdle(workspace).then(() => {
        isIdle = true;
      });
      await Promise.resolve();
      return isIdle;
    },
  };
}

it('the results of attempts are committed together when none is in flight, and when there are 64, before the next attempt', async () => {
  const { endpoint, trigger, inFlight, sent, get, store } = start({
    delaysResults: true,
  });
  endpoint();
  const [first = ''] = await trigger(2);
  const sentAtCommits: number[] = [];
  store.subscribe(() => sentAtCommits.push(sent.length));
  const [earlier, later] = [...inFlight];
  await earlier?.respond();
  expect(get(first).status).toBe('pending');
  await later?.respond();
  expect(get(first).status).toBe('succeeded');
  const respondToAll = () => Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
  await trigger(MAX_UNRECORDED + 1);
  sentAtCommits.length = 0;
  while (inFlight.size > 0) await respondToAll();
  const all = 2 + MAX_UNRECORDED + 1;
  expect(sentAtCommits).toEqual([all - 1, all]);
});

describe('the timer of the dispatcher', () => {
  it('a retry is sent at its due time without any other event', async () => {
    const { advance, sent, workspace, failFirst } = start();
    workspace.clock.set({ speed: 2 });
    await failFirst();
    await advance(2.5 * MINUTE_MS - 1);
    expect(sent).toHaveLength(1);
    await advance(1);
    expect(sent).toHaveLength(2);
  });

  it('a retry that is further away than a timer of Node.js can wait is sent at its due time', async () => {
    const { advance, sent, workspace, failFirst } = start();
    const speed = 0.0001;
    const oneMs = 1 / speed;
    workspace.clock.set({ speed });
    await failFirst();
    await advance((5 * MINUTE_MS - 1) * oneMs);
    expect(sent).toHaveLength(1);
    await advance(2 * oneMs);
    expect(sent).toHaveLength(2);
  });

  it('a paused delivery fails at the end of its retry window without any other event, and the workspace is not idle until then [delivery.paused]', async () => {
    const { update, advance, get, isIdle, dispatcher, workspace, nextDueAt, failFirst } = start();
    const { webhook, id } = await failFirst();
    await update(webhook, { disabled: true });
    await advance(72 * HOUR_MS - 1);
    expect([get(id).status, await isIdle()]).toEqual(['pending', true]);
    vi.advanceTimersByTime(1);
    // A timer would end again and again until the end is written.
    expect(vi.getTimerCount()).toBe(0);
    expect([get(id).status, await isIdle()]).toEqual(['pending', false]);
    await dispatcher.whenIdle(workspace);
    expect(get(id)).toMatchObject({ status: 'failed', settled_at: NOW + 72 * HOUR_MS });
    expect(nextDueAt()).toBeNull();
  });

  it('a paused delivery whose end cannot be stored fails after a pause', async () => {
    const { update, advance, get, store, faults, failFirst } = start();
    const { webhook, id } = await failFirst();
    await update(webhook, { disabled: true });
    const expire = vi.spyOn(store.deliveries, 'expire').mockImplementation(() => fail());
    await advance(72 * HOUR_MS);
    expect([faults.length, get(id).status]).toEqual([1, 'pending']);
    expire.mockRestore();
    await advance(PAUSE_MS - 1);
    expect(get(id).status).toBe('pending');
    await advance(1);
    expect(get(id).status).toBe('failed');
  });
});

describe('a pause of the dispatcher', () => {
  it('deliveries that could not be read are sent after a pause, and the workspace is not idle until then', async () => {
    const { attempt, advance, store, sent, faults, isIdle, failFirst } = start();
    await failFirst();
    const listDue = vi.spyOn(store.deliveries, 'listDue').mockImplementation(() => fail());
    await advance(5 * MINUTE_MS);
    expect([sent.length, faults.length, await isIdle()]).toEqual([1, 1, false]);
    listDue.mockRestore();
    await advance(PAUSE_MS - 1);
    expect(sent).toHaveLength(1);
    await advance(1);
    expect(sent).toHaveLength(2);
    await (await attempt(2)).respond();
    expect(await isIdle()).toBe(true);
  });

  it('nothing is sent while the database file is lost, and everything due is sent after it was found again', async () => {
    const { endpoint, trigger, advance, store, sent, faults, isIdle } = start();
    endpoint();
    const problem = vi.spyOn(store, 'fileProblem', 'get').mockReturnValue('removed');
    await trigger();
    await advance(10 * PAUSE_MS);
    expect([sent, faults, await isIdle()]).toEqual([[], [], true]);
    problem.mockRestore();
    await advance(PAUSE_MS);
    expect(sent).toHaveLength(1);
  });

  it('a start that cannot read the deliveries tries again after a pause', async () => {
    const store = new Store({ path: ':memory:' });
    const read = vi.spyOn(store.deliveries, 'listDueEndpoints').mockImplementation(() => fail());
    const { advance, faults, isIdle } = start({ store });
    expect([faults.length, await isIdle()]).toEqual([1, false]);
    read.mockRestore();
    await advance(PAUSE_MS - 1);
    expect(await isIdle()).toBe(false);
    await advance(1);
    expect(await isIdle()).toBe(true);
  });

  it('errors of attempts that fail together are reported once, another error and a later one again', async () => {
    const { endpoint, trigger, inFlight, advance, store, faults } = start();
    endpoint();
    await trigger(3);
    const [first, second, third] = [...inFlight];
    const write = vi.spyOn(store, 'writeLater').mockRejectedValue(new Error('disk is full'));
    await Promise.all([first?.respond(), second?.respond()]);
    expect(faults).toMatchObject([{ message: 'disk is full' }]);
    write.mockRejectedValue(new Error('disk is gone'));
    await third?.respond();
    expect(faults).toMatchObject([{ message: 'disk is full' }, { message: 'disk is gone' }]);
    await advance(PAUSE_MS);
    const [repeated] = [...inFlight];
    await repeated?.respond();
    expect(faults.slice(2)).toMatchObject([{ message: 'disk is gone' }]);
    write.mockRestore();
  });
});

describe('the end of the dispatcher', () => {
  it('a stopped dispatcher has no timer, ignores events, and does not use the store for what was in flight', async () => {
    const { endpoint, trigger, inFlight, dispatcher, sandbox, store, faults, sent, workspace } = start();
    const { id } = endpoint();
    await trigger(2);
    const webhookSeq = store.webhooks.findSeq(id) ?? 0;
    const [first, second] = [...inFlight];
    await first?.respond(failedResult);
    const stopped = dispatcher.stop(5_000);
    vi.advanceTimersByTime(5_000);
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
    store.close();
    await second?.respond();
    sandbox.bus.publish({ type: 'delivery_due', seq: 1, webhookSeq, workspace });
    sandbox.bus.publish({ type: 'schedule_changed' });
    await runEventLoop();
    expect([faults, sent.length]).toEqual([[], 2]);
  });

  it('a stop while paused deliveries expire does not use the store after that', async () => {
    const { update, dispatcher, store, faults, failFirst } = start();
    const { webhook } = await failFirst();
    await update(webhook, { disabled: true });
    vi.advanceTimersByTime(72 * HOUR_MS);
    await dispatcher.stop(0);
    const read = vi.spyOn(store.deliveries, 'listDueEndpoints');
    await runEventLoop();
    expect([read.mock.calls, faults]).toEqual([[], []]);
  });
});

it.each([
  [4, 3],
  [6, 5],
  [8, 6],
])(
  'of %i attempts in flight, endpoints that have one already get at most %i [delivery.concurrency]',
  async (total, shared) => {
    const overrides = { 'delivery.concurrency': { per_endpoint: total, total } };
    const { endpoint, trigger, inFlight, dispatcher } = start({ overrides });
    endpoint('http://127.0.0.1:9/first');
    await trigger(total);
    expect(dispatcher.inFlight).toBe(shared);
    endpoint('http://127.0.0.1:9/second');
    await trigger(total);
    expect([...inFlight].filter(({ url }) => url.endsWith('second'))).toHaveLength(1);
  },
);
