/** Random histories of a workspace: actions of users, receivers and the clock in any order. */
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { ClockController } from '../../../src/emulator/deliveries/clock-controller.ts';
import type { Sender, SendRequest, SendResult } from '../../../src/emulator/deliveries/sender.ts';
import {
  createScriptedSender,
  failedResult,
  runEventLoop,
  type SentAttempt,
  startDispatcher,
} from './dispatcher-setup.ts';

const ENDPOINTS = 12;
/** Each host has two endpoints. */
const HOSTS = 6;
const SPEEDS = [1, 60, 3600];

/** The methods of {@link HistoryRunner} that a history consists of. */
const verbs = [
  ...([
    'create',
    'replay',
    'replayAsNew',
    'respond',
    'respondToAll',
    'drop',
    'disable',
    'enable',
    'remove',
  ] as const),
  ...(['pass', 'advance', 'next', 'settle', 'freeze', 'resume', 'speed'] as const),
];

type Response = Partial<SendResult>;

interface Step {
  readonly does: (typeof verbs)[number];
  /** A count, a duration or an index, depending on the verb. */
  readonly number: number;
  /** The response of a receiver, or the failure of the attempt. */
  readonly response: Response;
  /** Turns of the event loop until the next step. With few of them, steps share a group of writes. */
  readonly pause: number;
}

const response = fc.oneof(
  fc.constant<Response>({}),
  fc
    .option(fc.nat({ max: 30 * HOUR_MS }))
    .map((retryAfterMs): Response => ({ ...failedResult, retryAfterMs })),
  fc
    .constantFrom('timeout', 'connection_error', 'dns_error', 'tls_error', 'blocked')
    .map((outcome): Response => ({ ...failedResult, outcome, responseStatus: null, response: null })),
);

export type History = readonly Step[];

export const history: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ does: fc.constantFrom(...verbs), number: fc.nat(), response, pause: fc.nat({ max: 4 }) }),
  { minLength: 1, maxLength: 60, size: 'max' },
);

export interface Limits {
  readonly per_endpoint: number;
  readonly total: number;
}

/** A sender and the receivers at the other end. */
interface Transport {
  readonly sender: Sender;
  /** The origins of the hosts; endpoints share them. */
  readonly origins: readonly string[];
  /** Requests that wait for a response. */
  readonly inFlight: ReadonlySet<SentAttempt>;
  /** Closes a connection on which a request has been read. */
  drop(number: number): void;
  /** Number of requests of a delivery that reached a host. */
  countOf(deliveryId: string): number;
}

/** A transport without a network: every attempt is one request. */
function createScriptedTransport(): Transport {
  const { sender, sent, inFlight } = createScriptedSender();
  const drop = (number: number) =>
    void pickCyclic([...inFlight], number)?.respond({
      ...failedResult,
      ...{ outcome: 'connection_error', responseStatus: null, response: null },
    });
  return {
    ...{ sender, inFlight, drop },
    origins: Array.from({ length: HOSTS }, (_, host) => `http://127.0.0.1:${host + 1}`),
    countOf: (id) => sent.filter(({ deliveryId }) => deliveryId === id).length,
  };
}

/** Runs a history until nothing is due. The timers must be fake: they follow the time of the history. @returns the final state */
export async function runHistory(limits: Limits, steps: History) {
  const runner = new HistoryRunner(limits, createScriptedTransport());
  await runner.create(0);
  const started: unknown[] = [];
  for (const { does, number, response, pause } of steps) {
    started.push(runner[does](number, response));
    await runEventLoop(pause);
  }
  await Promise.all(started);
  return runner.end();
}

class HistoryRunner {
  readonly #dispatch: ReturnType<typeof startDispatcher>;
  readonly #driver: ClockController;
  readonly #transport: Transport;
  readonly #endpoints: string[];
  readonly #deliveries: string[] = [];
  /** Clock commands in progress: they wait for responses, which come in later steps. */
  readonly #commands = new Set<Promise<unknown>>();
  /** Number of requested replays of each delivery. */
  readonly #replays = new Map<string, number>();
  /** Schedule times at which the attempts of each delivery started. */
  readonly #startTimes = new Map<string, number[]>();
  /** Maximum number of attempts that were in flight at once. */
  readonly #peak = { total: 0, endpoint: 0, delivery: 0 };

  /** Attempts in flight. */
  readonly #sending = new Set<SendRequest>();

  constructor(limits: Limits, transport: Transport) {
    this.#transport = transport;
    const sender = { ...transport.sender, send: this.#send };
    const overrides = { 'delivery.concurrency': limits };
    this.#dispatch = startDispatcher({ sender, overrides, frozen: false });
    this.#driver = new ClockController(this.#dispatch.sandbox, this.#dispatch.dispatcher);
    const { origins } = transport;
    const urls = Array.from(
      { length: ENDPOINTS },
      (_, index) => `${origins[index % origins.length]}/${index}`,
    );
    this.#endpoints = urls.map((url) => this.#dispatch.endpoint(url).id);
  }

  async create(number: number): Promise<void> {
    this.#deliveries.push(...(await this.#dispatch.trigger(1 + (number % 8))));
  }

  replay(number: number): Promise<void> {
    return this.#replay(number, false);
  }

  replayAsNew(number: number): Promise<void> {
    return this.#replay(number, true);
  }

  async respond(number: number, response: Response): Promise<void> {
    await pickCyclic([...this.#transport.inFlight], number)?.respond(response);
  }

  async respondToAll(_: number, response: Response): Promise<void> {
    await Promise.all([...this.#transport.inFlight].map((attempt) => attempt.respond(response)));
  }

  drop(number: number): void {
    this.#transport.drop(number);
  }

  disable(number: number): Promise<void> {
    return this.#update(number, true);
  }

  enable(number: number): Promise<void> {
    return this.#update(number, false);
  }

  async remove(number: number): Promise<void> {
    const [id] = this.#endpoints.splice(number % ENDPOINTS, 1);
    if (id !== undefined) await this.#dispatch.remove(id);
  }

  pass(number: number): void {
    const ms = number % (10 * MINUTE_MS);
    this.#dispatch.pass(ms);
    vi.advanceTimersByTime(ms);
  }

  advance(number: number): void {
    this.#command(this.#driver.advance(this.#dispatch.workspace, number % (80 * HOUR_MS)));
  }

  next(): void {
    this.#command(this.#driver.next(this.#dispatch.workspace));
  }

  settle(): void {
    this.#command(this.#driver.settle(this.#dispatch.workspace));
  }

  freeze(): void {
    this.#set({ frozen: true });
  }

  resume(): void {
    this.#set({ frozen: false });
  }

  speed(number: number): void {
    this.#set({ speed: pickCyclic(SPEEDS, number) ?? 1 });
  }

  /** Enables every endpoint and accepts every request until nothing is in flight. */
  async end() {
    const { dispatcher, workspace, store, faults, get } = this.#dispatch;
    for (const index of this.#endpoints.keys()) await this.enable(index);
    while (this.#commands.size > 0 || this.#sending.size > 0) {
      await this.respondToAll(0, {});
      await runEventLoop();
    }
    const now = workspace.clock.now();
    const deliveries = this.#deliveries.map((id) => {
      const { seq } = get(id);
      return {
        progress: store.deliveries.getProgress(seq),
        attempts: store.attempts.listByDelivery(seq),
        replays: this.#replays.get(id) ?? 0,
        started: this.#startTimes.get(id) ?? [],
        seen: this.#transport.countOf(id),
      };
    });
    await dispatcher.stop(0);
    store.close();
    return { now, deliveries, faults, peak: this.#peak };
  }

  /** Wraps the sender to record attempts in flight, their start and their duration. */
  readonly #send: Sender['send'] = async (request) => {
    const { workspace, sandbox } = this.#dispatch;
    const sentAt = sandbox.wall.monotonic();
    const sending = this.#transport.sender.send(request);
    this.#sending.add(request);
    const id = request.headers['Service-Delivery-Id'] ?? '';
    this.#startTimes.set(id, [...(this.#startTimes.get(id) ?? []), workspace.clock.now()]);
    const now = [...this.#sending];
    const toEndpoint = now.filter(({ url }) => url === request.url).length;
    const ofDelivery = now.filter(({ headers }) => headers['Service-Delivery-Id'] === id).length;
    this.#peak.total = Math.max(this.#peak.total, now.length);
    this.#peak.endpoint = Math.max(this.#peak.endpoint, toEndpoint);
    this.#peak.delivery = Math.max(this.#peak.delivery, ofDelivery);
    const result = await sending;
    this.#sending.delete(request);
    return { ...result, durationMs: sandbox.wall.monotonic() - sentAt };
  };

  async #replay(number: number, isNew: boolean): Promise<void> {
    const id = pickCyclic(this.#deliveries, number);
    if (id === undefined) return;
    try {
      const row = await this.#dispatch.replay(id, { new_id: isNew });
      if (isNew) this.#deliveries.push(row.id);
      else this.#replays.set(id, (this.#replays.get(id) ?? 0) + 1);
    } catch (refusal) {
      // Its endpoint was deleted.
      expect(refusal).toMatchObject({ code: 'conflict' });
    }
  }

  async #update(number: number, disabled: boolean): Promise<void> {
    const id = pickCyclic(this.#endpoints, number);
    if (id !== undefined) await this.#dispatch.update(id, { disabled });
  }

  #set(change: { readonly speed?: number; readonly frozen?: boolean }): void {
    this.#command(this.#driver.set(this.#dispatch.workspace, change));
  }

  #command(command: Promise<unknown>): void {
    const ended = command.finally(() => this.#commands.delete(ended));
    this.#commands.add(ended);
  }
}

function pickCyclic<Item>(items: readonly Item[], number: number): Item | undefined {
  return items[number % items.length];
}
