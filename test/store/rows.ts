/** Opens stores for tests and inserts rows. */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { UlidGenerator } from '../../src/domain/ids.ts';
import { eventSettings } from '../../src/resources/event.ts';
import type { ApiKeyRow } from '../../src/store/api-keys.ts';
import type { ApiRequestMessages } from '../../src/store/api-requests.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';
import { toNewColumns } from '../../src/store/columns.ts';
import type { NewDelivery } from '../../src/store/deliveries.ts';
import type { Row } from '../../src/store/schema.ts';
import { Store } from '../../src/store/store.ts';
import { newWebhookColumns, type WebhookRow } from '../../src/store/webhooks.ts';

export const NOW = Date.UTC(2026, 10, 20);
const ids = new UlidGenerator();

/** Opens a store that is closed at the end of the test. */
export function openStore(path = ':memory:'): Store {
  const store = new Store({ path });
  onTestFinished(() => store.close());
  return store;
}

export function insertWorkspace(store: Store, name = 'Test'): number {
  const seq = store.nextSeq();
  store.workspaces.insert({
    seq,
    id: ids.next('workspace', NOW),
    name,
    created_at: NOW,
    clock_at: NOW,
    clock_wall_at: NOW,
    clock_speed: 1,
    clock_frozen: 0,
  });
  return seq;
}

export function insertWebhook(store: Store, workspaceSeq: number, row: Partial<WebhookRow> = {}): number {
  const seq = store.nextSeq();
  store.webhooks.insert({
    ...newWebhookColumns,
    seq,
    id: ids.next('webhook', NOW),
    workspace_seq: workspaceSeq,
    url: 'http://127.0.0.1:9/',
    events: '["order.shipped"]',
    secret: 'whsec_a',
    created_at: NOW,
    ...row,
  });
  return seq;
}

export function insertEvent(store: Store, workspaceSeq: number, row: Partial<Row<'events'>> = {}): number {
  const seq = store.nextSeq();
  const id = ids.next('event', NOW);
  const type = row.type ?? 'order.shipped';
  const others = { created_at: NOW, stored_at_wall: NOW, ...toNewColumns(eventSettings, {}) };
  store.events.insert({ seq, id, workspace_seq: workspaceSeq, type, ...others, payload: '{}', ...row });
  return seq;
}

export function insertDelivery(
  store: Store,
  { event, webhook, workspace }: { event: number; webhook: number; workspace: number },
  row: Partial<NewDelivery> = {},
): number {
  const seq = store.nextSeq();
  store.deliveries.insert({
    seq,
    id: ids.next('delivery', NOW),
    event_seq: event,
    webhook_seq: webhook,
    workspace_seq: workspace,
    created_at: NOW,
    due_at: NOW,
    ...row,
  });
  return seq;
}

/** Inserts a workspace with an endpoint, an event and one delivery for each due time. */
export function insertDeliveries(store: Store, dueTimes: readonly number[]) {
  return store.writeNow(() => {
    const workspace = insertWorkspace(store);
    const webhook = insertWebhook(store, workspace);
    const event = insertEvent(store, workspace);
    const place = { event, webhook, workspace };
    const deliveries = dueTimes.map((due_at) => insertDelivery(store, place, { due_at }));
    return { ...place, deliveries };
  });
}

export function insertAttempt(
  store: Store,
  deliverySeq: number,
  number: number,
  sentAt = NOW,
  row: Partial<AttemptRow> = {},
): number {
  const seq = store.nextSeq();
  store.attempts.insert({
    seq,
    delivery_seq: deliverySeq,
    webhook_seq: store.deliveries.getProgress(deliverySeq).webhook_seq,
    number,
    trigger: 'schedule',
    scheduled_at: NOW,
    sent_at_wall: sentAt,
    duration_ms: 1.5,
    outcome: 'http_error',
    response_status: 500,
    error: 'The receiver returned 500.',
    request_url: 'http://127.0.0.1:9/',
    request_headers: '{}',
    response_headers: '{}',
    response_body: null,
    response_truncated: 0,
    fault: null,
    phases: null,
    ...row,
  });
  return seq;
}

export function insertRequest(
  store: Store,
  at = NOW,
  apiKeySeq: number | null = null,
  changes: { id?: string; method?: string; resource_id?: string | null } = {},
): number {
  const seq = store.nextSeq();
  const row = {
    seq,
    id: ids.next('request', at),
    at_wall: at,
    method: 'GET',
    path: '/v1/events',
    status: 200,
    error_code: null,
    error_message: null,
    duration_ms: 1,
    api_key_seq: apiKeySeq,
    workspace_seq: null,
    resource_id: null,
    user_agent: null,
    fault: null,
    ...ANY_MESSAGES,
    ...changes,
  };
  store.apiRequests.insert(row);
  return seq;
}

export const ANY_KEY: Omit<ApiKeyRow, 'seq' | 'id' | 'hash'> = {
  workspace_seq: null,
  last4: 'abcd',
  name: 'Test',
  scopes: '["events:read"]',
  created_at: NOW,
  revoked_at: null,
};

export function insertApiKey(store: Store): number {
  const seq = store.nextSeq();
  store.apiKeys.insert({ ...ANY_KEY, seq, id: ids.next('apiKey', NOW), hash: randomBytes(32) });
  return seq;
}

const ANY_MESSAGES: ApiRequestMessages = {
  request_headers: '{}',
  request_body: null,
  request_size: null,
  request_truncated: 0,
  response_headers: '{}',
  response_body: '{}',
  response_size: 2,
  response_truncated: 0,
};
