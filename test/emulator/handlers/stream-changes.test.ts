import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import {
  findItem,
  type StreamSelection,
  waitForCommit,
} from '../../../src/emulator/handlers/stream-changes.ts';
import type { Sandbox } from '../../../src/emulator/service/sandbox.ts';
import type { StreamTopic } from '../../../src/operations/stream-schemas.ts';
import type { RequestCondition } from '../../../src/resources/request.ts';
import type { Change } from '../../../src/store/change-feed.ts';
import { NOW, runEventLoop, startDispatcher } from '../deliveries/dispatcher-setup.ts';

const everything: StreamSelection = { deliveries: {}, requests: {}, listenerIds: [], historyStart: null };

async function startChanges() {
  const dispatch = startDispatcher();
  const { sandbox, store, endpoint, trigger, attempt, workspace } = dispatch;
  const webhook = endpoint();
  const [deliveryId = ''] = await trigger();
  await (await attempt(1)).respond();
  const list = (...types: StreamTopic[]) => store.changeFeed.listAfter(0, new Set(types), 200);
  const find = (change: Change, selection: StreamSelection) => findItem(sandbox, change, selection);
  /** Whether the newest change of each topic is selected. */
  const isSelected = (topic: StreamTopic, selection: Partial<StreamSelection>) => {
    const change = list(topic).at(-1);
    if (change === undefined) throw new Error(`no change of ${topic}`);
    return find(change, { ...everything, ...selection }) !== null;
  };
  return { ...dispatch, store, find, list, isSelected, webhook, deliveryId, workspaceId: workspace.id };
}

describe('the changes that clients of the stream receive', () => {
  it('the item of an attempt contains its delivery', async () => {
    const { find, list, webhook, deliveryId } = await startChanges();
    const [change] = list('attempt');
    if (change === undefined) throw new Error('no attempt');
    expect(find(change, everything)).toMatchObject({
      ...{ type: 'attempt', sequence: change.seq, attempt: { number: 1, outcome: 'succeeded' } },
      delivery: { id: deliveryId, webhook_id: webhook.id, status: 'succeeded' },
    });
  });

  it('a change whose row was removed is sent to nobody', async () => {
    const { find } = await startChanges();
    for (const type of ['delivery', 'attempt', 'request'] as const)
      expect(find({ type, seq: 9_999, rowSeq: 9_999 }, everything)).toBeNull();
  });

  type Select = (ids: { webhook: string; workspace: string }) => Partial<StreamSelection>;
  it.each<[string, Select, boolean]>([
    ['without a filter', () => ({}), true],
    [
      'with the workspace and the endpoint',
      ({ webhook, workspace }) => ({ deliveries: { webhook_id: webhook, workspace_id: workspace } }),
      true,
    ],
    [
      'with another workspace',
      ({ webhook }) => ({ deliveries: { webhook_id: webhook, workspace_id: 'ws_other' } }),
      false,
    ],
    [
      'with another endpoint',
      ({ workspace }) => ({ deliveries: { webhook_id: 'wh_other', workspace_id: workspace } }),
      false,
    ],
    ['of a listener of the endpoint', ({ webhook }) => ({ listenerIds: ['wh_other', webhook] }), true],
    ['of a listener of another endpoint', () => ({ listenerIds: ['wh_other'] }), false],
    ['with a type that no event has', () => ({ deliveries: { type: 'invoice.paid' } }), false],
    [
      'with a history that starts at the time of the changes',
      () => ({ historyStart: { newest: 9_999, wall: NOW, schedule: NOW } }),
      true,
    ],
    [
      'with a history that starts after the changes by the wall clock',
      () => ({ historyStart: { newest: 9_999, wall: NOW + 1, schedule: NOW } }),
      true,
    ],
    [
      'with a history that starts after the changes by the schedule clock',
      () => ({ historyStart: { newest: 9_999, wall: NOW, schedule: NOW + 1 } }),
      false,
    ],
    [
      'whose history ended before the changes',
      () => ({ historyStart: { newest: 0, wall: NOW + 1, schedule: NOW + 1 } }),
      true,
    ],
  ])('a stream %s receives the changes that it selects', async (_, select, expected) => {
    const { isSelected, webhook, workspaceId } = await startChanges();
    const selection = select({ webhook: webhook.id, workspace: workspaceId });
    const selected = (['delivery', 'attempt'] as const).map((topic) => isSelected(topic, selection));
    expect(selected).toEqual([expected, expected]);
  });

  it.each<[string, number, boolean]>([
    ['at the time of its creation', NOW, true],
    ['after its creation', NOW + 1, false],
  ])('a pending delivery is part of a history that starts %s: %s', async (_, schedule, isSent) => {
    const { find, list, trigger } = await startChanges();
    await trigger();
    const change = list('delivery').at(-1);
    if (change === undefined) throw new Error('no delivery');
    const historyStart = { newest: 9_999, wall: NOW, schedule };
    const item = find(change, { ...everything, historyStart });
    const pending = expect.objectContaining({ delivery: expect.objectContaining({ status: 'pending' }) });
    expect(item).toEqual(isSent ? pending : null);
  });

  it('waitForCommit resolves after the next commit', async () => {
    const { store } = await startChanges();
    const { signal } = new AbortController();
    const resumed = vi.fn();
    const waiting = waitForCommit(store, signal).then(resumed);
    await runEventLoop();
    expect(resumed).not.toHaveBeenCalled();
    await store.write(() => store.workspaces.setClock(1, { at: NOW, wallAt: NOW, speed: 1, frozen: true }));
    await waiting;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('waitForCommit resolves when its signal is aborted, even before the call, and then leaves no listener', async () => {
    const { store } = await startChanges();
    const caller = new AbortController();
    const waited = waitForCommit(store, caller.signal);
    caller.abort();
    await waited;
    await waitForCommit(store, caller.signal);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it.each<[string, Partial<StreamSelection>, boolean]>([
    ['whose filter it matches', { requests: { workspace_id: 'ws_1' } }, true],
    ['whose filter it does not match', { requests: { workspace_id: 'ws_2' } }, false],
    ['whose history starts at its time', { historyStart: { newest: 9, wall: NOW, schedule: 0 } }, true],
    ['whose history starts after it', { historyStart: { newest: 5, wall: NOW + 1, schedule: 0 } }, false],
    ['whose history ended before it', { historyStart: { newest: 4, wall: NOW + 1, schedule: 0 } }, true],
  ])('a request is sent to a stream %s: %o → %s', (_, selection, isSent) => {
    const item = findItem(requests, { type: 'request', seq: 5, rowSeq: 5 }, { ...everything, ...selection });
    expect(item).toEqual(isSent ? expect.objectContaining({ type: 'request', sequence: 5 }) : null);
  });
});

/** A store with a request of the workspace `ws_1` at {@link NOW} at each sequence. */
const requests = {
  store: {
    apiRequests: {
      findBySeq: () => ({ at_wall: NOW, workspace_id: 'ws_1', fault: null }),
      matches: (_: number, { workspace_id = 'ws_1' }: RequestCondition) => workspace_id === 'ws_1',
    },
  },
} as unknown as Sandbox;
