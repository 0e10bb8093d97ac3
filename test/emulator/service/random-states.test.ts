/** Random histories of an emulator with paused deliveries, and with restarts, snapshots and resets in between. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import type { DeliveryDetail } from '../../../src/resources/delivery.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { readState } from './read-state.ts';

/** Number of histories, for a longer search: `HISTORIES=500 npx vitest run test/emulator/service/random-states.test.ts`. */
const HISTORIES = Number(process.env.HISTORIES ?? 4);
/** The same histories in every run, so that they are known to contain every operation and outcome. */
const SEED = 3;

const WINDOW_MS = 72 * HOUR_MS;
const MOVES_MS = [5 * MINUTE_MS, 35 * MINUTE_MS, 3 * HOUR_MS, 30 * HOUR_MS, WINDOW_MS - 1, WINDOW_MS];

/** The methods of {@link World} that a history consists of. */
const operations = [
  ...(['create', 'create', 'disable', 'disable', 'enable', 'respond'] as const),
  ...(['advance', 'advance', 'advance', 'restart', 'save', 'load', 'reset'] as const),
];

const history = fc.array(fc.record({ does: fc.constantFrom(...operations), number: fc.nat({ max: 11 }) }), {
  minLength: 15,
  maxLength: 25,
  size: 'max',
});

type State = Awaited<ReturnType<typeof readState>>;

it(
  'a restart, a snapshot and a reset restore the complete state, and no attempt is lost or repeated, in random histories [delivery.paused, §6.retries.window]',
  async () => {
    await using receiver = await createReceiver();
    const folder = createTemporaryFolder();
    const tally = new Map<string, number>();
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await using world = await World.open(receiver, join(folder, String(histories++)), tally);
        for (const { does, number } of steps) await world.play(does, number);
      }),
      { numRuns: HISTORIES, seed: SEED },
    );
    const outcomes = ['reset after start', 'reset after load', 'attempt', 'end of a paused delivery'];
    for (const name of [...operations, ...outcomes]) expect(tally.get(name), name).toBeGreaterThan(0);
  },
  HISTORIES * 60_000,
);

class World {
  readonly #receiver: Receiver;
  readonly #path: string;
  readonly #tally: Map<string, number>;
  readonly #wall = createTestWallClock();
  #emulator!: TestEmulator;
  #state!: State;
  /** The state that a reset restores. */
  #baseline!: State;
  #origin: 'start' | 'load' = 'start';
  #saved: State | null = null;

  static async open(receiver: Receiver, path: string, tally: Map<string, number>): Promise<World> {
    receiver.respond(503);
    const world = new World(receiver, path, tally);
    await world.#boot();
    for (const name of ['a', 'b'])
      await world.#emulator.control.createWebhook({ url: `${receiver.url}/${name}` });
    // The endpoints belong to the state that a reset restores.
    await world.restart();
    world.#state = world.#baseline;
    return world;
  }

  private constructor(receiver: Receiver, path: string, tally: Map<string, number>) {
    this.#receiver = receiver;
    this.#path = path;
    this.#tally = tally;
  }

  async play(operation: (typeof operations)[number], number: number): Promise<void> {
    // Refills the rate limit of the API.
    this.#wall.advance(SECOND_MS);
    this.#receiver.clear();
    const before = this.#state;
    const expected = await this[operation](number);
    this.#count(operation);
    // Waits for the attempts, without moving the clock.
    await this.#emulator.control.advanceClock({ ms: 0 });
    this.#state = await readState(this.#emulator);
    const sent = this.#receiver.requests.map(({ headers }) => headers['service-delivery-id']);
    if (expected === null) {
      this.#expectFollows(before, sent);
    } else {
      expect(this.#state).toEqual(expected);
      expect(sent).toEqual([]);
    }
    for (const delivery of this.#state.deliveries) this.#expectConsistent(delivery);
  }

  /** @returns null, as every operation after which the state is not known beforehand */
  async create(): Promise<null> {
    const { status } = await this.#emulator.api('POST', '/events', { type: 'order.shipped' });
    expect(status).toBe(201);
    return null;
  }

  /** From now on, the receiver accepts or rejects every attempt. */
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

  /** @returns the expected state, as do the following operations */
  async restart(): Promise<State> {
    await this.#emulator.close();
    await this.#boot();
    this.#origin = 'start';
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
    this.#origin = 'load';
    return this.#saved;
  }

  async reset(): Promise<State> {
    await this.#emulator.control.reset({});
    this.#count(`reset after ${this.#origin}`);
    return this.#baseline;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator.close();
  }

  async #boot(): Promise<void> {
    this.#emulator = await startTestEmulator({ db: `${this.#path}.db`, wall: this.#wall });
    this.#baseline = await readState(this.#emulator);
  }

  async #update(number: number, disabled: boolean): Promise<null> {
    const { webhooks } = this.#state;
    const id = webhooks[number % webhooks.length]?.id ?? '';
    await this.#emulator.control.updateWebhook({ id, disabled });
    return null;
  }

  /** Each request is one more attempt of its delivery. Settled deliveries do not change. */
  #expectFollows(before: State, sent: readonly unknown[]): void {
    const { deliveries, clock } = { ...this.#state, clock: this.#state.clocks[0] };
    const ids = deliveries.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...before.deliveries.map(({ id }) => id), ...sent]));
    for (const delivery of deliveries) {
      const earlier = before.deliveries.find(({ id }) => id === delivery.id);
      const requests = sent.filter((id) => id === delivery.id);
      this.#count('attempt', requests.length);
      const attemptsBefore = earlier?.attempts ?? [];
      expect(delivery.attempts).toHaveLength(attemptsBefore.length + requests.length);
      expect(delivery.attempts.slice(0, attemptsBefore.length)).toEqual(attemptsBefore);
      if (earlier !== undefined && earlier.status !== 'pending') expect(delivery).toEqual(earlier);
      if (earlier?.paused && Date.parse(clock?.now ?? '') >= endOf(earlier)) {
        this.#count('end of a paused delivery');
        const settled_at = new Date(endOf(earlier)).toISOString();
        expect(delivery).toMatchObject({ status: 'failed', settled_reason: 'window_elapsed', settled_at });
      }
    }
  }

  #expectConsistent(delivery: DeliveryDetail): void {
    const { webhooks, clocks } = this.#state;
    const now = Date.parse(clocks[0]?.now ?? '');
    const { attempts, status, paused, next_attempt_at: next } = delivery;
    const isDisabled = webhooks.find(({ id }) => id === delivery.webhook_id)?.disabled;
    expect(paused).toBe(status === 'pending' && isDisabled);
    expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
    for (const { scheduled_at: at } of attempts)
      expect(Date.parse(at)).toBeLessThanOrEqual(Math.min(endOf(delivery), now));
    if (status === 'pending' && !paused) expect(Date.parse(next ?? '')).toBeGreaterThan(now);
    else expect(next).toBeNull();
  }

  #count(name: string, by = 1): void {
    this.#tally.set(name, (this.#tally.get(name) ?? 0) + by);
  }
}

/** The end of the retry window, in milliseconds of the schedule clock. */
function endOf({ attempts, created_at: createdAt }: DeliveryDetail): number {
  return Date.parse(attempts[0]?.scheduled_at ?? createdAt) + WINDOW_MS;
}
