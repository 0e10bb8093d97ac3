import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { createEvent, FAN_OUT_SLICE, FanOut } from '../../src/sandbox/events.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { createWebhook, deleteWebhook } from '../../src/sandbox/webhooks.ts';
import { Store } from '../../src/store/store.ts';
import { ANY_DELIVERY } from '../store/rows.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

const SLICES = 4;
const ENDPOINTS = SLICES * FAN_OUT_SLICE;
const TOPICS = new Set(['delivery', 'attempt', 'request'] as const);

function open(path = ':memory:', endpoints = ENDPOINTS) {
  const store = new Store({ path });
  onTestFinished(() => store.close());
  const sandbox = createSandbox({
    environment: 'sandbox',
    store,
    wall: createTestWallClock(),
    randomSeed: 1,
    seedsKeys: true,
    hasConstantTimestamp: false,
    rules: resolveRules('relaxed'),
    newClockSettings: { speed: 1, frozen: true },
    eventTypes: new Set(),
  });
  if (store.workspaces.findOldest() === undefined) {
    store.writeNow(() => sandbox.workspaces.insert({ name: 'Test' }));
    const { default: workspace } = sandbox.workspaces;
    store.writeNow(() => {
      for (let number = 0; number < endpoints; number++) {
        createWebhook(sandbox, { workspace, url: `http://127.0.0.1:9/${number}`, events: ['*'] });
      }
    });
  }
  const workspace = sandbox.workspaces.default;
  const event = { workspace, type: 'order.shipped', payload: '{}' };
  const fanOut = new FanOut(sandbox);
  return {
    store,
    sandbox,
    workspace,
    event,
    fanOut,
    create: () => fanOut.create(event, ({ publish }) => store.write(publish)),
  };
}

type Opened = ReturnType<typeof open>;

/** Counts the visible events and deliveries. */
async function readRows({ store, workspace }: Opened) {
  const page = { limit: ENDPOINTS + 1, beforeSeq: null };
  const deliveries = await store.deliveryQueries.list(ANY_DELIVERY, page);
  return {
    events: store.events.list(workspace.seq, null, page).rows.length,
    deliveries: deliveries.rows.length,
    pending: store.deliveries.countPending(),
    changes: store.changeFeed.listAfter(0, TOPICS, ENDPOINTS + 1).length,
  };
}

const nothing = { events: 0, deliveries: 0, pending: 0, changes: 0 };
const everything = { events: 1, deliveries: ENDPOINTS, pending: ENDPOINTS, changes: ENDPOINTS };

function countRows(store: Store): number {
  return store.deliveries.listPendingByEvent(store.lastVisibleSeq + 1, 0, ENDPOINTS + 1).length;
}

/** Runs `act` in the turn of the event loop after each slice, until `done`. */
async function betweenSlices(done: Promise<unknown>, act: (turn: number) => void | Promise<void>) {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  done.then(end, end);
  for (let turn = 0; ; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isDone) return turn;
    await act(turn);
  }
}

describe('an event for many endpoints', () => {
  it('a large event is written in slices between which other work runs', async () => {
    const opened = open();
    const rows: number[] = [];
    const created = opened.create();
    await betweenSlices(created, () => void rows.push(countRows(opened.store)));
    await created;
    const steps = rows.map((count, turn) => count - (rows[turn - 1] ?? 0));
    expect(Math.max(...steps)).toBe(FAN_OUT_SLICE);
    expect(rows.at(-1)).toBe(ENDPOINTS);
  });

  it('a large event and its deliveries become visible at once', async () => {
    const opened = open();
    const partialStates: unknown[] = [];
    const created = opened.create();
    await betweenSlices(created, async () => {
      const written = countRows(opened.store);
      const view = await readRows(opened);
      if (written > 0 && opened.store.lastVisibleSeq < opened.store.lastSeq) partialStates.push(view);
    });
    await created;
    expect(partialStates.length).toBeGreaterThan(0);
    expect(partialStates).toEqual(partialStates.map(() => nothing));
    expect(await readRows(opened)).toEqual(everything);
  });

  it('a large event has the same rows as one that is written at once', async () => {
    const [sliced, whole] = [open(), open()];
    await sliced.create();
    await whole.store.write(() => createEvent(whole.sandbox, whole.event));
    const rowsOf = async ({ store }: Opened) =>
      (await store.deliveryQueries.list(ANY_DELIVERY, { limit: ENDPOINTS, beforeSeq: null })).rows;
    expect(await rowsOf(sliced)).toEqual(await rowsOf(whole));
  });

  it('a kill between two slices leaves no rows', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = open(path);
    const created = first.create();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(countRows(first.store)).toBeGreaterThan(0);
    first.store.close();
    await expect(created).rejects.toMatchObject({ code: 'storage_unavailable' });
    const again = open(path);
    expect(await readRows(again)).toEqual(nothing);
    await again.create();
    expect(await readRows(again)).toEqual(everything);
  });

  it('a reset meanwhile makes the creation fail with a conflict and leaves no rows', async () => {
    const opened = open();
    opened.store.setBaseline();
    const created = opened.create();
    await new Promise((resolve) => setImmediate(resolve));
    opened.store.restoreBaseline(() => {});
    await expect(created).rejects.toMatchObject({ code: 'conflict' });
    expect(await readRows(opened)).toEqual(nothing);
  });

  it('a snapshot that is saved meanwhile does not contain the event', async () => {
    const opened = open();
    const { store } = opened;
    const path = join(createTemporaryFolder(), 'state.svc');
    store.settings.set('environment', 'sandbox');
    const saving = opened.fanOut.create(opened.event, async () => {
      await store.saveSnapshot(
        path,
        () => opened.sandbox.wall.now(),
        () => {},
      );
      throw new Error('never written');
    });
    await expect(saving).rejects.toThrow('never written');
    const loaded = open();
    await loaded.store.loadSnapshot(path, 'sandbox', () => {});
    expect(await readRows(loaded)).toEqual(nothing);
    expect(loaded.store.webhooks.listEnabledSeqs(null)).toHaveLength(ENDPOINTS);
  });

  it('a rejected event leaves no deliveries', async () => {
    const opened = open();
    const refused = opened.fanOut.create(opened.event, async () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
    expect(await readRows(opened)).toEqual(nothing);
    expect(opened.store.lastVisibleSeq).toBe(opened.store.lastSeq);
  });

  it('an endpoint that is deleted meanwhile has no pending delivery', async () => {
    const opened = open();
    const { store, sandbox, workspace } = opened;
    const ids = store.webhooks.listSubscribed(workspace.seq, 'order.shipped').map(({ id }) => id);
    const created = opened.create();
    await new Promise((resolve) => setImmediate(resolve));
    for (const id of [ids[0], ids.at(-1)]) store.writeNow(() => deleteWebhook(sandbox, id ?? ''));
    await created;
    const { rows } = await store.deliveryQueries.list(ANY_DELIVERY, { limit: ENDPOINTS, beforeSeq: null });
    expect(rows).toHaveLength(ENDPOINTS - 1);
    expect(rows.filter(({ status }) => status !== 'pending')).toMatchObject([
      { status: 'canceled', webhook_id: ids[0] },
    ]);
  });

  it('two large events are created one after the other, with all their deliveries', async () => {
    const opened = open();
    await Promise.all([opened.create(), opened.create()]);
    const { events, pending } = await readRows(opened);
    expect({ events, pending }).toEqual({ events: 2, pending: 2 * ENDPOINTS });
  });
});
