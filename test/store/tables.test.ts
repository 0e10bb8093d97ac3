/** Compares each query of workspaces, API keys, faults, idempotency keys and settings with a filter over the rows that were written. */
import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../../src/domain/secret.ts';
import { type ApiKeyRow, toApiKey } from '../../src/store/api-keys.ts';
import { type FaultRow, toFault } from '../../src/store/faults.ts';
import { toWebhook, toWebhookDetail } from '../../src/store/webhooks.ts';
import { toClockState, toWorkspace } from '../../src/store/workspaces.ts';
import {
  ANY_KEY,
  insertDeliveries,
  insertEvent,
  insertWebhook,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

const seqOf = ({ seq }: { readonly seq: number }) => seq;
const FIRST_PAGE = { limit: 100, beforeSeq: null };

function openWorkspaces() {
  const store = openStore();
  const workspaces = store.writeNow(() =>
    ['First', 'Second', 'Third'].map((name) => insertWorkspace(store, name)),
  );
  return { store, workspaces };
}

describe('WorkspaceTable', () => {
  it('workspaces are found, and listed newest first', () => {
    const { store, workspaces } = openWorkspaces();
    const rows = workspaces.map((seq) => store.workspaces.findBySeq(seq));
    expect(rows.map((row) => row?.name)).toEqual(['First', 'Second', 'Third']);
    expect(rows.map((row) => store.workspaces.find(row?.id ?? ''))).toEqual(rows);
    expect(store.workspaces.findOldest()).toEqual(rows[0]);
    expect(store.workspaces.listAll()).toEqual(rows);
    expect(store.workspaces.list({ limit: 2, beforeSeq: null })).toEqual({
      rows: [rows[2], rows[1]],
      hasMore: true,
    });
    expect(store.workspaces.list({ limit: 2, beforeSeq: workspaces[1] ?? 0 })).toEqual({
      rows: [rows[0]],
      hasMore: false,
    });
  });

  it('setClock changes the clock of one workspace', () => {
    const { store, workspaces } = openWorkspaces();
    const [first, second, third] = workspaces.map((seq) => store.workspaces.findBySeq(seq));
    const state = { at: NOW + 1, wallAt: NOW + 2, speed: 3, frozen: true };
    store.writeNow(() => store.workspaces.setClock(second?.seq ?? 0, state));
    const [, changed] = store.workspaces.listAll();
    expect(store.workspaces.listAll()).toEqual([first, changed, third]);
    expect(changed && toClockState(changed)).toEqual(state);
    store.writeNow(() => store.workspaces.setClock(second?.seq ?? 0, { ...state, frozen: false }));
    expect(store.workspaces.findBySeq(second?.seq ?? 0)?.clock_frozen).toBe(0);
    expect(first && toClockState(first)).toEqual({ at: NOW, wallAt: NOW, speed: 1, frozen: false });
    expect(first && toWorkspace(first, 'sandbox')).toEqual({
      ...{ id: first?.id, name: 'First', environment: 'sandbox', created_at: new Date(NOW).toISOString() },
    });
  });

  it('the newest IDs are those of one workspace', () => {
    const store = openStore();
    const [first, second] = [insertDeliveries(store, [NOW, NOW]), insertDeliveries(store, [NOW])];
    store.writeNow(() => insertEvent(store, first.workspace, { id: 'evt_newest' }));
    store.writeNow(() => insertWebhook(store, first.workspace, { id: 'wh_newest' }));
    const delivery = store.deliveryQueries.findBySeq(first.deliveries[1] ?? 0)?.id;
    expect(store.workspaces.listNewestIds(first.workspace)).toEqual(['evt_newest', delivery, 'wh_newest']);
    const other = store.workspaces.listNewestIds(second.workspace);
    expect(other).toEqual([
      store.deliveryQueries.findBySeq(second.deliveries[0] ?? 0)?.event_id,
      store.deliveryQueries.findBySeq(second.deliveries[0] ?? 0)?.id,
      store.webhooks.findBySeq(second.webhook)?.id,
    ]);
    expect(store.workspaces.listNewestIds(0)).toEqual([]);
  });

  it('the newest IDs of all workspaces and API keys are found', () => {
    const { store, workspaces } = openWorkspaces();
    const newest = store.workspaces.findBySeq(workspaces[2] ?? 0)?.id;
    expect(store.workspaces.listNewestResourceIds()).toEqual([newest]);
    store.writeNow(() => {
      for (const id of ['key_1', 'key_2'])
        store.apiKeys.insert({ ...ANY_KEY, id, seq: store.nextSeq(), hash: hashApiKey(id) });
    });
    expect(store.workspaces.listNewestResourceIds()).toEqual([newest, 'key_2']);
  });
});

describe('ApiKeyTable', () => {
  /** Two keys of each workspace and two for all. The text of each is its ID. */
  function openKeys() {
    const { store, workspaces } = openWorkspaces();
    const rows: ApiKeyRow[] = [];
    store.writeNow(() => {
      for (const workspace_seq of [...workspaces, null, ...workspaces, null]) {
        const id = `key_${rows.length}`;
        rows.push({ ...ANY_KEY, seq: store.nextSeq(), id, workspace_seq, hash: hashApiKey(id) });
      }
      for (const row of rows) store.apiKeys.insert(row);
    });
    return { store, workspaces, rows };
  }

  it('a key is found by its text and its ID', () => {
    const { store, rows } = openKeys();
    for (const row of rows) {
      const workspace = store.workspaces.findBySeq(row.workspace_seq ?? 0)?.id ?? null;
      const expected = { ...row, workspace_id: workspace };
      expect(store.apiKeys.findByKey(row.id)).toEqual(expected);
      expect(store.apiKeys.findByKey(row.id)).toBe(store.apiKeys.findByKey(row.id));
      expect(store.apiKeys.find(row.id)).toEqual(expected);
      expect(toApiKey(expected)).toEqual({
        ...{ id: row.id, name: 'Test', scopes: ['events:read'], workspace_id: workspace, last4: 'abcd' },
        ...{ created_at: new Date(NOW).toISOString(), revoked_at: null },
      });
    }
    expect(store.apiKeys.findByKey('key_none')).toBeUndefined();
  });

  it('keys are listed newest first, of one workspace or of all', () => {
    const { store, workspaces, rows } = openKeys();
    const listed = (
      workspace: number | null,
      page = FIRST_PAGE as Parameters<typeof store.apiKeys.list>[1],
    ) => store.apiKeys.list(workspace, page).rows.map(seqOf);
    expect(listed(null)).toEqual(rows.toReversed().map(seqOf));
    expect(listed(null, { limit: 2, beforeSeq: rows[4]?.seq ?? 0 })).toEqual([rows[3]?.seq, rows[2]?.seq]);
    expect(listed(workspaces[1] ?? 0)).toEqual([rows[5]?.seq, rows[1]?.seq]);
  });

  it('revoke revokes one key at once, and keeps the time of the first revocation', () => {
    const { store, rows } = openKeys();
    for (const { id } of rows) store.apiKeys.findByKey(id);
    const revoke = (at: number) => store.writeNow(() => store.apiKeys.revoke(rows[1]?.seq ?? 0, at));
    revoke(NOW + 1);
    revoke(NOW + 2);
    const expected = rows.map((_, index) => (index === 1 ? NOW + 1 : null));
    expect(rows.map(({ id }) => store.apiKeys.findByKey(id)?.revoked_at)).toEqual(expected);
    expect(rows.map(({ id }) => store.apiKeys.find(id)?.revoked_at)).toEqual(expected);
    const row = store.apiKeys.find('key_1');
    expect(row && toApiKey(row).revoked_at).toBe(new Date(NOW + 1).toISOString());
  });

  it('a key that was read while it was not yet committed is unknown after a rollback', async () => {
    const { store } = openKeys();
    const write = store.write(() => {
      store.apiKeys.insert({ ...ANY_KEY, seq: store.nextSeq(), id: 'key_new', hash: hashApiKey('key_new') });
      expect(store.apiKeys.findByKey('key_new')?.id).toBe('key_new');
      throw new Error('rolled back');
    });
    await expect(write).rejects.toThrow('rolled back');
    expect(store.apiKeys.findByKey('key_new')).toBeUndefined();
  });
});

describe('FaultTable', () => {
  function openFaults() {
    const store = openStore();
    const rows: FaultRow[] = ['ws_1', 'ws_2', null, 'ws_1'].map((workspace_id, index) => ({
      ...{ seq: store.nextSeq(), id: `flt_${index}`, rule: JSON.stringify({ on: 'request', workspace_id }) },
      ...{ applied_count: index, created_at: NOW },
    }));
    store.writeNow(() => {
      for (const row of rows) store.faults.insert(row);
    });
    return { store, rows };
  }

  it('faults are found by their ID and listed, of one workspace or of all', () => {
    const { store, rows } = openFaults();
    const [first, second, third, fourth] = rows;
    expect(rows.map(({ id }) => store.faults.find(id))).toEqual(rows);
    expect(store.faults.listAll()).toEqual(rows);
    expect(store.faults.list(null, FIRST_PAGE).rows).toEqual([fourth, third, second, first]);
    expect(store.faults.list('ws_1', FIRST_PAGE).rows).toEqual([fourth, first]);
    expect(store.faults.list(null, { limit: 1, beforeSeq: third?.seq ?? 0 })).toEqual({
      rows: [second],
      hasMore: true,
    });
    expect(first && toFault(first)).toEqual({
      ...{
        id: 'flt_0',
        on: 'request',
        workspace_id: 'ws_1',
        applied_count: 0,
        created_at: new Date(NOW).toISOString(),
      },
    });
  });

  it('setAppliedCount changes one fault', () => {
    const { store, rows } = openFaults();
    store.writeNow(() => store.faults.setAppliedCount(rows[1]?.seq ?? 0, 7));
    expect(store.faults.listAll().map(({ applied_count }) => applied_count)).toEqual([0, 7, 2, 3]);
  });

  it.each([
    [null, null, []],
    ['flt_1', null, ['flt_0', 'flt_2', 'flt_3']],
    [null, 'ws_1', ['flt_1', 'flt_2']],
    ['flt_1', 'ws_1', ['flt_0', 'flt_1', 'flt_2', 'flt_3']],
    ['flt_0', 'ws_1', ['flt_1', 'flt_2', 'flt_3']],
  ])('delete with the ID %s and the workspace %s keeps the other faults', (id, workspaceId, kept) => {
    const { store, rows } = openFaults();
    expect(store.writeNow(() => store.faults.delete(id, workspaceId))).toBe(rows.length - kept.length);
    expect(store.faults.listAll().map((row) => row.id)).toEqual(kept);
  });
});

describe('IdempotencyTable', () => {
  it('a key is found by its scope, and replaced when it is saved again', () => {
    const { store, workspaces } = openWorkspaces();
    const [first, second] = ['a', 'b'].map((scope, index) => ({
      ...{ scope_hash: Buffer.from(scope), seq: index, workspace_seq: workspaces[0] ?? 0 },
      ...{ body_hash: Buffer.from('body'), status: 201, body: `{"n":${index}}`, expires_at: NOW },
    }));
    store.writeNow(() => {
      for (const row of [first, second]) if (row) store.idempotency.save(row);
    });
    expect(store.idempotency.find(Buffer.from('b'))).toEqual(second);
    const replaced = { ...first, body: '{"replaced":true}', expires_at: NOW + 1 } as NonNullable<
      typeof first
    >;
    store.writeNow(() => store.idempotency.save(replaced));
    expect(store.idempotency.find(Buffer.from('a'))).toEqual(replaced);
    expect(store.idempotency.find(Buffer.from('b'))).toEqual(second);
    expect(store.idempotency.find(Buffer.from('c'))).toBeUndefined();
  });

  it('deleteExpired deletes only the keys of one workspace that have expired at the given time', () => {
    const { store, workspaces } = openWorkspaces();
    const scopes = workspaces.flatMap((workspace_seq) =>
      [NOW, NOW + 1].map((expires_at) => ({
        workspace_seq,
        expires_at,
        scope_hash: Buffer.from(`${workspace_seq} ${expires_at}`),
      })),
    );
    store.writeNow(() => {
      for (const scope of scopes)
        store.idempotency.save({ ...scope, seq: 1, body_hash: Buffer.from(''), status: 201, body: '{}' });
    });
    const [, workspace = 0] = workspaces;
    store.writeNow(() => store.idempotency.deleteExpired(workspace, NOW));
    const left = scopes.filter(({ scope_hash }) => store.idempotency.find(scope_hash));
    expect(left).toEqual(scopes.filter((row) => row.workspace_seq !== workspace || row.expires_at > NOW));
  });
});

it('a setting is replaced, and others are kept', () => {
  const { settings } = openStore();
  settings.set('a', '1');
  settings.set('b', '2');
  settings.set('a', '3');
  expect([settings.find('a'), settings.find('b'), settings.find('c')]).toEqual(['3', '2', undefined]);
});

it.each([
  [0, null],
  [1, NOW + 5],
] as const)('flags of %d and the end of the previous secret are shown', (flag, expiresAt) => {
  const { store, workspaces } = openWorkspaces();
  const [workspace = 0] = workspaces;
  const flags = { disabled: flag, skip_verify: flag, listener: flag };
  store.writeNow(() =>
    insertWebhook(store, workspace, {
      ...flags,
      id: 'wh_1',
      headers: '{"x":"y"}',
      previous_secret_expires_at: expiresAt,
    }),
  );
  const row = store.webhooks.find('wh_1');
  const base = {
    ...{ id: 'wh_1', workspace_id: store.workspaces.findBySeq(workspace)?.id, url: 'http://127.0.0.1:9/' },
    ...{ events: ['order.shipped'], created_at: new Date(NOW).toISOString() },
  };
  expect(row && toWebhook(row)).toEqual(base);
  const isSet = flag === 1;
  expect(row && toWebhookDetail(row)).toEqual({
    ...{ ...base, disabled: isSet, headers: { x: 'y' }, skip_verify: isSet, listener: isSet },
    previous_secret_expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  });
});
