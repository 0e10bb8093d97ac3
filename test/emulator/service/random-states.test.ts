/** Random histories of an emulator with restarts, snapshots and resets between other operations. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import type { StreamItem } from '../../../src/operations/stream-schemas.ts';
import type { DeliveryDetail } from '../../../src/resources/delivery.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

/** Number of histories, for a longer search: `HISTORIES=2000 npx vitest run test/emulator/service/random-states.test.ts`. */
const HISTORIES = process.env.HISTORIES === undefined ? undefined : Number(process.env.HISTORIES);
const TIMEOUT_MS = HISTORIES === undefined ? 60 * SECOND_MS : HOUR_MS;
/** The same histories in every run, so that a few of them are known to contain every operation. */
const SEED = 16;

const WINDOW_MS = 72 * HOUR_MS;
const SHORTEST_DELAY_MS = 5 * MINUTE_MS;
const MOVES_MS = [5 * MINUTE_MS, 35 * MINUTE_MS, 3 * HOUR_MS, 30 * HOUR_MS, WINDOW_MS - 1, WINDOW_MS];

/** The methods of {@link World} that a history consists of. One that is listed twice occurs twice as often. */
const verbs = [
  ...(['create', 'create', 'disable', 'disable', 'enable', 'respond'] as const),
  ...(['advance', 'advance', 'advance'] as const),
  ...(['restart', 'save', 'load', 'reset'] as const),
];
type Verb = (typeof verbs)[number];

const history = fc.array(fc.record({ does: fc.constantFrom(...verbs), number: fc.nat({ max: 11 }) }), {
  minLength: 5,
  maxLength: 25,
  size: 'max',
});

/** Counts over all histories. */
type Tally = Record<Verb | Origin | 'paused deliveries ended' | 'attempts', number>;

/** Origin of the state that a reset restores. */
type Origin = 'reset after boot' | 'reset after restart' | 'reset after load';

type State = Awaited<ReturnType<typeof readState>>;

/** The complete state of an emulator except wall time. */
async function readState({ control }: TestEmulator) {
  const { data } = await control.listDeliveries({});
  const { wall: _, ...clock } = await control.getClock({});
  return {
    clock,
    workspaces: (await control.listWorkspaces({})).data,
    keys: (await control.listKeys({})).data,
    webhooks: (await control.listWebhooks({})).data,
    deliveries: await Promise.all(data.map(({ id }) => control.getDelivery({ id }))),
    requests: (await control.listRequests({})).data,
    pending: (await control.getStatus({})).deliveries,
  };
}

it(
  'A reset restores the state after boot, restart or load, and no attempt is lost or repeated, in random histories [delivery.paused, §6.retries.window]',
  async () => {
    await using receiver = await createReceiver();
    const folder = createTemporaryFolder();
    let histories = 0;
    const tally = {
      ...(Object.fromEntries(verbs.map((verb) => [verb, 0])) as Record<Verb, number>),
      'reset after boot': 0,
      'reset after restart': 0,
      'reset after load': 0,
      'paused deliveries ended': 0,
      attempts: 0,
    };
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await using world = await World.open(receiver, join(folder, String(histories++)), tally);
        for (const { does, number } of steps) await world.play(does, number);
        await world.finish();
      }),
      { numRuns: HISTORIES ?? 8, seed: SEED },
    );
    for (const count of Object.values(tally)) expect(count).toBeGreaterThan(0);
    if (HISTORIES !== undefined) process.stdout.write(`${JSON.stringify(tally)}\n`);
  },
  TIMEOUT_MS,
);

class World {
  readonly #receiver: Receiver;
  readonly #path: string;
  readonly #tally: Tally;
  readonly #wall = createTestWallClock();
  #emulator!: TestEmulator;
  #follower!: Follower;
  /** The state that a reset restores. */
  #baseline!: State;
  #origin: Origin = 'reset after boot';
  #state!: State;
  #saved: State | null = null;

  static async open(receiver: Receiver, path: string, tally: Tally): Promise<World> {
    receiver.clear();
    receiver.respond(503);
    const world = new World(receiver, path, tally);
    await world.#boot(0);
    const { control } = world.#emulator;
    for (const place of ['a', 'b']) await control.createWebhook({ url: `${receiver.url}/${place}` });
    world.#state = await readState(world.#emulator);
    return world;
  }

  private constructor(receiver: Receiver, path: string, tally: Tally) {
    this.#receiver = receiver;
    this.#path = path;
    this.#tally = tally;
  }

  async play(verb: Verb, number: number): Promise<void> {
    // Refills the rate limit of the API.
    this.#wall.advance(SECOND_MS);
    const [before, requests] = [this.#state, this.#receiver.requests.length];
    const expected = await this[verb](number);
    await this.#emulator.control.advanceClock({ ms: 0 });
    this.#state = await readState(this.#emulator);
    const sent = this.#receiver.requests
      .slice(requests)
      .map((request) => request.headers['service-delivery-id']);
    this.#tally[verb]++;
    this.#tally.attempts += sent.length;
    if (expected === null) {
      this.#expectFollows(before, this.#state, sent);
    } else {
      expect(this.#state).toEqual(expected);
      expect(sent).toEqual([]);
    }
    for (const delivery of this.#state.deliveries) this.#expectConsistent(delivery);
    const isPending = ({ status }: DeliveryDetail) => status === 'pending';
    expect(this.#state.pending.pending).toBe(this.#state.deliveries.filter(isPending).length);
    await this.#follower.receive(this.#receiver.requests.length);
  }

  /** @returns the state that this leads to; null where it follows from the state before. */
  async create(): Promise<null> {
    const { status } = await this.#emulator.api('POST', '/events', { type: 'order.shipped' });
    expect(status).toBe(201);
    return null;
  }

  /** From now on the receiver accepts every attempt or refuses every attempt. */
  async respond(number: number): Promise<null> {
    this.#receiver.respond(number % 3 === 0 ? 200 : 503);
    return null;
  }

  disable(number: number): Promise<null> {
    return this.#update(number, true);
  }

  enable(number: number): Promise<null> {
    return this.#update(number, false);
  }

  async advance(number: number): Promise<null> {
    await this.#emulator.control.advanceClock({ ms: MOVES_MS[number % MOVES_MS.length] ?? 0 });
    return null;
  }

  async restart(): Promise<State> {
    await this.#close();
    await this.#boot(this.#follower.last);
    this.#origin = 'reset after restart';
    return this.#state;
  }

  async save(): Promise<State> {
    await this.#emulator.control.saveSnapshot({ path: `${this.#path}.svc` });
    this.#saved = this.#state;
    return this.#state;
  }

  async load(): Promise<State> {
    if (this.#saved === null) return this.#state;
    await this.#emulator.control.loadSnapshot({ path: `${this.#path}.svc` });
    this.#baseline = this.#saved;
    this.#origin = 'reset after load';
    return this.#saved;
  }

  async reset(): Promise<State> {
    await this.#emulator.control.reset({});
    this.#tally[this.#origin]++;
    return this.#baseline;
  }

  /** Waits for one more event, so that no earlier item of the stream is in flight. */
  async finish(): Promise<void> {
    await this.play('enable', 0);
    await this.play('enable', 1);
    await this.play('create', 0);
    const sent = this.#receiver.requests.map(({ headers }) => headers['service-delivery-id']);
    expect(this.#follower.attempts.toSorted()).toEqual(sent.toSorted());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #boot(lastSequence: number): Promise<void> {
    this.#emulator = await startTestEmulator({ db: `${this.#path}.db`, wall: this.#wall });
    this.#baseline = await readState(this.#emulator);
    const received = this.#follower?.attempts ?? [];
    this.#follower = new Follower(this.#emulator, lastSequence, received);
  }

  async #close(): Promise<void> {
    await this.#follower.leave();
    await this.#emulator.close();
  }

  async #update(number: number, disabled: boolean): Promise<null> {
    const { webhooks } = this.#state;
    const id = webhooks[number % webhooks.length]?.id;
    if (id !== undefined) await this.#emulator.control.updateWebhook({ id, disabled });
    return null;
  }

  /** Each request is one more attempt of its delivery. Otherwise, deliveries only change when they settle. */
  #expectFollows(before: State, after: State, sent: readonly unknown[]): void {
    const deliveriesBefore = new Map(before.deliveries.map((delivery) => [delivery.id, delivery]));
    for (const delivery of after.deliveries) {
      const deliveryBefore = deliveriesBefore.get(delivery.id);
      deliveriesBefore.delete(delivery.id);
      const requests = sent.filter((id) => id === delivery.id).length;
      expect(delivery.attempts).toHaveLength((deliveryBefore?.attempts.length ?? 0) + requests);
      expect(delivery.attempts.slice(0, deliveryBefore?.attempts.length ?? 0)).toEqual(
        deliveryBefore?.attempts ?? [],
      );
      if (deliveryBefore?.paused)
        this.#expectAfterPause(deliveryBefore, delivery, Date.parse(after.clock.now));
      if (deliveryBefore !== undefined && deliveryBefore.status !== 'pending')
        expect(delivery).toEqual(deliveryBefore);
    }
    expect([...deliveriesBefore]).toEqual([]);
  }

  /** A paused delivery fails exactly 72 hours after its first attempt. */
  #expectAfterPause(deliveryBefore: DeliveryDetail, delivery: DeliveryDetail, now: number): void {
    const endsAt = startOf(deliveryBefore) + WINDOW_MS;
    if (now < endsAt) {
      if (delivery.attempts.length === deliveryBefore.attempts.length)
        expect(delivery.status).toBe('pending');
      return;
    }
    expect(delivery).toMatchObject({
      status: 'failed',
      settled_reason: 'window_elapsed',
      attempts: deliveryBefore.attempts,
      settled_at: new Date(endsAt).toISOString(),
    });
    this.#tally['paused deliveries ended']++;
  }

  #expectConsistent(delivery: DeliveryDetail): void {
    const { webhooks, clock } = this.#state;
    const { attempts, status, next_attempt_at: next } = delivery;
    const isDisabled = webhooks.find(({ id }) => id === delivery.webhook_id)?.disabled;
    expect(delivery.paused).toBe(status === 'pending' && isDisabled);
    expect(delivery.attempt_count).toBe(attempts.length);
    expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
    const times = attempts.map(({ scheduled_at: at }) => Date.parse(at));
    for (const [index, at] of times.entries()) {
      const earlier = times[index - 1];
      if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(SHORTEST_DELAY_MS);
      expect(at).toBeLessThanOrEqual(Math.min(startOf(delivery) + WINDOW_MS, Date.parse(clock.now)));
    }
    if (status !== 'pending' || delivery.paused) expect(next).toBeNull();
    else expect(Date.parse(next ?? '')).toBeGreaterThan(Date.parse(clock.now));
  }
}

function startOf({ attempts, created_at: createdAt }: DeliveryDetail): number {
  return Date.parse(attempts[0]?.scheduled_at ?? createdAt);
}

/** A follower of the live stream, which continues after the last item that was seen before a restart. */
class Follower {
  /** The newest sequence that it received. */
  last: number;
  /** Delivery ids of the attempts that it received. */
  readonly attempts: string[];
  readonly #leaving = new AbortController();
  readonly #reading: Promise<void>;
  #onItem = () => {};

  constructor({ control }: TestEmulator, last: number, attempts: string[]) {
    this.last = last;
    this.attempts = attempts;
    const from = last === 0 ? {} : { since_sequence: last };
    this.#reading = this.#follow(control.stream(from, this.#leaving.signal));
    // The error is reported when the stream is closed, which awaits it.
    this.#reading.catch(() => this.#onItem());
  }

  async #follow(items: AsyncIterable<StreamItem>): Promise<void> {
    for await (const item of items) {
      expect(item.sequence).toBeGreaterThan(this.last);
      this.last = item.sequence;
      if (item.type === 'attempt') this.attempts.push(item.delivery.id);
      this.#onItem();
    }
  }

  /** Waits until it has received `count` attempts. */
  async receive(count: number): Promise<void> {
    while (this.attempts.length < count) {
      const item = new Promise<void>((resolve) => {
        this.#onItem = resolve;
      });
      const reason = await Promise.race([item.then(() => null), this.#reading.then(() => 'ended')]);
      if (reason !== null) throw new Error('the stream has ended');
    }
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#reading;
  }
}
