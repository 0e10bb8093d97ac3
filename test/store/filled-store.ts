/** A store with rows of every kind in two workspaces, and the same rows as plain objects, to compare the results of queries with. */
import type { DeliveryStatus, SettledReason } from '../../src/domain/delivery.ts';
import { eventSettings } from '../../src/resources/event.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';
import { toNewColumns } from '../../src/store/columns.ts';
import type { Row } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { newWebhookColumns, type WebhookRow } from '../../src/store/webhooks.ts';
import { eventFields } from '../support/event-fields.ts';
import {
  insertAttempt,
  insertDelivery,
  insertEvent,
  insertWebhook,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

/** Every combination of the given values. */
export function combine<Values extends Record<string, readonly unknown[]>>(
  values: Values,
): { [Name in keyof Values]: Values[Name][number] }[] {
  let combinations: Record<string, unknown>[] = [{}];
  for (const [name, choices] of Object.entries(values)) {
    combinations = combinations.flatMap((combination) =>
      choices.map((choice) => ({ ...combination, [name]: choice })),
    );
  }
  return combinations as { [Name in keyof Values]: Values[Name][number] }[];
}

export interface ExpectedDelivery {
  readonly seq: number;
  readonly id: string;
  readonly event_seq: number;
  readonly webhook_seq: number;
  readonly workspace_seq: number;
  readonly own_url: string | null;
  readonly own_body: string | null;
  readonly replay_of_seq: number | null;
  readonly created_at: number;
  readonly status: DeliveryStatus;
  readonly settled_reason: SettledReason | null;
  readonly settled_at: number | null;
  readonly due_at: number | null;
  readonly first_attempt_at: number | null;
  readonly on_schedule: 0 | 1;
  readonly scheduled_attempts: number;
  readonly attempt_count: number;
  readonly replays_waiting: number;
  readonly fault: string | null;
}

const REORDER = '{"kind":"reorder"}';
const DELAY = '{"kind":"delay"}';

/** The states of deliveries. `outcomes` are those of their attempts. */
const deliveryKinds: readonly (Partial<ExpectedDelivery> & { outcomes?: AttemptRow['outcome'][] })[] = [
  {},
  { due_at: NOW + 10, created_at: NOW + 1 },
  { due_at: NOW + 5, first_attempt_at: NOW + 1, scheduled_attempts: 1, outcomes: ['http_error'] },
  { due_at: NOW + 5, first_attempt_at: NOW + 2, scheduled_attempts: 2, outcomes: ['timeout', 'http_error'] },
  { due_at: NOW + 3, first_attempt_at: NOW - 3, replays_waiting: 1, on_schedule: 0, outcomes: ['succeeded'] },
  { due_at: NOW + 4, first_attempt_at: NOW, replays_waiting: 1, outcomes: ['succeeded', 'timeout'] },
  { due_at: NOW + 20, fault: REORDER },
  { due_at: NOW + 20, fault: DELAY, created_at: NOW + 2 },
  {
    status: 'succeeded',
    due_at: null,
    settled_at: NOW + 1,
    created_at: NOW - 5,
    outcomes: ['timeout', 'succeeded'],
  },
  {
    ...{ status: 'failed', due_at: null, settled_at: NOW + 2, settled_reason: 'retry_not_allowed' },
    ...{ on_schedule: 0, outcomes: ['http_error', 'http_error', 'timeout'] },
  },
  {
    status: 'canceled',
    due_at: null,
    settled_at: NOW + 3,
    settled_reason: 'endpoint_deleted',
    on_schedule: 0,
  },
];

export interface FilledStore {
  readonly store: Store;
  /** Sequences. */
  readonly workspaces: readonly number[];
  readonly webhooks: readonly WebhookRow[];
  readonly events: readonly Row<'events'>[];
  readonly deliveries: readonly ExpectedDelivery[];
  readonly attempts: readonly AttemptRow[];
}

export function openFilledStore(): FilledStore {
  const store = openStore();
  return store.writeNow(() => fill(store));
}

function fill(store: Store): FilledStore {
  const workspaces = ['First', 'Second'].map((name) => insertWorkspace(store, name));
  const webhooks: WebhookRow[] = [];
  const events: Row<'events'>[] = [];
  const deliveries: ExpectedDelivery[] = [];
  const attempts: AttemptRow[] = [];

  const flags = {
    disabled: [0, 1],
    deleted_at: [null, NOW],
    listener: [0, 1],
    forward_target: [1, 0],
  } as const;
  for (const [index, combination] of combine(flags).entries()) {
    // The rows of the workspaces alternate.
    for (const workspace_seq of workspaces) {
      const number = webhooks.length;
      const row = {
        ...newWebhookColumns,
        ...combination,
        ...{ workspace_seq, id: `wh_${number}`, url: `http://127.0.0.1:9/${index % 3}` },
        events: ['["*"]', '["order.shipped"]', '["invoice.paid"]'][index % 3] ?? '',
        ...{ secret: `whsec_${number}`, headers: `{"x":"${number}"}`, skip_verify: (index % 2) as 0 | 1 },
        previous_secret: index % 2 === 0 ? null : `whsec_old_${number}`,
        previous_secret_expires_at: index % 2 === 0 ? null : NOW + index,
        created_at: NOW + index,
      };
      webhooks.push({ ...row, seq: insertWebhook(store, workspace_seq, row) });
    }
  }

  for (const [index, type] of ['order.shipped', 'invoice.paid', 'order.shipped'].entries()) {
    for (const workspace_seq of workspaces) {
      const number = events.length;
      const row = {
        workspace_seq,
        type,
        created_at: NOW + index,
        stored_at_wall: NOW,
        id: `evt_${number}`,
        payload: `{"n":${number}}`,
        ...toNewColumns(eventSettings, number === 0 ? eventFields : {}),
      };
      events.push({ ...row, seq: insertEvent(store, workspace_seq, row) });
    }
  }

  for (const [index, { outcomes = [], ...kind }] of deliveryKinds.entries()) {
    for (const [shift, webhook] of webhooks.entries()) {
      const ofWorkspace = events.filter(({ workspace_seq }) => workspace_seq === webhook.workspace_seq);
      const event = ofWorkspace[(index + webhook.seq) % ofWorkspace.length] as Row<'events'>;
      const row: Omit<ExpectedDelivery, 'seq'> = {
        ...{ id: `del_${deliveries.length}`, event_seq: event.seq, webhook_seq: webhook.seq },
        ...{ workspace_seq: webhook.workspace_seq, own_url: null, own_body: null, replay_of_seq: null },
        ...{ status: 'pending', settled_reason: null, settled_at: null, created_at: NOW },
        ...{ first_attempt_at: null, on_schedule: 1, scheduled_attempts: 0, replays_waiting: 0, fault: null },
        ...kind,
        // The due times of no two endpoints are the same.
        due_at: kind.due_at === null ? null : (kind.due_at ?? NOW) + shift,
        attempt_count: outcomes.length,
      };
      const place = { event: event.seq, webhook: webhook.seq, workspace: webhook.workspace_seq };
      const seq = insertDelivery(store, place, { id: row.id, created_at: row.created_at });
      store.deliveries.update({ ...row, seq });
      if (row.fault !== null) store.deliveries.postpone(seq, row.due_at ?? 0, row.fault);
      deliveries.push({ ...row, seq });
      // The numbers of the attempts do not follow the order in which they are recorded.
      for (const [earlier, outcome] of outcomes.entries()) {
        attempts.push(insertExpectedAttempt(store, seq, outcomes.length - earlier, webhook.seq, outcome));
      }
    }
  }
  return { store, workspaces, webhooks, events, deliveries, attempts };
}

function insertExpectedAttempt(
  store: Store,
  delivery_seq: number,
  number: number,
  webhook_seq: number,
  outcome: AttemptRow['outcome'],
): AttemptRow {
  const hasResponse = outcome === 'succeeded' || outcome === 'http_error';
  const variation = (delivery_seq * 7 + number) % 11;
  const row: AttemptRow = {
    ...{ seq: 0, delivery_seq, webhook_seq, number, outcome },
    trigger: number === 1 ? 'schedule' : 'manual',
    scheduled_at: NOW + variation,
    sent_at_wall: NOW + ((variation * 3) % 11),
    duration_ms: variation + 0.5,
    response_status: hasResponse ? (outcome === 'succeeded' ? 200 : 400 + variation) : null,
    error: outcome === 'succeeded' ? null : `${outcome} ${variation}`,
    request_url: `http://127.0.0.1:9/${variation}`,
    request_headers: '{}',
    response_headers: hasResponse ? '{}' : null,
    response_body: null,
    response_truncated: 0,
    fault: null,
    phases: null,
  };
  return { ...row, seq: insertAttempt(store, delivery_seq, number, row.sent_at_wall, withoutSeq(row)) };
}

function withoutSeq({ seq: _, ...row }: AttemptRow): Omit<AttemptRow, 'seq'> {
  return row;
}
