/** Compares each query of endpoints, events, deliveries and attempts with a filter over rows of every kind in two workspaces. */
import { describe, expect, it } from 'vitest';
import { type DeliveryCondition, DeliveryFilter } from '../../src/resources/delivery.ts';
import { type EventCondition, EventFilter, eventSettings } from '../../src/resources/event.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';
import { createRowReader } from '../../src/store/columns.ts';
import { toDelivery } from '../../src/store/delivery-queries.ts';
import { toEventSummary } from '../../src/store/events.ts';
import type { PageRequest, RowPage } from '../../src/store/row-page.ts';
import type { Store } from '../../src/store/store.ts';
import type { WebhookRow } from '../../src/store/webhooks.ts';
import { type ExpectedDelivery, type FilledStore, openFilledStore } from './filled-store.ts';
import { insertRequest, NOW } from './rows.ts';

interface Row {
  readonly seq: number;
}

const seqOf = ({ seq }: Row) => seq;
const newestFirst = (rows: readonly Row[]) => rows.map(seqOf).toSorted((a, b) => b - a);
const compareDueTimes = (a: ExpectedDelivery, b: ExpectedDelivery) =>
  (a.due_at ?? 0) - (b.due_at ?? 0) || a.seq - b.seq;
const getWindowStart = ({ first_attempt_at, created_at }: ExpectedDelivery) => first_attempt_at ?? created_at;
const dueTimes = [NOW - 1, NOW, NOW + 3, NOW + 5, NOW + 9, NOW + 20];

/** The sequences of all pages of a list. */
async function readPages(
  list: (page: PageRequest) => RowPage<Row> | Promise<RowPage<Row>>,
  limit = 40,
): Promise<number[]> {
  const seqs: number[] = [];
  for (let beforeSeq: number | null = null; ; ) {
    const { rows, hasMore } = await list({ limit, beforeSeq });
    seqs.push(...rows.map(seqOf));
    if (!hasMore) return seqs;
    expect(rows).toHaveLength(limit);
    beforeSeq = seqs.at(-1) ?? null;
  }
}

describe('the queries of endpoints', () => {
  const isLive = ({ deleted_at }: WebhookRow) => deleted_at === null;
  const isEnabled = (row: WebhookRow) => isLive(row) && row.disabled === 0;

  it('an endpoint is found by its ID with its workspace, unless it was deleted, and by its sequence', () => {
    const { store, webhooks } = openFilledStore();
    for (const row of webhooks) {
      const workspace = store.workspaces.findBySeq(row.workspace_seq);
      const expected = isLive(row) ? { ...row, workspace_id: workspace?.id } : undefined;
      expect(store.webhooks.find(row.id)).toEqual(expected);
      expect(store.webhooks.findSeq(row.id)).toBe(row.seq);
      expect(store.webhooks.findBySeq(row.seq)).toEqual(row);
      expect(store.webhooks.getBySeq(row.seq)).toEqual(row);
    }
    expect(store.webhooks.findSeq('wh_none')).toBeUndefined();
    expect(() => store.webhooks.getBySeq(0)).toThrow('webhook 0 does not exist');
  });

  it('endpoints are listed newest first, of one workspace or of all', async () => {
    const { store, workspaces, webhooks } = openFilledStore();
    for (const workspace of [null, ...workspaces]) {
      const listed = await readPages((page) => store.webhooks.list(workspace, page), 3);
      const expected = webhooks.filter(
        (row) => isLive(row) && (workspace === null || row.workspace_seq === workspace),
      );
      expect(listed).toEqual(newestFirst(expected));
    }
  });

  it('endpoints are listed by their purpose: URL, forwarding, listening, subscription and secrets', () => {
    const { store, workspaces, webhooks } = openFilledStore();
    expect(new Set(store.webhooks.listListenerIds())).toEqual(
      new Set(webhooks.filter((row) => isLive(row) && row.listener === 1).map(({ id }) => id)),
    );
    for (const workspace of workspaces) {
      const own = webhooks.filter(({ workspace_seq }) => workspace_seq === workspace);
      const url = 'http://127.0.0.1:9/1';
      expect(store.webhooks.listByUrl(workspace, url).map(seqOf)).toEqual(
        newestFirst(own.filter((row) => row.url === url)),
      );
      expect(store.webhooks.findForwardTarget(workspace)?.seq).toBe(
        own.findLast((row) => isLive(row) && row.forward_target === 1)?.seq,
      );
      for (const type of ['order.shipped', 'invoice.paid', 'order.paid']) {
        const isSubscribed = ({ events }: WebhookRow) => events.includes(type) || events.includes('*');
        expect(store.webhooks.listSubscribed(workspace, type).map(seqOf)).toEqual(
          own.filter((row) => isEnabled(row) && isSubscribed(row)).map(seqOf),
        );
      }
      expect(store.webhooks.listSecrets(workspace)).toEqual(
        [...own.filter(isLive).toReversed(), ...own.filter((row) => !isLive(row)).toReversed()].map(
          ({ id, secret, previous_secret, deleted_at }) => ({ id, secret, previous_secret, deleted_at }),
        ),
      );
    }
    for (const workspace of workspaces) {
      const count = webhooks.filter((row) => isLive(row) && row.workspace_seq === workspace).length;
      expect(store.webhooks.count(workspace)).toBe(count);
    }
  });

  it('an update changes only its endpoint', () => {
    const { store, webhooks } = openFilledStore();
    const changed: WebhookRow = {
      ...(webhooks[3] as WebhookRow),
      ...{ url: 'http://127.0.0.1:8/', events: '[]', secret: 'whsec_new', previous_secret: 'whsec_b' },
      ...{
        previous_secret_expires_at: NOW + 99,
        disabled: 1,
        headers: '{}',
        skip_verify: 0,
        deleted_at: NOW + 7,
      },
    };
    store.writeNow(() => store.webhooks.update(changed));
    expect(webhooks.map(({ seq }) => store.webhooks.findBySeq(seq))).toEqual(webhooks.with(3, changed));
  });
});

/** The fields that the filters of a test contain, without repetition. */
function fieldsOf(filters: readonly (readonly [object, unknown])[]): string[] {
  return [...new Set(filters.flatMap(([filter]) => Object.keys(filter)))].sort();
}

describe('the queries of events', () => {
  it('events are listed newest first with the counts of their deliveries, filtered by each field', async () => {
    const { store, workspaces, events, deliveries, webhooks, attempts } = openFilledStore();
    const workspaceId = store.workspaces.findBySeq(workspaces[0] ?? 0)?.id;
    const filters: [EventCondition, (row: (typeof events)[number]) => boolean][] = [
      [{}, () => true],
      [{ workspace_id: workspaceId }, (row) => row.workspace_seq === workspaces[0]],
      [{ type: 'order.shipped' }, (row) => row.type === 'order.shipped'],
      [{ since: NOW + 1 }, (row) => row.created_at >= NOW + 1],
      [{ until: NOW + 1 }, (row) => row.created_at < NOW + 1],
      [{ text: 'evt_3' }, (row) => row.id === 'evt_3'],
      [{ text: '"n":2' }, (row) => row.payload === '{"n":2}'],
      [
        { type: 'order.shipped', since: NOW + 1 },
        (row) => row.type === 'order.shipped' && row.created_at > NOW,
      ],
    ];
    expect(fieldsOf(filters)).toEqual(Object.keys(EventFilter).sort());
    for (const [filter, matches] of filters) {
      const listed = await readPages((page) => store.events.listSummaries(filter, page), 2);
      expect(listed).toEqual(newestFirst(events.filter(matches)));
    }
    for (const { seq, id, type, created_at, workspace_seq, ...others } of events) {
      const own = deliveries.filter(({ event_seq }) => event_seq === seq);
      const count = (matches: (row: ExpectedDelivery) => boolean) => own.filter(matches).length;
      const isPaused = (row: ExpectedDelivery) =>
        row.status === 'pending' &&
        webhooks.find((webhook) => webhook.seq === row.webhook_seq)?.disabled === 1;
      const summary = store.events.findSummary(seq);
      expect(summary && toEventSummary(summary)).toEqual({
        ...{ id, type, created_at: new Date(created_at).toISOString(), request_id: null },
        ...createRowReader(eventSettings)(others),
        workspace_id: store.workspaces.findBySeq(workspace_seq)?.id,
        delivery_counts: {
          pending: count(({ status }) => status === 'pending'),
          failing: count((row) => row.status === 'pending' && !isPaused(row) && hasFailed(attempts, row)),
          paused: count(isPaused),
          succeeded: count(({ status }) => status === 'succeeded'),
          failed: count(({ status }) => status === 'failed'),
          canceled: count(({ status }) => status === 'canceled'),
        },
      });
    }
  });

  it('an event is found by its ID with its workspace', () => {
    const { store, events } = openFilledStore();
    for (const row of events) {
      const workspace_id = store.workspaces.findBySeq(row.workspace_seq)?.id;
      expect(store.events.find(row.id)).toEqual({ ...row, workspace_id });
    }
    expect(store.events.find('evt_none')).toBeUndefined();
  });

  it('the events of a workspace are listed newest first, of one type or of all [list.filter]', async () => {
    const { store, workspaces, events } = openFilledStore();
    for (const workspace of workspaces) {
      const workspace_id = store.workspaces.findBySeq(workspace)?.id;
      for (const type of [undefined, 'order.shipped', 'invoice.paid']) {
        const expected = events.filter(
          (row) => row.workspace_seq === workspace && (type === undefined || row.type === type),
        );
        const pages = await readPages((page) => store.events.list({ workspace_id, type }, page), 1);
        expect(pages).toEqual(newestFirst(expected));
      }
    }
  });

  it('the request that created an event is the first one that is not a GET', () => {
    const { store, events } = openFilledStore();
    const [first, second] = events.map(({ id }) => id);
    store.writeNow(() => {
      const requests = [
        { method: 'GET', event: first },
        { method: 'POST', event: second },
        { method: 'POST', event: first },
        { method: 'POST', event: first },
      ];
      for (const [index, { method, event }] of requests.entries()) {
        insertRequest(store, NOW, null, { id: `req_${index}`, method, resource_id: event ?? null });
      }
    });
    const requestIds = events.map(({ seq }) => store.events.findRequestId(seq));
    expect(requestIds).toEqual(['req_2', 'req_1', null, null, null, null]);
    expect(events.map(({ seq }) => store.events.findSummary(seq)?.request_id)).toEqual(requestIds);
  });
});

function lastAttemptOf(attempts: readonly AttemptRow[], { seq, attempt_count }: ExpectedDelivery) {
  return attempts.find(({ delivery_seq, number }) => delivery_seq === seq && number === attempt_count);
}

function hasFailed(attempts: readonly AttemptRow[], delivery: ExpectedDelivery): boolean {
  const last = lastAttemptOf(attempts, delivery);
  return last !== undefined && last.outcome !== 'succeeded';
}

describe('the queue of due deliveries', () => {
  const isDue = ({ due_at }: ExpectedDelivery, now: number) => due_at !== null && due_at <= now;

  it('due deliveries are those of one enabled endpoint, earliest first', () => {
    const { store, webhooks, deliveries } = openFilledStore();
    for (const { seq: webhook, disabled } of webhooks) {
      for (const now of dueTimes) {
        const due = deliveries
          .filter((row) => disabled === 0 && row.webhook_seq === webhook && isDue(row, now))
          .toSorted(compareDueTimes)
          .map(seqOf);
        expect(store.deliveries.listDue(webhook, now, 100)).toEqual(due);
        expect(store.deliveries.listDue(webhook, now, 2)).toEqual(due.slice(0, 2));
      }
    }
  });

  it('due endpoints, due times and retry windows are those of one workspace', () => {
    const { store, workspaces, webhooks, deliveries } = openFilledStore();
    for (const workspace of workspaces) {
      const live = webhooks.filter((row) => row.workspace_seq === workspace && row.deleted_at === null);
      const listPending = (disabled: 0 | 1) =>
        deliveries.filter((row) =>
          live.some(
            ({ seq, ...of }) => seq === row.webhook_seq && of.disabled === disabled && row.due_at !== null,
          ),
        );
      const started = listPending(1).slice(0, 1).map(seqOf);
      const expirable = listPending(1).filter(
        (row) => row.replays_waiting === 0 && !started.includes(row.seq),
      );
      for (const now of dueTimes) {
        const dueEndpoints = listPending(0)
          .filter((row) => isDue(row, now))
          .map((row) => row.webhook_seq);
        expect(store.deliveries.listDueEndpoints(workspace, now)).toEqual(
          [...new Set(dueEndpoints)].toSorted((a, b) => a - b),
        );
        const later = listPending(0).flatMap((row) => (isDue(row, now) ? [] : Number(row.due_at)));
        expect(store.deliveries.findNextDueAt(workspace, now)).toBe(
          later.length === 0 ? null : Math.min(...later),
        );
        expect(store.deliveries.listExpired(workspace, 5, started, now + 5)).toEqual(
          expirable
            .filter((row) => getWindowStart(row) <= now)
            .map((row) => ({ seq: row.seq, expires_at: getWindowStart(row) + 5 })),
        );
      }
      expect(store.deliveries.findExpiry(workspace, 5, started)).toBe(
        Math.min(...expirable.map(getWindowStart)) + 5,
      );
    }
  });

  it('the counts of deliveries are those of one workspace', () => {
    const { store, workspaces, webhooks, deliveries, attempts } = openFilledStore();
    expect(store.deliveries.countAll()).toBe(deliveries.length);
    for (const workspace of workspaces) {
      const own = deliveries.filter(({ workspace_seq }) => workspace_seq === workspace);
      const live = webhooks.filter((row) => row.workspace_seq === workspace && row.deleted_at === null);
      const disabled = live.filter((row) => row.disabled === 1);
      const countPending = (of: readonly WebhookRow[]) =>
        own.filter((row) => row.due_at !== null && of.some(({ seq }) => seq === row.webhook_seq)).length;
      expect(store.deliveries.countPaused(workspace)).toEqual(
        disabled.map((webhook) => ({ webhook_id: webhook.id, deliveries: countPending([webhook]) })),
      );
      const isEnabled = (seq: number) => webhooks.find((row) => row.seq === seq)?.disabled === 0;
      expect(store.deliveryQueries.countByStatus(workspace, 1_000)).toEqual({
        pending: countPending(live),
        failing: own.filter(
          (row) => row.due_at !== null && isEnabled(row.webhook_seq) && hasFailed(attempts, row),
        ).length,
        paused: countPending(disabled),
        failed: own.filter(({ status }) => status === 'failed').length,
        canceled: own.filter(({ status }) => status === 'canceled').length,
      });
      expect(store.deliveryQueries.countByStatus(workspace, 3)).toEqual({
        ...{ pending: 3, failing: 3, paused: 3, failed: 3, canceled: 3 },
      });
      expect(store.deliveryQueries.hasAny(workspace)).toBe(true);
    }
    expect(store.deliveryQueries.hasAny(0)).toBe(false);
  });
});

describe('the writes of deliveries', () => {
  type Delivery = ExpectedDelivery & { readonly settled_seq: number | null };
  interface Write {
    readonly name: string;
    /** Runs for each delivery of one endpoint. */
    readonly write: (store: Store, row: ExpectedDelivery) => void;
    readonly change: (row: ExpectedDelivery) => Partial<Delivery>;
  }
  const pending = { status: 'pending', settled_at: null, settled_reason: null } as const;
  const writes: readonly Write[] = [
    {
      name: 'incrementAttemptCount counts an attempt',
      write: ({ deliveries }, { seq }) => deliveries.incrementAttemptCount(seq),
      change: ({ attempt_count }) => ({ attempt_count: attempt_count + 1 }),
    },
    {
      name: 'update replaces the progress and removes the fault',
      write: ({ deliveries }, { seq }) => deliveries.update({ seq, ...progress }),
      change: () => ({ ...progress, fault: null }),
    },
    {
      name: 'expire fails a pending delivery without a waiting replay',
      write: ({ deliveries }, { seq }) => deliveries.expire(seq, NOW + 50, 1_000_000 + seq),
      change: ({ seq, status, replays_waiting }) =>
        status !== 'pending' || replays_waiting > 0
          ? {}
          : {
              ...{ status: 'failed', settled_reason: 'window_elapsed', settled_at: NOW + 50 },
              ...{ settled_seq: 1_000_000 + seq, due_at: null, on_schedule: 0 },
            },
    },
    {
      name: 'requestReplay makes one more attempt due',
      write: ({ deliveries }, { seq }) => deliveries.requestReplay(seq, NOW + 2),
      change: ({ replays_waiting }) => ({
        ...{ ...pending, due_at: NOW + 2, replays_waiting: replays_waiting + 1, fault: null },
      }),
    },
    {
      name: 'postpone delays a pending delivery once',
      write: ({ deliveries }, { seq }) => deliveries.postpone(seq, NOW + 60, '{"kind":"duplicate"}'),
      change: ({ due_at, fault }) =>
        due_at === null || fault !== null ? {} : { due_at: NOW + 60, fault: '{"kind":"duplicate"}' },
    },
  ];
  const progress = {
    status: 'failed',
    due_at: null,
    settled_at: NOW + 8,
    settled_reason: 'retry_not_allowed',
    first_attempt_at: NOW + 6,
    on_schedule: 0,
    scheduled_attempts: 7,
    attempt_count: 8,
    replays_waiting: 0,
  } as const;

  /** Runs a write, and compares all deliveries with those before it, of which those of `webhook` are changed. */
  function expectChange(
    { store, deliveries }: FilledStore,
    write: () => void,
    change: (row: ExpectedDelivery) => Partial<Delivery>,
  ): void {
    store.writeNow(write);
    const expected = deliveries.map((row): Delivery => ({ ...row, settled_seq: null, ...change(row) }));
    expect(deliveries.map(({ seq }) => store.deliveryQueries.findBySeq(seq))).toMatchObject(expected);
    for (const row of expected) {
      const { status, due_at, attempt_count, replays_waiting, fault } = row;
      const shown = { due_at, attempt_count, replays_waiting };
      expect(store.deliveries.getProgress(row.seq)).toMatchObject({ ...shown, status });
      if (due_at === null) expect(store.deliveries.findSendable(row.seq)).toBeUndefined();
      else expect(store.deliveries.findSendable(row.seq)).toMatchObject({ ...shown, fault });
    }
  }

  it.each(writes.map((write) => [write.name, write] as const))(
    '%s, and changes no other delivery',
    (_, { write, change }) => {
      const filled = openFilledStore();
      const { store, webhooks, deliveries } = filled;
      const webhook = webhooks[4]?.seq;
      const own = deliveries.filter((row) => row.webhook_seq === webhook);
      expectChange(
        filled,
        () => {
          for (const row of own) write(store, row);
        },
        (row) => (own.includes(row) ? change(row) : {}),
      );
    },
  );

  it('releaseReordered makes only the deliveries of one endpoint due that a reorder fault postponed', () => {
    const filled = openFilledStore();
    const { store, webhooks, deliveries } = filled;
    const webhook = webhooks[4]?.seq ?? 0;
    const isReleased = (row: ExpectedDelivery) =>
      row.webhook_seq === webhook && row.fault === '{"kind":"reorder"}';
    const dueAt = deliveries.find(isReleased)?.due_at ?? 0;
    const release = (now: number) => () => store.deliveries.releaseReordered(webhook, now);
    expectChange(filled, release(dueAt), () => ({}));
    expectChange(filled, release(dueAt - 1), (row) => (isReleased(row) ? { due_at: dueAt - 1 } : {}));
  });

  it('cancelDeliveries cancels only the pending deliveries of one endpoint', () => {
    const filled = openFilledStore();
    const { store, webhooks, deliveries } = filled;
    const webhook = webhooks[4]?.seq ?? 0;
    const canceled = deliveries.filter((row) => row.webhook_seq === webhook && row.due_at !== null);
    const before = store.lastSeq;
    let count = 0;
    expectChange(
      filled,
      () => {
        count = store.cancelDeliveries(webhook, NOW + 7);
      },
      (row) =>
        canceled.includes(row)
          ? {
              ...{
                status: 'canceled',
                settled_reason: 'endpoint_deleted',
                settled_at: NOW + 7,
                due_at: null,
              },
              ...{ settled_seq: before + 1 + canceled.indexOf(row), on_schedule: 0, replays_waiting: 0 },
            }
          : {},
    );
    expect(count).toBe(canceled.length);
    expect(store.lastSeq).toBe(before + canceled.length);
  });

  it('a copy has the event, the endpoint, and the URL and body of its original unless it has its own', () => {
    const { store, deliveries, webhooks, events } = openFilledStore();
    const original = deliveries[5] as ExpectedDelivery;
    const webhook = webhooks.find(({ seq }) => seq === original.webhook_seq);
    const copy = (own_url: string | null, own_body: string | null, replay_of_seq: number) =>
      store.writeNow(() => {
        const seq = store.nextSeq();
        store.deliveries.insertCopy({
          ...{ seq, id: `del_copy_${seq}`, created_at: NOW + 4 },
          own_url,
          own_body,
          replay_of_seq,
        });
        return seq;
      });
    const plain = copy(null, null, original.seq);
    const changed = copy('http://127.0.0.1:7/', '{"changed":true}', original.seq);
    const shared = {
      event_seq: original.event_seq,
      webhook_seq: original.webhook_seq,
      status: 'pending',
      due_at: NOW + 4,
    };
    const url = webhook?.url;
    const payload = events.find(({ seq }) => seq === original.event_seq)?.payload;
    const body = expect.stringContaining(`"payload":${payload},`);
    expect(store.deliveryQueries.findBySeq(plain)).toMatchObject({ ...shared, url, replay_of: original.id });
    expect(store.deliveries.findSendable(plain)).toMatchObject({
      ...{ url, body, headers: webhook?.headers, skip_verify: webhook?.skip_verify, secret: webhook?.secret },
    });
    const own = { url: 'http://127.0.0.1:7/', body: '{"changed":true}' };
    for (const seq of [changed, copy(null, null, changed)]) {
      expect(store.deliveryQueries.findBySeq(seq)).toMatchObject({ ...shared, url: own.url });
      expect(store.deliveryQueries.getBody(seq)).toBe(own.body);
      // The headers of the endpoint can be secret, so they are not sent to another URL.
      expect(store.deliveries.findSendable(seq)).toMatchObject({ ...own, headers: '{}', skip_verify: 0 });
    }
  });
});

describe('the lists of deliveries and attempts', () => {
  it('a delivery is shown with its event, its endpoint and its last attempt', () => {
    const { store, webhooks, events, deliveries, attempts } = openFilledStore();
    for (const row of deliveries) {
      const webhook = webhooks.find(({ seq }) => seq === row.webhook_seq);
      const event = events.find(({ seq }) => seq === row.event_seq);
      const last = lastAttemptOf(attempts, row);
      const expected = {
        ...row,
        ...{ event_id: event?.id, event_type: event?.type, webhook_id: webhook?.id, url: webhook?.url },
        ...{ workspace_id: store.workspaces.findBySeq(row.workspace_seq)?.id, replay_of: null },
        ...{ endpoint_disabled: webhook?.disabled, last_outcome: last?.outcome ?? null },
        ...{ last_response_status: last?.response_status ?? null, last_error: last?.error ?? null },
      };
      expect(store.deliveryQueries.findBySeq(row.seq)).toMatchObject(expected);
      const found = store.deliveryQueries.find(row.id);
      expect(found).toMatchObject(expected);
      const toIso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
      const paused = row.due_at !== null && webhook?.disabled === 1;
      expect(found && toDelivery(found)).toMatchObject({
        ...{ id: row.id, event_id: event?.id, webhook_id: webhook?.id, status: row.status, paused },
        ...{ next_attempt_at: paused ? null : toIso(row.due_at), settled_at: toIso(row.settled_at) },
        last_attempt: last
          ? {
              number: last.number,
              outcome: last.outcome,
              response_status: last.response_status,
              error: last.error,
            }
          : null,
      });
      const body = store.deliveryQueries.getBody(row.seq);
      expect(body).toContain(`"payload":${event?.payload},`);
      expect(JSON.parse(body).data).toMatchObject(event ? createRowReader(eventSettings)(event) : {});
    }
  });

  it('each filter selects the deliveries that match it, in a list and one by one', async () => {
    const filled = openFilledStore();
    const { store, workspaces, webhooks, events, deliveries, attempts } = filled;
    const webhookOf = (row: ExpectedDelivery) => webhooks.find(({ seq }) => seq === row.webhook_seq);
    const eventOf = (row: ExpectedDelivery) => events.find(({ seq }) => seq === row.event_seq);
    const isPaused = (row: ExpectedDelivery) => row.due_at !== null && webhookOf(row)?.disabled === 1;
    const responseOf = (row: ExpectedDelivery) => {
      const last = lastAttemptOf(attempts, row);
      return last === undefined ? Number.NaN : (last.response_status ?? 0);
    };
    const isFailing = (row: ExpectedDelivery) =>
      row.due_at !== null && !isPaused(row) && hasFailed(attempts, row);
    const isInPeriod = (at: number | null) => at !== null && at >= NOW + 3 && at <= NOW + 5;
    const wasOrIsDue = (row: ExpectedDelivery) =>
      (isInPeriod(row.due_at) && webhookOf(row)?.disabled === 0) ||
      attempts.some((attempt) => attempt.delivery_seq === row.seq && isInPeriod(attempt.scheduled_at));
    const filters: [DeliveryCondition, (row: ExpectedDelivery) => boolean][] = [
      [{}, () => true],
      [{ status: 'pending' }, ({ status }) => status === 'pending'],
      [{ status: 'succeeded' }, ({ status }) => status === 'succeeded'],
      [{ status: 'failed' }, ({ status }) => status === 'failed'],
      [{ status: 'paused' }, isPaused],
      [{ status: 'failing' }, isFailing],
      [{ status: 'unsuccessful' }, (row) => row.status === 'failed' || isFailing(row)],
      [{ response_status: '2xx' }, (row) => responseOf(row) >= 200 && responseOf(row) < 300],
      [{ response_status: '4xx' }, (row) => responseOf(row) >= 400 && responseOf(row) < 500],
      [{ response_status: 'none' }, (row) => responseOf(row) === 0],
      [{ response_status: 405 }, (row) => responseOf(row) === 405],
      [{ event_id: 'evt_2' }, (row) => eventOf(row)?.id === 'evt_2'],
      [{ type: 'invoice.paid' }, (row) => eventOf(row)?.type === 'invoice.paid'],
      [{ webhook_id: 'wh_5' }, (row) => webhookOf(row)?.id === 'wh_5'],
      [{ since: NOW + 1 }, (row) => row.created_at >= NOW + 1],
      [{ until: NOW + 1 }, (row) => row.created_at < NOW + 1],
      [{ text: '9/2' }, (row) => webhookOf(row)?.url.endsWith('9/2') === true],
      [{ text: 'del_123' }, (row) => row.id === 'del_123'],
      [{ text: 'evt_1' }, (row) => eventOf(row)?.id === 'evt_1'],
      [{ text: 'invoice' }, (row) => eventOf(row)?.type === 'invoice.paid'],
      [{ text: '"n":3' }, (row) => eventOf(row)?.payload === '{"n":3}'],
      [{ text: 'INVOICE' }, (row) => eventOf(row)?.type === 'invoice.paid'],
      [{ scheduled: JSON.stringify([NOW + 3, NOW + 5]) }, wasOrIsDue],
      [{ status: 'paused', text: '"n":3' }, (row) => isPaused(row) && eventOf(row)?.payload === '{"n":3}'],
    ];
    expect([...fieldsOf(filters), 'workspace_id'].sort()).toEqual(Object.keys(DeliveryFilter).sort());
    for (const [filter, matches] of filters) {
      const matching = deliveries.filter(({ seq }) => store.deliveryQueries.matches(seq, filter));
      expect(matching, JSON.stringify(filter)).toEqual(deliveries.filter(matches));
    }
    for (const workspaceSeq of [null, ...workspaces]) {
      const inWorkspace =
        workspaceSeq === null ? {} : { workspace_id: store.workspaces.findBySeq(workspaceSeq)?.id };
      for (const [filter, matches] of filters) {
        const listed = await readPages((page) =>
          store.deliveryQueries.list({ ...filter, ...inWorkspace }, page),
        );
        const expected = deliveries.filter(
          (row) => matches(row) && (workspaceSeq === null || row.workspace_seq === workspaceSeq),
        );
        expect(listed, JSON.stringify(filter)).toEqual(newestFirst(expected));
      }
    }
  });

  it('the delivery that failed last is found among those of an event, an endpoint or a workspace', () => {
    const { store, workspaces, deliveries, events, webhooks, attempts } = openFilledStore();
    const deliveryOf = (row: AttemptRow) => deliveries.find(({ seq }) => seq === row.delivery_seq);
    const isLast = (row: AttemptRow) => row.number === deliveryOf(row)?.attempt_count;
    const failures = attempts.filter((row) => row.outcome !== 'succeeded' && isLast(row)).toReversed();
    const check = (filter: object, matches: (row: AttemptRow) => boolean) =>
      expect(store.deliveryQueries.findLastFailed(filter)?.seq, JSON.stringify(filter)).toBe(
        failures.find(matches)?.delivery_seq,
      );
    check({}, () => true);
    for (const seq of workspaces) {
      const workspace_id = store.workspaces.findBySeq(seq)?.id;
      check({ workspace_id }, (row) => deliveryOf(row)?.workspace_seq === seq);
    }
    for (const { id, seq } of events) check({ event_id: id }, (row) => deliveryOf(row)?.event_seq === seq);
    for (const { id, seq } of webhooks) check({ webhook_id: id }, (row) => row.webhook_seq === seq);
  });

  it('the attempts of a delivery, an endpoint or a workspace are those that were recorded for it', () => {
    const { store, workspaces, deliveries, events, webhooks, attempts } = openFilledStore();
    const byNumber = (a: AttemptRow, b: AttemptRow) => a.number - b.number;
    for (const { seq, id, event_seq } of deliveries) {
      const own = attempts.filter(({ delivery_seq }) => delivery_seq === seq).toSorted(byNumber);
      expect(store.attempts.listByDelivery(seq)).toEqual(own);
      expect(store.attempts.hasSucceeded(seq)).toBe(own.some(({ outcome }) => outcome === 'succeeded'));
      for (const attempt of own) {
        expect(store.attempts.findBySeq(attempt.seq)).toEqual(attempt);
        expect(store.attempts.findSummary(attempt.seq)).toMatchObject({
          ...{ seq: attempt.seq, outcome: attempt.outcome, delivery_id: id },
          event_type: events.find((event) => event.seq === event_seq)?.type,
          webhook_id: webhooks.find((webhook) => webhook.seq === attempt.webhook_seq)?.id,
        });
      }
    }
    for (const workspace of workspaces) {
      const own = attempts.filter(
        (row) => deliveries.find(({ seq }) => seq === row.delivery_seq)?.workspace_seq === workspace,
      );
      const after = own[10]?.seq ?? 0;
      expect(store.attempts.listByWorkspace(workspace, after).map(seqOf)).toEqual(own.slice(11).map(seqOf));
    }
  });

  const isLast = (row: AttemptRow, { seq, attempt_count }: { seq: number; attempt_count: number }) =>
    row.delivery_seq === seq && row.number === attempt_count;

  it('the statistics of an endpoint are those of its newest attempts', () => {
    const { store, deliveries, webhooks, attempts } = openFilledStore();
    for (const { seq: webhook } of webhooks.slice(0, 4)) {
      for (const limit of [1, 3, 5, 100]) {
        const newest = attempts.filter(({ webhook_seq }) => webhook_seq === webhook).slice(-limit);
        const durations = newest.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b);
        const failures = newest.filter(({ outcome }) => outcome !== 'succeeded');
        expect(store.attempts.summarizeNewest(webhook, limit)).toEqual({
          attempts: newest.length,
          succeeded: newest.length - failures.length,
          p50_ms: durations[Math.ceil(0.5 * durations.length) - 1],
          p95_ms: durations[Math.ceil(0.95 * durations.length) - 1],
          last_failure_seq: failures.at(-1)?.seq ?? null,
        });
      }
      const statuses = deliveries
        .filter(({ webhook_seq }) => webhook_seq === webhook)
        .map((delivery) => attempts.find((row) => isLast(row, delivery))?.response_status);
      for (const status of [200, 400, 401, 599]) {
        const count = statuses.filter((each) => each === status).length;
        expect(store.attempts.countUnresolved(webhook, status)).toBe(status === 200 ? 0 : count);
      }
    }
  });
});
