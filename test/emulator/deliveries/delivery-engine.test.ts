import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import { createDeliveryEngine } from '../../../src/emulator/deliveries/delivery-engine.ts';
import { createEvent } from '../../../src/emulator/service/events.ts';
import { createWebhook } from '../../../src/emulator/service/webhooks.ts';
import { Store } from '../../../src/store/store.ts';
import { toClockState } from '../../../src/store/workspaces.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createTestSandbox, NOW, runEventLoop } from './dispatcher-setup.ts';

/** An engine whose timers fire only in `advance`. */
function createEngine({ path = ':memory:', ...options }: { path?: string; listenerGraceMs?: number } = {}) {
  useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const test = createTestSandbox({ store: new Store({ path }), frozen: false });
  const { sandbox, store, workspace } = test;
  const errors: string[] = [];
  const engine = createDeliveryEngine(sandbox, {
    ...{ isOwnAddress: () => false, retention: { days: 1, megabytes: null } },
    onInternalError: (part) => errors.push(part),
    ...options,
  });
  onTestFinished(() => {
    store.close();
    engine.sender.close();
  });
  return {
    ...{ ...test, engine, errors, path },
    endpoint: (isListener = false) =>
      store.writeNow(() => {
        const url = 'http://127.0.0.1:9/';
        const { id } = createWebhook(sandbox, { workspace, url, events: ['*'] });
        const row = store.webhooks.find(id);
        if (isListener && row)
          store.webhooks.insert({ ...row, seq: store.nextSeq(), id: 'wh_l', listener: 1 });
        return isListener ? 'wh_l' : id;
      }),
    async advance(ms: number) {
      vi.advanceTimersByTime(ms);
      await runEventLoop();
    },
  };
}

describe('the start of the delivery engine', () => {
  it.each([
    [10_000, {}],
    [50, { listenerGraceMs: 50 }],
  ])('the endpoint of a listener that does not connect is removed after %i ms', async (graceMs, options) => {
    const { engine, store, endpoint, advance } = createEngine(options);
    const id = endpoint(true);
    engine.start();
    await advance(graceMs - 1);
    expect(store.webhooks.find(id)).toMatchObject({ id });
    await advance(1);
    expect(store.webhooks.find(id)).toBeUndefined();
  });

  it.each<[string, (engine: ReturnType<typeof createEngine>) => unknown]>([
    [
      'while removing old rows',
      ({ store }) =>
        vi.spyOn(store.retention, 'planRemoval').mockImplementation(() => {
          throw new Error('no');
        }),
    ],
    [
      'while removing an endpoint',
      ({ store, endpoint }) => {
        endpoint(true);
        vi.spyOn(store.webhooks, 'find').mockImplementation(() => {
          throw new Error('no');
        });
      },
    ],
    [
      'while sending a delivery',
      ({ store }) =>
        vi.spyOn(store.deliveries, 'listDueEndpoints').mockImplementation(() => {
          throw new Error('no');
        }),
    ],
    ['the database', ({ store }) => vi.spyOn(store, 'checkFile').mockReturnValue('removed')],
  ])('an internal error is reported with the part that failed: %s', async (part, fail) => {
    const started = createEngine();
    fail(started);
    started.engine.start();
    await started.advance(10_000);
    expect(new Set(started.errors)).toEqual(new Set([part]));
  });
});

describe('the stop of the delivery engine', () => {
  it('a stop stores the clock of every loaded workspace, and ends all timers', async () => {
    const { engine, sandbox, store, workspace, endpoint, pass } = createEngine();
    const other = store.writeNow(() => sandbox.workspaces.insert({ name: 'Other' }));
    endpoint(true);
    engine.start();
    workspace.clock.moveTo(NOW + HOUR_MS);
    sandbox.workspaces.get(other.seq);
    pass(5_000);
    await engine.stop();
    const clocks = store.workspaces.listAll().map((row) => toClockState(row));
    expect(clocks.map(({ at, wallAt }) => [at - NOW, wallAt - NOW])).toEqual([
      [HOUR_MS + 5_000, 5_000],
      [5_000, 5_000],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stop gives attempts in flight five seconds', async () => {
    const { engine, sandbox, store, workspace, endpoint, advance } = createEngine();
    const send = vi.spyOn(engine.sender, 'send').mockReturnValue(new Promise(() => {}));
    endpoint();
    store.writeNow(() => createEvent(sandbox, { workspace, type: 'order.shipped', payload: '{}' }));
    engine.start();
    await runEventLoop();
    expect(send).toHaveBeenCalledTimes(1);
    let isStopped = false;
    const stopped = engine.stop().then(() => {
      isStopped = true;
    });
    await advance(4_999);
    expect(isStopped).toBe(false);
    await advance(1);
    await stopped;
  });

  it('a stop rejects with the error of a write that the storage did not cause', async () => {
    const { engine, store, errors } = createEngine();
    engine.start();
    await runEventLoop();
    vi.spyOn(store, 'write').mockRejectedValue(new TypeError('defect'));
    await expect(engine.stop()).rejects.toThrow('defect');
    expect(errors).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    'a stop writes nothing after the database file was removed',
    async () => {
      const { engine, store, path } = createEngine({ path: join(createTemporaryFolder(), 'sandbox.db') });
      engine.start();
      await runEventLoop();
      renameSync(path, `${path}.moved`);
      const write = vi.spyOn(store, 'write');
      await engine.stop();
      expect(write).not.toHaveBeenCalled();
    },
  );
});
