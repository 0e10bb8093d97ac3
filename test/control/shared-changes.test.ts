import { getEventListeners, setMaxListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { StreamTopic } from '../../src/contract/stream-schemas.ts';
import { SharedChanges, type StreamSelection, WAKE_SLICE } from '../../src/control/shared-changes.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { NOW, runEventLoop, startDispatcher } from '../delivery/dispatcher-setup.ts';

const everything: StreamSelection = { filter: {}, untilWall: null, listenerIds: [], historyStart: null };

async function startChanges() {
  const dispatch = startDispatcher();
  const { sandbox, store, endpoint, trigger, attempt, workspace } = dispatch;
  const webhook = endpoint();
  const [deliveryId = ''] = await trigger();
  await (await attempt(1)).respond();
  const shared = new SharedChanges(sandbox);
  const list = (...types: StreamTopic[]) => shared.listAfter(0, new Set(types));
  /** Whether the newest change of each topic is selected. */
  const isSelected = (topic: StreamTopic, selection: Partial<StreamSelection>) => {
    const seq = store.lastSeq;
    const rowSeq = store.webhooks.findSeq(webhook.id) ?? 0;
    const change = topic === 'webhook' ? { type: topic, seq, rowSeq } : list(topic).at(-1);
    if (change === undefined) throw new Error(`no change of ${topic}`);
    return shared.find(change, { ...everything, ...selection }) !== null;
  };
  return { ...dispatch, store, shared, list, isSelected, webhook, deliveryId, workspaceId: workspace.id };
}

describe('the changes that clients of the stream share', () => {
  it('every client receives the same object, until a commit', async () => {
    const { shared, list, store, webhook, deliveryId } = await startChanges();
    const [change] = list('attempt');
    if (change === undefined) throw new Error('no attempt');
    const item = shared.find(change, everything);
    expect(item).toMatchObject({
      ...{ type: 'attempt', sequence: change.seq, attempt: { number: 1, outcome: 'succeeded' } },
      delivery: { id: deliveryId, webhook_id: webhook.id, status: 'succeeded' },
    });
    expect(shared.find(change, everything)).toBe(item);
    expect(list('attempt')).toBe(list('attempt'));
    await store.write(() => store.workspaces.setClock(1, { at: NOW, wallAt: NOW, speed: 1, frozen: true }));
    expect(shared.find(change, everything)).not.toBe(item);
    expect(shared.find(change, everything)).toEqual(item);
  });

  it('a change whose row was removed is sent to nobody', async () => {
    const { shared } = await startChanges();
    for (const type of ['delivery', 'attempt', 'request', 'webhook'] as const)
      expect(shared.find({ type, seq: 9_999, rowSeq: 9_999 }, everything)).toBeNull();
  });

  it.each<
    [
      string,
      (ids: { webhook: string; workspace: string }) => Partial<StreamSelection>,
      Record<string, boolean>,
    ]
  >([
    ['without a filter', () => ({}), { delivery: true, attempt: true, webhook: true }],
    [
      'with the workspace and the endpoint',
      ({ webhook, workspace }) => ({ filter: { webhook_id: webhook, workspace_id: workspace } }),
      { delivery: true, attempt: true, webhook: true },
    ],
    [
      'with another workspace',
      ({ webhook }) => ({ filter: { webhook_id: webhook, workspace_id: 'ws_other' } }),
      { delivery: false, attempt: false, webhook: false },
    ],
    [
      'with another endpoint',
      ({ workspace }) => ({ filter: { webhook_id: 'wh_other', workspace_id: workspace } }),
      { delivery: false, attempt: false, webhook: false },
    ],
    [
      'of a listener of the endpoint',
      ({ webhook }) => ({ listenerIds: ['wh_other', webhook] }),
      { delivery: true, attempt: true, webhook: true },
    ],
    [
      'of a listener of another endpoint',
      () => ({ listenerIds: ['wh_other'] }),
      { delivery: false, attempt: false, webhook: false },
    ],
    [
      'with a type that no event has',
      () => ({ filter: { type: 'invoice.paid' } }),
      { delivery: false, attempt: false, webhook: true },
    ],
    [
      'with a history that starts at the time of the changes',
      () => ({ historyStart: { newest: 9_999, wall: NOW, schedule: NOW } }),
      { delivery: true, attempt: true, webhook: false },
    ],
    [
      'with a history that starts after the changes by the wall clock',
      () => ({ historyStart: { newest: 9_999, wall: NOW + 1, schedule: NOW } }),
      { delivery: true, attempt: true, webhook: false },
    ],
    [
      'with a history that starts after the changes by the schedule clock',
      () => ({ historyStart: { newest: 9_999, wall: NOW, schedule: NOW + 1 } }),
      { delivery: false, attempt: false, webhook: false },
    ],
    [
      'whose history ended before the changes',
      () => ({ historyStart: { newest: 0, wall: NOW + 1, schedule: NOW + 1 } }),
      { delivery: true, attempt: true, webhook: true },
    ],
  ])('a stream %s receives the changes that it selects', async (_, select, expected) => {
    const { isSelected, webhook, workspaceId } = await startChanges();
    const selection = select({ webhook: webhook.id, workspace: workspaceId });
    const topics = ['delivery', 'attempt', 'webhook'] as const;
    expect(Object.fromEntries(topics.map((topic) => [topic, isSelected(topic, selection)]))).toEqual(
      expected,
    );
  });

  it.each<[string, number, boolean]>([
    ['at the time of its creation', NOW, true],
    ['after its creation', NOW + 1, false],
  ])('a pending delivery is part of a history that starts %s: %s', async (_, schedule, isSent) => {
    const { shared, list, trigger } = await startChanges();
    await trigger();
    const change = list('delivery').at(-1);
    if (change === undefined) throw new Error('no delivery');
    const historyStart = { newest: 9_999, wall: NOW, schedule };
    const item = shared.find(change, { ...everything, historyStart });
    const pending = expect.objectContaining({ delivery: expect.objectContaining({ status: 'pending' }) });
    expect(item).toEqual(isSent ? pending : null);
  });

  it('waitForCommit resolves after a commit, fifty clients in a turn of the event loop', async () => {
    const { shared, store } = await startChanges();
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    let resumed = 0;
    for (let client = 0; client < 2 * WAKE_SLICE + 1; client++)
      void shared.waitForCommit(signal).then(() => resumed++);
    await runEventLoop();
    expect(resumed).toBe(0);
    const counts: number[] = [];
    await store.write(() => store.workspaces.setClock(1, { at: NOW, wallAt: NOW, speed: 1, frozen: true }));
    for (let turn = 0; turn < 3; turn++) {
      counts.push(resumed);
      await runEventLoop(1);
    }
    expect(counts).toEqual([WAKE_SLICE, 2 * WAKE_SLICE, 2 * WAKE_SLICE + 1]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('waitForCommit resolves when its signal is aborted, even before the call, and then leaves no listener', async () => {
    const { shared } = await startChanges();
    const caller = new AbortController();
    const waited = shared.waitForCommit(caller.signal);
    caller.abort();
    await waited;
    await shared.waitForCommit(caller.signal);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it.each<[string, Partial<StreamSelection>, boolean]>([
    ['of its workspace', { filter: { workspace_id: 'ws_1' } }, true],
    ['of another workspace', { filter: { workspace_id: 'ws_2' } }, false],
    ['that ends at its time', { untilWall: NOW }, false],
    ['that ends after it', { untilWall: NOW + 1 }, true],
    [
      'of another workspace that ends after it',
      { untilWall: NOW + 1, filter: { workspace_id: 'ws_2' } },
      false,
    ],
    ['whose history starts at its time', { historyStart: { newest: 9, wall: NOW, schedule: 0 } }, true],
    ['whose history starts after it', { historyStart: { newest: 5, wall: NOW + 1, schedule: 0 } }, false],
    ['whose history ended before it', { historyStart: { newest: 4, wall: NOW + 1, schedule: 0 } }, true],
  ])('a request is sent to a stream %s: %o → %s', (_, selection, isSent) => {
    const { shared } = startRequests();
    const item = shared.find({ type: 'request', seq: 5, rowSeq: 5 }, { ...everything, ...selection });
    expect(item).toEqual(isSent ? expect.objectContaining({ type: 'request', sequence: 5 }) : null);
  });

  it('a thousand changes are kept for the next client, and all are read again after a commit', () => {
    const { shared, read, commit } = startRequests();
    const find = (seq: number) => void shared.find({ type: 'request', seq, rowSeq: seq }, everything);
    for (let seq = 1; seq <= 1_000; seq++) find(seq);
    find(1);
    expect(read).toHaveBeenCalledTimes(1_000);
    find(1_001);
    find(1);
    expect(read).toHaveBeenCalledTimes(1_002);
    commit();
    find(1);
    expect(read).toHaveBeenCalledTimes(1_003);
  });

  it('the changes are listed again after a commit', () => {
    const { shared, commit } = startRequests();
    const list = () => shared.listAfter(3, new Set<StreamTopic>(['request']));
    expect([list(), list()]).toEqual([['batch 1'], ['batch 1']]);
    commit();
    expect(list()).toEqual(['batch 2']);
  });
});

/** The changes of a store with a request of the workspace `ws_1` at {@link NOW} at each sequence. */
function startRequests() {
  let commit = () => {};
  let batches = 0;
  const read = vi.fn(() => ({ at_wall: NOW, workspace_id: 'ws_1', fault: null }));
  const store = {
    apiRequests: { findBySeq: read },
    changeFeed: { listAfter: () => [`batch ${++batches}`] },
    subscribe(follower: () => void) {
      commit = follower;
    },
  };
  const shared = new SharedChanges({ store } as unknown as Sandbox);
  return { shared, read, commit: () => commit() };
}
