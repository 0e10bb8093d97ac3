/** Compares an emulator with a model of the service over random operations on workspaces with different clocks. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReceivedRequest } from '../../../src/receivers/received-request.ts';
import type { DeliveryDetail } from '../../../src/resources/delivery.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { readState } from './read-state.ts';
import { type Behavior, behaviors, type ExpectedDelivery, respond, ServiceModel } from './service-model.ts';

/** Number of histories, for a longer search: `HISTORIES=500 npx vitest run test/emulator/service/service-model.test.ts`. */
const HISTORIES = Number(process.env.HISTORIES ?? 5);
/** The same histories in every run, so that they are known to contain every operation and outcome. */
const SEED = 33;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Durations around the due times of retries, the retention of idempotency keys and the retry window. */
const MOVES_MS = [
  0,
  1,
  5 * MINUTE_MS,
  35 * MINUTE_MS - 1,
  3 * HOUR_MS,
  24 * HOUR_MS - 1,
  24 * HOUR_MS,
  72 * HOUR_MS,
];
const TYPES = ['order.shipped', 'invoice.paid'];
const MAX_WORKSPACES = 4;

/** The methods of {@link World} that a history consists of. */
const operations = [
  ...(['create', 'createOnce', 'createOnce', 'createTwiceAtOnce', 'createForAnyWorkspace'] as const),
  ...(['advance', 'advance', 'advanceTogether', 'advanceTogether'] as const),
  ...(['addWorkspace', 'restart', 'save', 'load', 'reset'] as const),
];
type Operation = (typeof operations)[number];

const history = fc.array(
  fc.record({ does: fc.constantFrom(...operations), numbers: fc.tuple(fc.nat(), fc.nat(), fc.nat()) }),
  { minLength: 10, maxLength: 40, size: 'max' },
);
type Numbers = readonly [number, number, number];

it(
  'an emulator with several workspaces on different clocks behaves like the model of the service [§4.3, §6.retries.schedule, §6.retries.window, retry.schedule, idempotency.scope, idempotency.replay, idempotency.conflict, list.order]',
  async () => {
    await using receiver = await createReceiver();
    const folder = createTemporaryFolder();
    const tally = new Map<string, number>();
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await using world = await World.open(receiver, join(folder, String(histories++)), tally);
        for (const { does, numbers } of steps) await world.play(does, numbers);
      }),
      // Shrinking a history that fails can take long, so the time of the whole search is limited.
      {
        numRuns: HISTORIES,
        seed: SEED,
        interruptAfterTimeLimit: HISTORIES * 40_000,
        markInterruptAsFailure: true,
      },
    );
    const outcomes = ['created', 'replayed', 'key reused', 'succeeded', 'failed', 'pending'];
    for (const name of [...operations, ...outcomes]) expect(tally.get(name), name).toBeGreaterThan(0);
  },
  HISTORIES * 60_000,
);

interface EventBody {
  readonly type: string;
  readonly workspace_id?: string;
}

class World {
  readonly #receiver: Receiver;
  readonly #path: string;
  readonly #tally: Map<string, number>;
  readonly #wall = createTestWallClock();
  readonly #model = new ServiceModel();
  #emulator!: TestEmulator;
  /** An API key for all workspaces. */
  #globalKey = '';
  /** The complete states that a reset and a load restore. */
  #baseline: unknown;
  #saved: unknown;
  /** Number of requests for each event and endpoint, in the present state. */
  #attempts = new Map<string, number>();

  static async open(receiver: Receiver, path: string, tally: Map<string, number>): Promise<World> {
    receiver.clear();
    const world = new World(receiver, path, tally);
    receiver.respond((request) => world.#respond(request));
    await world.#boot();
    const { control } = world.#emulator;
    world.#globalKey = (await control.createKey({ scopes: ['events:write'], workspace_id: null })).key;
    await world.addWorkspace();
    await world.addWorkspace();
    // Everything so far becomes the state that a reset restores.
    await world.restart();
    return world;
  }

  private constructor(receiver: Receiver, path: string, tally: Map<string, number>) {
    this.#receiver = receiver;
    this.#path = path;
    this.#tally = tally;
  }

  async play(operation: Operation, numbers: Numbers): Promise<void> {
    const before = new Map(this.#attempts);
    this.#receiver.clear();
    // An operation that is not possible now is not counted.
    if ((await this[operation](numbers)) !== 'skipped') this.#count(operation);
    await this.#compare();
    // A reset and a load send nothing, and the others only add attempts.
    const isReplaced = operation === 'reset' || operation === 'load';
    const sent = [...this.#attempts.values()].reduce((sum, count) => sum + count, 0);
    const sentBefore = [...before.values()].reduce((sum, count) => sum + count, 0);
    expect(this.#receiver.requests).toHaveLength(isReplaced ? 0 : sent - sentBefore);
  }

  /** An event without an idempotency key. */
  async create([workspace, type]: Numbers): Promise<void> {
    const { id, apiKey } = this.#pickWorkspace(workspace);
    const body = { type: pick(TYPES, type) };
    const { status, json } = await this.#post(apiKey, body);
    expect(status).toBe(201);
    this.#model.addEvent(id, { id: json.id, type: body.type });
  }

  /** An event with one of two idempotency keys. The same key can come with another body. */
  async createOnce([workspace, key, type]: Numbers): Promise<void> {
    const { id, apiKey } = this.#pickWorkspace(workspace);
    await this.#createWithKey(id, apiKey, key, { type: pick(TYPES, type) });
  }

  /** As {@link createOnce}, with an API key for all workspaces: the workspaces share its idempotency keys. */
  async createForAnyWorkspace([workspace, key, type]: Numbers): Promise<void> {
    const { id } = this.#pickWorkspace(workspace);
    await this.#createWithKey(id, this.#globalKey, key, { type: pick(TYPES, type), workspace_id: id });
  }

  /** The same request twice at the same time creates one event. */
  async createTwiceAtOnce([workspace, type]: Numbers): Promise<'skipped' | undefined> {
    const { id, apiKey } = this.#pickWorkspace(workspace);
    const body = { type: pick(TYPES, type) };
    const key = `parallel-${this.#model.listEventIds(id).length}`;
    if (this.#model.predictCreation(apiKey, key, JSON.stringify(body)).kind !== 'created') return 'skipped';
    const responses = await Promise.all([this.#post(apiKey, body, key), this.#post(apiKey, body, key)]);
    const created = responses.filter(({ status, replayed }) => status === 201 && !replayed);
    expect(created).toHaveLength(1);
    const [other] = responses.filter((response) => response !== created[0]);
    if (other?.status === 409) {
      expect(other.json.error.code).toBe('idempotency_in_progress');
    } else {
      expect(other?.text).toBe(created[0]?.text);
    }
    this.#addEvent(id, apiKey, key, body, created[0]?.json.id);
    return undefined;
  }

  async advance([workspace, duration]: Numbers): Promise<void> {
    const { id } = this.#pickWorkspace(workspace);
    await this.#advance(id, pick(MOVES_MS, duration));
  }

  /** Two moves of one clock and one of another at the same time, while an event is created in a third workspace. */
  async advanceTogether([workspace, first, second]: Numbers): Promise<void> {
    const moved = this.#pickWorkspace(workspace);
    const other = this.#pickWorkspace(workspace + 1);
    const third = this.#pickWorkspace(workspace + 2);
    await Promise.all([
      this.#advance(moved.id, pick(MOVES_MS, first)),
      this.#advance(other.id, pick(MOVES_MS, second)),
      this.#advance(moved.id, pick(MOVES_MS, first + second)),
      ...([moved.id, other.id].includes(third.id) ? [] : [this.create([workspace + 2, first, 0])]),
    ]);
  }

  /** A workspace with one endpoint of each behavior, one of which only receives one event type. */
  async addWorkspace(): Promise<'skipped' | undefined> {
    if (this.#model.workspaces.size >= MAX_WORKSPACES) return 'skipped';
    const { control } = this.#emulator;
    const { id } = await control.createWorkspace({ name: 'A workspace' });
    const { key: apiKey } = await control.createKey({
      scopes: ['events:read', 'events:write'],
      workspace_id: id,
    });
    const endpoints = [];
    for (const [index, behavior] of behaviors.entries()) {
      const types = index === 0 ? ['invoice.paid'] : ['*'];
      const url = `${this.#receiver.url}/${behavior}`;
      const webhook = await control.createWebhook({ url, events: types, workspace_id: id });
      endpoints.push({ id: webhook.id, behavior, types });
    }
    const { now } = await control.getClock({ workspace_id: id });
    this.#model.addWorkspace(id, { apiKey, endpoints, now: Date.parse(now) });
    return undefined;
  }

  async restart(): Promise<void> {
    this.#baseline = await readState(this.#emulator);
    await this.#emulator.close();
    await this.#boot();
    expect(await readState(this.#emulator)).toEqual(this.#baseline);
    this.#model.restart();
  }

  async save(): Promise<void> {
    await this.#emulator.control.saveSnapshot({ path: `${this.#path}.svc` });
    this.#saved = await readState(this.#emulator);
    this.#model.save();
  }

  async load(): Promise<'skipped' | undefined> {
    if (!this.#model.load()) return 'skipped';
    await this.#emulator.control.loadSnapshot({ path: `${this.#path}.svc` });
    this.#baseline = this.#saved;
    expect(await readState(this.#emulator)).toEqual(this.#saved);
    return undefined;
  }

  async reset(): Promise<void> {
    await this.#emulator.control.reset({});
    expect(await readState(this.#emulator)).toEqual(this.#baseline);
    this.#model.reset();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator.close();
  }

  async #boot(): Promise<void> {
    this.#emulator = await startTestEmulator({ db: `${this.#path}.db`, wall: this.#wall });
  }

  #respond({ eventId, path }: ReceivedRequest): number {
    const behavior = path.slice(1) as Behavior;
    const key = `${eventId} ${behavior}`;
    const number = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, number);
    return respond(behavior, number);
  }

  async #createWithKey(workspaceId: string, apiKey: string, number: number, body: EventBody): Promise<void> {
    const key = `key-${number % 2}`;
    const expected = this.#model.predictCreation(apiKey, key, JSON.stringify(body));
    this.#count(expected.kind);
    const { status, json, replayed } = await this.#post(apiKey, body, key);
    expect(replayed).toBe(expected.kind === 'replayed');
    switch (expected.kind) {
      case 'created':
        expect(status).toBe(201);
        this.#addEvent(workspaceId, apiKey, key, body, json.id);
        return;
      case 'replayed':
        expect([status, json.id]).toEqual([201, expected.eventId]);
        return;
      case 'key reused':
        expect([status, json.error.code]).toEqual([422, 'idempotency_key_reused']);
    }
  }

  #addEvent(workspaceId: string, apiKey: string, key: string, body: EventBody, eventId: string): void {
    this.#model.addEvent(workspaceId, { id: eventId, type: body.type });
    this.#model.storeKey(apiKey, key, { workspaceId, body: JSON.stringify(body), eventId });
  }

  async #advance(workspaceId: string, ms: number): Promise<void> {
    await this.#emulator.control.advanceClock({ ms, workspace_id: workspaceId });
    this.#model.advance(workspaceId, ms);
  }

  async #post(apiKey: string, body: object, idempotencyKey?: string) {
    const response = await this.#emulator.api('POST', '/events', body, {
      authorization: `Bearer ${apiKey}`,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    });
    return { ...response, replayed: response.headers.has('idempotent-replayed') };
  }

  #pickWorkspace(number: number) {
    const [id, { apiKey }] = pick([...this.#model.workspaces], number);
    return { id, apiKey };
  }

  async #compare(): Promise<void> {
    const { control } = this.#emulator;
    this.#attempts = new Map();
    for (const [id, { apiKey, now, endpoints }] of this.#model.workspaces) {
      // Waits for the first attempts, without moving the clock.
      await control.advanceClock({ ms: 0, workspace_id: id });
      expect(await this.#listEventIds(apiKey)).toEqual(this.#model.listEventIds(id));
      const expected = this.#model.listDeliveries(id);
      const clock = await control.getClock({ workspace_id: id });
      const dueTimes = expected.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
      expect(clock).toMatchObject({
        now: new Date(now).toISOString(),
        next_due_at: dueTimes.length === 0 ? null : new Date(Math.min(...dueTimes)).toISOString(),
      });
      const { data } = await control.listDeliveries({ workspace_id: id, limit: 1_000 });
      const details = await Promise.all(data.map((delivery) => control.getDelivery({ id: delivery.id })));
      expect(sortDeliveries(details.map(toExpected))).toEqual(sortDeliveries(expected));
      for (const { eventId, webhookId, status, attempts } of expected) {
        this.#count(status);
        const { behavior } = endpoints.find((endpoint) => endpoint.id === webhookId) ?? {};
        this.#attempts.set(`${eventId} ${behavior}`, attempts.length);
      }
    }
  }

  /** Reads the list in pages of three. */
  async #listEventIds(apiKey: string): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor = ''; ; ) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const { json } = await this.#emulator.api('GET', `/events?limit=3${cursor}`, undefined, headers);
      ids.push(...json.data.map((event: { readonly id: string }) => event.id));
      if (!json.has_more) return ids;
      cursor = `&starting_after=${json.end_cursor}`;
    }
  }

  #count(name: string): void {
    this.#tally.set(name, (this.#tally.get(name) ?? 0) + 1);
  }
}

function toExpected(delivery: DeliveryDetail): ExpectedDelivery {
  const { event_id, webhook_id, status, attempts, next_attempt_at, settled_at } = delivery;
  const toTime = (text: string | null) => (text === null ? null : Date.parse(text));
  return {
    eventId: event_id,
    webhookId: webhook_id,
    status,
    attempts: attempts.map(({ scheduled_at, response_status }) => ({
      scheduledAt: Date.parse(scheduled_at),
      status: response_status ?? 0,
    })),
    nextAttemptAt: toTime(next_attempt_at),
    settledAt: toTime(settled_at),
  };
}

function sortDeliveries(deliveries: readonly ExpectedDelivery[]): ExpectedDelivery[] {
  const keyOf = ({ eventId, webhookId }: ExpectedDelivery) => `${eventId} ${webhookId}`;
  return deliveries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('The list is empty.');
  return item;
}
