/** Compares the database of a stopped emulator with the responses to its clients and the requests at its receivers. */
import type BetterSqlite from 'better-sqlite3';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { Database } from '../support/sqlite.ts';
import type { ReceivedRequest } from '../support/test-receiver.ts';
import { type Creation, subscriptions } from './load.ts';

const WINDOW_MS = 72 * HOUR_MS;
const LONGEST_DELAY_MS = 24 * HOUR_MS;
/** `sent_at` is rounded down to whole milliseconds, durations are not. */
const ROUNDING_MS = 2;

export interface Evidence {
  readonly database: string;
  readonly creations: readonly Creation[];
  readonly requests: readonly ReceivedRequest[];
}

export interface Audit {
  /** One line for each broken guarantee. */
  readonly breaches: readonly string[];
  readonly events: number;
  readonly deliveries: number;
  readonly failed: number;
  readonly attempts: number;
  /** Requests without a recorded attempt: they were sent again because the first attempt was not on disk. */
  readonly repeated: number;
}

interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly workspace_id: string;
  readonly created_at: number;
  readonly payload: string;
}

interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly event_seq: number;
  readonly url: string;
  readonly status: string;
  readonly due_at: number | null;
  readonly settled_at: number | null;
  readonly first_attempt_at: number | null;
  readonly attempt_count: number;
}

interface AttemptRow {
  readonly delivery_seq: number;
  readonly number: number;
  readonly seq: number;
  readonly scheduled_at: number;
  readonly sent_at_wall: number;
  readonly duration_ms: number;
  readonly outcome: string;
}

/** Every delivery must have settled, see `settle`. */
export function audit({ database, creations, requests }: Evidence): Audit {
  const db = new Database(database);
  try {
    const events = db
      .prepare<[], EventRow>(
        'SELECT e.*, w.id AS workspace_id FROM events e JOIN workspaces w ON w.seq = e.workspace_seq',
      )
      .all();
    const deliveries = db
      .prepare<[], DeliveryRow>(
        'SELECT d.*, h.url FROM deliveries d JOIN webhooks h ON h.seq = d.webhook_seq',
      )
      .all();
    const attempts = db.prepare<[], AttemptRow>('SELECT * FROM attempts ORDER BY delivery_seq, number').all();
    const eventBySeq = new Map(events.map((event) => [event.seq, event]));
    const attemptsOf = groupBy(attempts, ({ delivery_seq }) => delivery_seq);
    const requestsOf = groupBy(requests, ({ headers }) => String(headers['service-delivery-id']));
    const deliveriesOf = groupBy(deliveries, ({ event_seq }) => event_seq);
    const breaches = [
      ...checkFile(db),
      ...checkCreations(creations, events),
      ...events.flatMap((event) => checkDeliveries(event, deliveriesOf.get(event.seq) ?? [])),
      ...deliveries.flatMap((delivery) => [
        ...checkSettlement(delivery, attemptsOf.get(delivery.seq) ?? []),
        ...checkOrder(delivery, attemptsOf.get(delivery.seq) ?? []),
        ...checkArrival(delivery, eventBySeq.get(delivery.event_seq), requestsOf.get(delivery.id) ?? []),
      ]),
    ];
    return {
      breaches,
      events: events.length,
      deliveries: deliveries.length,
      failed: deliveries.filter(({ status }) => status === 'failed').length,
      attempts: attempts.length,
      repeated: requests.length - attempts.length,
    };
  } finally {
    db.close();
  }
}

function checkFile(db: BetterSqlite.Database): string[] {
  const integrity = db.pragma('integrity_check', { simple: true });
  const orphans = db.pragma('foreign_key_check') as unknown[];
  return [
    ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
    ...(orphans.length === 0 ? [] : [`${orphans.length} rows have missing references`]),
  ];
}

/** Every 2xx response has its row, and no request was executed twice. */
function checkCreations(creations: readonly Creation[], events: readonly EventRow[]): string[] {
  const byNumber = groupBy(events, ({ payload }) => JSON.parse(payload).number);
  return creations.flatMap(({ number, records, refusals }) => {
    const rows = byNumber.get(number) ?? [];
    const accepted = [...new Set(records)];
    const breaches: string[] = [];
    if (accepted.length > 1) breaches.push(`creation ${number} got two different responses`);
    if (rows.length > 1) breaches.push(`creation ${number} created ${rows.length} events`);
    if (accepted.length === 0 && refusals.length > 0 && rows.length > 0)
      breaches.push(`creation ${number} was refused with ${refusals[0]?.status} but created ${rows[0]?.id}`);
    const isStored = rows.some((row) => toRecord(row) === accepted[0]);
    if (accepted.length > 0 && !isStored)
      breaches.push(`creation ${number} was accepted but is lost: ${accepted[0]}`);
    return breaches;
  });
}

/** Every subscribed endpoint has one delivery, and no other endpoint has one. */
function checkDeliveries(event: EventRow, deliveries: readonly DeliveryRow[]): string[] {
  const actual = deliveries.map(({ url }) => new URL(url).pathname).sort();
  const expected = subscriptions
    .filter(({ events }) => (events as readonly string[]).some((type) => type === '*' || type === event.type))
    .map(({ path }) => path as string)
    .sort();
  return String(actual) === String(expected)
    ? []
    : [`${event.id} has deliveries for [${actual}] instead of [${expected}]`];
}

/** The delivery has settled, and its attempts explain the result. */
function checkSettlement(delivery: DeliveryRow, attempts: readonly AttemptRow[]): string[] {
  const { id, status, due_at, settled_at, first_attempt_at, attempt_count } = delivery;
  const description = `${id} (${status})`;
  const last = attempts.at(-1);
  if (last === undefined || first_attempt_at === null) return [`${description} was never attempted`];
  const breaches: string[] = [];
  if (due_at !== null || settled_at === null) breaches.push(`${description} is not settled`);
  if (attempt_count !== attempts.length)
    breaches.push(`${description} counts ${attempt_count} attempts but has ${attempts.length}`);
  if ((status === 'succeeded') !== (last.outcome === 'succeeded'))
    breaches.push(`${description} ended with an attempt that was ${last.outcome}`);
  // A delayed attempt counts from its actual start, which is between its due time and the settlement.
  const nextAtLatest = Math.max(last.scheduled_at, settled_at ?? 0) + LONGEST_DELAY_MS;
  if (status === 'failed' && nextAtLatest - first_attempt_at <= WINDOW_MS)
    breaches.push(`${description} failed before its retry window ended`);
  return breaches;
}

/** Attempts follow one another in time and stay inside the retry window. */
function checkOrder({ id, first_attempt_at }: DeliveryRow, attempts: readonly AttemptRow[]): string[] {
  return attempts.flatMap((attempt, index) => {
    const description = `attempt ${attempt.number} of ${id}`;
    const previous = attempts[index - 1];
    const breaches: string[] = [];
    if (attempt.number !== index + 1) breaches.push(`${description} has a wrong number`);
    if (attempt.scheduled_at - (first_attempt_at ?? 0) > WINDOW_MS)
      breaches.push(`${description} is after the retry window`);
    if (previous === undefined) return breaches;
    if (attempt.seq <= previous.seq) breaches.push(`${description} was recorded before its predecessor`);
    if (attempt.scheduled_at <= previous.scheduled_at)
      breaches.push(`${description} was due before its predecessor`);
    if (attempt.sent_at_wall + ROUNDING_MS < previous.sent_at_wall + previous.duration_ms)
      breaches.push(`${description} overlaps its predecessor`);
    return breaches;
  });
}

/** The delivery arrived, always with the envelope of the event as its body. */
function checkArrival(
  { id }: DeliveryRow,
  event: EventRow | undefined,
  requests: readonly ReceivedRequest[],
): string[] {
  if (requests.length === 0) return [`${id} never arrived`];
  const different = requests.filter(({ body }) => event === undefined || body.toString() !== toBody(event));
  return different.length === 0
    ? []
    : [`${id} arrived with a different body: ${different[0]?.body.toString()}`];
}

/** Written again here, so that the code under test cannot hide its own mistake. */
function toRecord({ id, workspace_id, type, payload, created_at }: EventRow): string {
  const createdAt = new Date(created_at).toISOString();
  return `{"id":"${id}","workspace_id":"${workspace_id}","type":"${type}","payload":${payload},"created_at":"${createdAt}"}`;
}

function toBody(event: EventRow): string {
  const createdAt = new Date(event.created_at).toISOString();
  return `{"type":"${event.type}","workspace_id":"${event.workspace_id}","created_at":"${createdAt}","data":${toRecord(event)}}`;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
