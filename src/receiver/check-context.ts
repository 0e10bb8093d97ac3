/** The context of each check, and what the checks of one receiver share, such as the client and the side effect counter. */
import { sleep } from '../timers.ts';
import { DeliveryFactory, type DeliveryFactoryOptions } from './delivery-factory.ts';
import {
  createReceiverClient,
  type DeliveryMessage,
  isAccepted,
  type ReceiverClient,
  type ReceiverClientOptions,
  type ReceiverResponse,
} from './receiver-client.ts';
import { ReceiverPace } from './receiver-pace.ts';
import {
  createSideEffectCounter,
  type ObservationUnavailable,
  type SideEffectCounter,
} from './side-effect-counter.ts';
import type { ReadSideEffects } from './side-effect-observer.ts';
import { listTamperedDeliveries, type TamperedDelivery } from './tampered-deliveries.ts';

export interface CheckContextOptions extends DeliveryFactoryOptions, ReceiverClientOptions {
  /** Time limit for a response or a side effect. */
  readonly timeoutMs: number;
  /** Null if side effects cannot be counted. If it returns IDs, the side effects of other senders do not count. */
  readonly readSideEffects: ReadSideEffects | null;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
  /** Milliseconds by which a valid delivery takes longer than a tampered one if the receiver responds after the work (default: 1000). */
  readonly slowThresholdMs?: number;
}

/** A delivery that a check repeats later. */
export interface EarlierDelivery {
  readonly message: DeliveryMessage;
  readonly response: ReceiverResponse;
  /** As of `performance.now()`. */
  readonly respondedAt: number;
}

const NO_OBSERVER: ObservationUnavailable = {
  reason: 'Pass --observe with a URL or a command that returns the number of processed events.',
};
const SLOW_THRESHOLD_MS = 1_000;
const RETRY_INTERVAL_MS = 250;
/** Time for a supervisor to restart the receiver. */
const RESTART_TIMEOUT_MS = 3_000;

/** What the contexts of all checks share. */
interface SharedState {
  readonly deliveries: DeliveryFactory;
  readonly pace: ReceiverPace;
  readonly client: ReceiverClient;
  /** The IDs of the events of all deliveries. */
  readonly sentIds: Set<string>;
  /** The responses to tampered deliveries, by the ID of the check. */
  readonly tamperedResponses: Map<string, Promise<ReceiverResponse>>;
  sideEffectCounter: SideEffectCounter | ObservationUnavailable | undefined;
  earlierDelivery: Promise<EarlierDelivery> | undefined;
}

/** The context of one check, because some checks run at the same time. */
export class CheckContext {
  /** The responses to the deliveries of this check, and to those of other checks that it uses. */
  readonly responses: ReceiverResponse[] = [];
  readonly #options: CheckContextOptions;
  readonly #shared: SharedState;

  constructor(
    options: CheckContextOptions,
    shared: SharedState = {
      deliveries: new DeliveryFactory(options),
      pace: new ReceiverPace(options.timeoutMs),
      client: createReceiverClient(options),
      sentIds: new Set(),
      tamperedResponses: new Map(),
      sideEffectCounter: undefined,
      earlierDelivery: undefined,
    },
  ) {
    this.#options = options;
    this.#shared = shared;
  }

  /** Returns the context of another check. */
  forCheck(): CheckContext {
    return new CheckContext(this.#options, this.#shared);
  }

  get deliveries(): DeliveryFactory {
    return this.#shared.deliveries;
  }

  get pace(): ReceiverPace {
    return this.#shared.pace;
  }

  get apiKey(): string | null {
    return this.#options.apiKey;
  }

  get slowThresholdMs(): number {
    return this.#options.slowThresholdMs ?? SLOW_THRESHOLD_MS;
  }

  async send(message: DeliveryMessage): Promise<ReceiverResponse> {
    const { sideEffectCounter: sideEffects, pace, client, sentIds } = this.#shared;
    const eventId: string = JSON.parse(message.body).data.id;
    sentIds.add(eventId);
    const counter = sideEffects === undefined || 'reason' in sideEffects ? null : sideEffects;
    counter?.expectChange();
    const response = await client.send(message, pace.limitMs);
    if (isAccepted(response)) counter?.expectSideEffect(eventId);
    this.responses.push(response);
    if (response.failure === 'timeout') pace.noteTimeout();
    this.deliveries.noteServerTime(response);
    return response;
  }

  /** Sends each message after the response to the one before, or all at once to a slow receiver that handles them concurrently. */
  async sendAll(messages: readonly DeliveryMessage[]): Promise<readonly ReceiverResponse[]> {
    return this.#mapEach(messages, (message) => this.send(message));
  }

  /** Sends each message after the response to the one before. */
  async sendInOrder(messages: readonly DeliveryMessage[]): Promise<readonly ReceiverResponse[]> {
    return mapInOrder(messages, (message) => this.send(message));
  }

  /** Sends a tampered delivery only once, on the first call by any check. @returns its response on each call */
  async sendTampered({ id, create }: TamperedDelivery): Promise<ReceiverResponse> {
    const { tamperedResponses, deliveries } = this.#shared;
    const earlier = tamperedResponses.get(id);
    const responding = earlier ?? this.send(create(deliveries, deliveries.createBody()));
    tamperedResponses.set(id, responding);
    const response = await responding;
    if (earlier !== undefined) this.responses.push(response);
    return response;
  }

  /** Sends the tampered deliveries that no check has sent yet. @returns the responses to all */
  async sendAllTampered(): Promise<readonly ReceiverResponse[]> {
    return this.#mapEach(listTamperedDeliveries(this.deliveries.scheme), (delivery) =>
      this.sendTampered(delivery),
    );
  }

  #mapEach<Item>(
    items: readonly Item[],
    send: (item: Item) => Promise<ReceiverResponse>,
  ): Promise<ReceiverResponse[]> {
    return this.pace.isConcurrent ? Promise.all(items.map(send)) : mapInOrder(items, send);
  }

  /**
   * The side effect counter, or why it cannot be used. A valid delivery tests it on the first call by any check.
   * @throws SvcError as {@link ReadEffects}
   */
  async getSideEffectCounter(): Promise<SideEffectCounter | ObservationUnavailable> {
    return this.testSideEffectCounter(async () => isAccepted(await this.send(this.deliveries.createValid())));
  }

  /**
   * As {@link getSideEffectCounter}, but tested with other deliveries.
   * @param deliver sends valid deliveries until one is accepted, and returns whether one was
   */
  async testSideEffectCounter(
    deliver: () => Promise<boolean>,
  ): Promise<SideEffectCounter | ObservationUnavailable> {
    const { readSideEffects, timeoutMs, signal } = this.#options;
    if (readSideEffects === null) return NO_OBSERVER;
    const { sentIds } = this.#shared;
    this.#shared.sideEffectCounter ??= await createSideEffectCounter(
      { readSideEffects, sentIds, timeoutMs, signal },
      deliver,
    );
    return this.#shared.sideEffectCounter;
  }

  /** Time limit for a response or a side effect. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Whether side effects might be counted. */
  get hasObserver(): boolean {
    return this.#options.readSideEffects !== null;
  }

  /** Sends a valid delivery on the first call, and returns it on each. */
  getEarlierDelivery(): Promise<EarlierDelivery> {
    this.#shared.earlierDelivery ??= this.#sendEarlierDelivery();
    return this.#shared.earlierDelivery;
  }

  async #sendEarlierDelivery(): Promise<EarlierDelivery> {
    const message = this.deliveries.createValid();
    const response = await this.send(message);
    return { message, response, respondedAt: performance.now() };
  }

  /** Sends valid deliveries at the same time. @returns the times of the responses in ms; infinite for one that is not accepted */
  async measureResponses(count: number): Promise<readonly number[]> {
    const sending = Array.from({ length: count }, () => this.send(this.deliveries.createValid()));
    return (await Promise.all(sending)).map((response) =>
      isAccepted(response) ? response.durationMs : Number.POSITIVE_INFINITY,
    );
  }

  /** Whether the receiver accepts a valid delivery, now or after a restart. */
  async isResponsive(): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      if (isAccepted(await this.send(this.deliveries.createValid()))) return true;
      if (this.isInterrupted || performance.now() - startedAt > RESTART_TIMEOUT_MS) return false;
      await this.sleep(RETRY_INTERVAL_MS);
    }
  }

  /** Whether the checks end early. Their results do not matter then. */
  get isInterrupted(): boolean {
    return this.#options.signal.aborted;
  }

  /** Resolves after `ms`, or when the checks are interrupted. */
  sleep(ms: number): Promise<void> {
    return sleep(ms, this.#options.signal);
  }
}

async function mapInOrder<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}
