import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ListenerEndpointCleanup } from '../../../src/emulator/service/listener-endpoint-cleanup.ts';
import { isPermanent, registerWebhook } from '../../../src/emulator/service/webhooks.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { failedResult, runEventLoop, startDispatcher } from '../deliveries/dispatcher-setup.ts';

const GRACE_MS = 10_000;

beforeEach(() => {
  useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

function startListeners(options: Parameters<typeof startDispatcher>[0] = {}) {
  const dispatch = startDispatcher(options);
  const { sandbox, store, workspace } = dispatch;
  const onFault = vi.fn();
  const listenerCleanup = new ListenerEndpointCleanup(sandbox, {
    gracePeriodMs: GRACE_MS,
    onInternalError: onFault,
  });
  listenerCleanup.start();
  onTestFinished(() => listenerCleanup.stop());
  return {
    ...dispatch,
    listeners: listenerCleanup,
    onFault,
    /** As `svc listen` registers it. */
    register(listener = true, url = 'http://127.0.0.1:9/') {
      const input = { workspace, url, events: ['*'], listener };
      const webhook = store.writeNow(() =>
        registerWebhook(sandbox, input, (row) =>
          listener ? row.listener === 1 && !listenerCleanup.isHeld(row) : isPermanent(row),
        ),
      );
      if (listener) listenerCleanup.startGracePeriod(webhook.id);
      return webhook;
    },
    isThere: (id: string) => store.webhooks.find(id) !== undefined,
    async later(ms: number) {
      vi.advanceTimersByTime(ms);
      await runEventLoop();
    },
  };
}

describe('ListenerEndpointCleanup', () => {
  it('an endpoint that no stream holds for the grace period is deleted and its deliveries are canceled', async () => {
    const { register, isThere, later, trigger, attempt, get } = startListeners();
    const { id } = register();
    const [delivery = ''] = await trigger();
    await (await attempt(1)).respond(failedResult);
    await later(GRACE_MS - 1);
    expect(isThere(id)).toBe(true);
    await later(1);
    expect(isThere(id)).toBe(false);
    expect(get(delivery)).toMatchObject({ status: 'canceled', settled_reason: 'endpoint_deleted' });
  });

  it('an endpoint exists until the grace period after its last stream', async () => {
    const { register, listeners, isThere, later } = startListeners();
    const { id } = register();
    const [releaseFirst, releaseSecond] = [listeners.acquire(id), listeners.acquire(id)];
    releaseFirst();
    releaseFirst();
    await later(GRACE_MS * 10);
    expect(isThere(id)).toBe(true);
    releaseSecond();
    await later(GRACE_MS - 1);
    const back = listeners.acquire(id);
    await later(GRACE_MS * 10);
    expect(isThere(id)).toBe(true);
    back();
    await later(GRACE_MS);
    expect(isThere(id)).toBe(false);
  });

  it('an endpoint is deleted after a restart unless its listener reconnects', async () => {
    const { register, sandbox, listeners, isThere, later } = startListeners();
    const [gone, faithful] = [register(), register(true, 'http://127.0.0.1:9/b')];
    listeners.stop();
    await later(GRACE_MS * 10);
    expect([gone, faithful].map(({ id }) => isThere(id))).toEqual([true, true]);

    const restarted = new ListenerEndpointCleanup(sandbox, {
      gracePeriodMs: GRACE_MS,
      onInternalError: () => {},
    });
    restarted.start();
    restarted.acquire(faithful.id);
    await later(GRACE_MS);
    expect([gone, faithful].map(({ id }) => isThere(id))).toEqual([false, true]);
    restarted.stop();
  });

  it('a second grace period replaces the first one', async () => {
    const { register, listeners, isThere, later } = startListeners();
    const { id } = register();
    await later(GRACE_MS / 2);
    listeners.startGracePeriod(id);
    await later(GRACE_MS - 1);
    expect(isThere(id)).toBe(true);
    await later(1);
    expect(isThere(id)).toBe(false);
  });

  it('an endpoint whose stream ends after the stop is kept for the next start', async () => {
    const { register, listeners, isThere, later } = startListeners();
    const { id } = register();
    const release = listeners.acquire(id);
    listeners.stop();
    release();
    await later(GRACE_MS * 10);
    expect(isThere(id)).toBe(true);
  });

  it('the endpoints of a state that was loaded get a grace period', async () => {
    const { sandbox, store, workspace, isThere, later } = startListeners();
    const input = { workspace, url: 'http://127.0.0.1:9/', events: ['*'], listener: true };
    const { id } = store.writeNow(() => registerWebhook(sandbox, input, () => false));
    sandbox.bus.publish({ type: 'schedule_changed' });
    await later(GRACE_MS);
    expect(isThere(id)).toBe(true);
    sandbox.bus.publish({ type: 'state_replaced' });
    await later(GRACE_MS - 1);
    expect(isThere(id)).toBe(true);
    await later(1);
    expect(isThere(id)).toBe(false);
  });

  it('an endpoint is held while a stream of its listener is open, and a permanent one never', () => {
    const { register, listeners } = startListeners();
    const row = register();
    expect(listeners.isHeld(row)).toBe(false);
    const releases = [listeners.acquire(row.id), listeners.acquire(row.id)];
    releases[0]?.();
    expect(listeners.isHeld(row)).toBe(true);
    expect(listeners.isHeld({ ...row, listener: 0 })).toBe(false);
    expect(listeners.isHeld({ ...row, deleted_at: 1 })).toBe(false);
    releases[1]?.();
    expect(listeners.isHeld(row)).toBe(false);
  });

  it('a reused endpoint has its old deliveries, so that they can be replayed', async () => {
    const { register, trigger, attempt, replay, later } = startListeners();
    register();
    const [delivery = ''] = await trigger();
    await (await attempt(1)).respond(failedResult);
    await later(GRACE_MS);
    await expect(replay(delivery)).rejects.toMatchObject({ code: 'conflict' });
    register();
    await replay(delivery);
    await (await attempt(2)).respond();
  });
});

it('a permanent endpoint is not deleted when a stream for it ends', async () => {
  const { register, listeners, isThere, later } = startListeners();
  const { id } = register(false);
  listeners.acquire(id)();
  await later(GRACE_MS);
  expect(isThere(id)).toBe(true);
});

it('an error during the deletion of an endpoint is reported', async () => {
  const { register, store, later, onFault } = startListeners();
  register();
  const fault = new Error('the disk is full');
  vi.spyOn(store, 'write').mockRejectedValueOnce(fault);
  await later(GRACE_MS);
  expect(onFault).toHaveBeenCalledExactlyOnceWith(fault);
});
