/** What the checks of one receiver share, such as the client and the side effect counter. */
import { SvcError } from '../errors.ts';
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
import { type ObservationUnavailable, SideEffectCounter } from './side-effect-counter.ts';
import type { ReadSideEffects } from './side-effect-reader.ts';

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

/** The delivery that the check of a valid delivery sent. Another check repeats it later. */
export interface FirstDelivery {
  readonly message: DeliveryMessage;
  readonly response: ReceiverResponse;
  /** As of `performance.now()`. */
  readonly respondedAt: number;
}

const NO_OBSERVER: ObservationUnavailable = {
  reason: 'Pass --observe with a URL or a command that returns the number of processed events.',
};
const SLOW_THRESHOLD_MS = 1_000;
/** While all responses are late, they are awaited for this many time limits, because they still show what the receiver does. */
const LATE_FACTOR = 2;
/** A receiver is slow if its quickest response takes at least this share of the time limit. */
const SLOW_SHARE = 1 / 4;
const RETRY_INTERVAL_MS = 250;
/** Time for a supervisor to restart the receiver. */
const RESTART_TIMEOUT_MS = 3_000;

export class CheckContext {
  readonly deliveries: DeliveryFactory;
  /** The responses to the deliveries of the check that runs. */
  responses: ReceiverResponse[] = [];
  /** Set before all other checks. */
  firstDelivery: FirstDelivery | undefined;
  /** The shortest time of a response to one of the first valid deliveries, in milliseconds; infinite before the first. */
  responseMs = Number.POSITIVE_INFINITY;
  /** The first error of the side effect count. */
  observerProblem: string | null = null;
  readonly #options: CheckContextOptions;
  readonly #client: ReceiverClient;
  /** Null if side effects cannot be counted. */
  readonly #counter: SideEffectCounter | null;
  /** The result of the test of the counter. */
  #testedCounter: SideEffectCounter | ObservationUnavailable | undefined;

  constructor(options: CheckContextOptions) {
    this.#options = options;
    this.deliveries = new DeliveryFactory(options);
    this.#client = createReceiverClient(options);
    const { readSideEffects, timeoutMs, signal } = options;
    this.#counter =
      readSideEffects === null ? null : new SideEffectCounter(readSideEffects, timeoutMs, signal);
  }

  get apiKey(): string | null {
    return this.#options.apiKey;
  }

  get slowThresholdMs(): number {
    return this.#options.slowThresholdMs ?? SLOW_THRESHOLD_MS;
  }

  /** Sends a valid delivery. If it is accepted, its event must have a side effect. */
  async send(message: DeliveryMessage): Promise<ReceiverResponse> {
    const response = await this.#sendAny(message);
    if (isAccepted(response)) this.#counter?.noteAccepted(readEventId(message));
    return response;
  }

  /** Sends each valid delivery after the response to the one before. */
  async sendInOrder(messages: readonly DeliveryMessage[]): Promise<readonly ReceiverResponse[]> {
    const responses: ReceiverResponse[] = [];
    for (const message of messages) responses.push(await this.send(message));
    return responses;
  }

  /** Sends each tampered delivery after the response to the one before. None needs a side effect, even if it is accepted. */
  async sendTampered(...messages: readonly DeliveryMessage[]): Promise<readonly ReceiverResponse[]> {
    const responses: ReceiverResponse[] = [];
    for (const message of messages) responses.push(await this.#sendAny(message));
    return responses;
  }

  async #sendAny(message: DeliveryMessage): Promise<ReceiverResponse> {
    this.#counter?.noteSent(readEventId(message));
    const limitMs = this.isLate ? LATE_FACTOR * this.timeoutMs : this.timeoutMs;
    const response = await this.#client.send(message, limitMs);
    this.responses.push(response);
    this.deliveries.noteServerTime(response);
    return response;
  }

  /**
   * The side effect counter, or why it cannot be used. A valid delivery tests it on the first call by any check.
   * @throws SvcError as {@link ReadSideEffects}
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
    if (this.#counter === null) return NO_OBSERVER;
    this.#testedCounter ??= await this.#counter.test(deliver);
    return this.#testedCounter;
  }

  /** Call this if side effects could not be counted. They may be counted again later. @throws the error if it is unexpected */
  noteObserverProblem(error: unknown): SvcError {
    if (!(error instanceof SvcError)) throw error;
    this.observerProblem ??= error.message;
    return error;
  }

  /** Time limit for a response or a side effect. */
  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  /** Whether responses come after the time limit of the service, or none has come yet. */
  get isLate(): boolean {
    return this.responseMs > this.timeoutMs;
  }

  /** Whether responses take so long that checks send as few deliveries as they can. */
  get isSlow(): boolean {
    return this.responseMs >= SLOW_SHARE * this.timeoutMs;
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

/** The ID of the event that a delivery is for. */
export function readEventId({ body }: DeliveryMessage): string {
  return JSON.parse(body).data.id;
}
