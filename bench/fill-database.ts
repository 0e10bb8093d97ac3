/** Fills a database through the store, which is faster than a million API requests. */

import { UlidGenerator } from '../src/domain/ids.ts';
import { eventSettings } from '../src/resources/event.ts';
import { toNewColumns } from '../src/store/columns.ts';
import { Store } from '../src/store/store.ts';
import { newWebhookColumns } from '../src/store/webhooks.ts';

export interface FillOptions {
  readonly db: string;
  readonly events: number;
  /** One endpoint with one pending delivery for each event, due at `nextDueAt`; default: no deliveries. */
  readonly deliveries?: { readonly url: string; readonly dueAt: number };
  /** Additional endpoints that subscribe to every event. */
  readonly endpoints?: { readonly count: number; readonly url: string };
  /** Schedule time of all rows; in the past, so that later ids sort after them. */
  readonly at: number;
}

const BATCH = 10_000;
const PAYLOAD =
  '{"order_id":"ord_84720","carrier":"DHL","items":[{"sku":"A-1","quantity":2}],"total":129.95}';

/** @returns the id of the event in the middle, as a cursor deep in the list. */
export function fillDatabase({ db, events, deliveries, endpoints, at }: FillOptions): string {
  const store = new Store({ path: db });
  const ids = new UlidGenerator();
  const workspace = store.writeNow(() => createWorkspace(store, ids, at));
  const webhook =
    deliveries && store.writeNow(() => createWebhook(store, ids, workspace.seq, deliveries.url, at));
  if (endpoints !== undefined) {
    store.writeNow(() => {
      for (let number = 0; number < endpoints.count; number++) {
        createWebhook(store, ids, workspace.seq, `${endpoints.url}/${number}`, at);
      }
    });
  }
  let cursor = '';
  const create = (number: number) => {
    const seq = store.nextSeq();
    const id = ids.next('event', at);
    store.events.insert({
      seq,
      id,
      workspace_seq: workspace.seq,
      type: 'bench.type0',
      created_at: at,
      stored_at_wall: at,
      payload: PAYLOAD,
      ...toNewColumns(eventSettings, {}),
    });
    if (number < events / 2) cursor = id;
    if (webhook === undefined || deliveries === undefined) return;
    store.deliveries.insert({
      seq: store.nextSeq(),
      id: ids.next('delivery', at),
      event_seq: seq,
      webhook_seq: webhook,
      workspace_seq: workspace.seq,
      created_at: at,
      due_at: deliveries.dueAt,
    });
  };
  for (let done = 0; done < events; done += BATCH) {
    store.writeNow(() => {
      for (let number = done; number < Math.min(events, done + BATCH); number++) create(number);
    });
  }
  store.close();
  return cursor;
}

function createWorkspace(store: Store, ids: UlidGenerator, at: number) {
  const seq = store.nextSeq();
  const id = ids.next('workspace', at);
  store.workspaces.insert({
    seq,
    id,
    name: 'Bench',
    created_at: at,
    clock_at: at,
    clock_wall_at: at,
    clock_speed: 1,
    clock_frozen: 1,
  });
  return { seq, id };
}

function createWebhook(store: Store, ids: UlidGenerator, workspace: number, url: string, at: number): number {
  const seq = store.nextSeq();
  store.webhooks.insert({
    ...newWebhookColumns,
    seq,
    id: ids.next('webhook', at),
    workspace_seq: workspace,
    url,
    secret: 'whsec_bench',
    created_at: at,
  });
  return seq;
}
