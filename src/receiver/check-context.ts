/** What the checks of one receiver share: deliveries, the client and the effect counter. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryFactory, type DeliveryFactoryOptions } from './delivery-factory.ts';
import { createEffectCounter, type EffectCounter, type ObservationUnavailable } from './effect-counter.ts';
import type { CountEffects } from './effect-observer.ts';
import {
  createReceiverClient,
  type DeliveryMessage,
  isAccepted,
  type ReceiverClientOptions,
  type ReceiverResponse,
  type SendToReceiver,
} from './receiver-client.ts';

export interface CheckContextOptions extends DeliveryFactoryOptions, ReceiverClientOptions {
  /** Null if effects cannot be counted. An effect may take as long as a response (`timeoutMs`). */
  readonly countEffects: CountEffects | null;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
  /** A receiver responds after the work if a valid delivery takes this much longer than a tampered one (default: 1000). */
  readonly slowThresholdMs?: number;
}

const NO_OBSERVER: ObservationUnavailable = {
  reason: 'Pass --observe with a URL or a command that returns the number of processed events.',
};
const SLOW_THRESHOLD_MS = 1_000;
const RETRY_INTERVAL_MS = 250;
/** Time for a supervisor to restart the receiver. */
const RESTART_TIMEOUT_MS = 3_000;

export class CheckContext {
  readonly deliveries: DeliveryFactory;
  readonly apiKey: string | null;
  readonly slowThresholdMs: number;
  readonly #options: CheckContextOptions;
  readonly #send: SendToReceiver;
  #effectCounter: EffectCounter | ObservationUnavailable | undefined;
  #responses: ReceiverResponse[] = [];

  constructor(options: CheckContextOptions) {
    this.deliveries = new DeliveryFactory(options);
    this.apiKey = options.apiKey;
    this.slowThresholdMs = options.slowThresholdMs ?? SLOW_THRESHOLD_MS;
    this.#options = options;
    this.#send = createReceiverClient(options);
  }

  async send(message: DeliveryMessage): Promise<ReceiverResponse> {
    const response = await this.#send(message);
    this.#responses.push(response);
    return response;
  }

  /** Sends each message after the response to the one before. */
  async sendInOrder(messages: readonly DeliveryMessage[]): Promise<readonly ReceiverResponse[]> {
    const responses: ReceiverResponse[] = [];
    for (const message of messages) responses.push(await this.send(message));
    return responses;
  }

  /** The effect counter, which is tested on the first call. @throws SvcError as {@link CountEffects} */
  async getEffectCounter(): Promise<EffectCounter | ObservationUnavailable> {
    const { countEffects, timeoutMs } = this.#options;
    if (countEffects === null) return NO_OBSERVER;
    this.#effectCounter ??= await createEffectCounter(
      countEffects,
      () => this.send(this.deliveries.createValid()),
      timeoutMs,
    );
    return this.#effectCounter;
  }

  /** Whether the receiver accepts a valid delivery, now or after a restart. */
  async isResponsive(): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      if (isAccepted(await this.send(this.deliveries.createValid()))) return true;
      if (performance.now() - startedAt > RESTART_TIMEOUT_MS) return false;
      await sleep(RETRY_INTERVAL_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** Returns the responses since the last call. */
  takeResponses(): readonly ReceiverResponse[] {
    const responses = this.#responses;
    this.#responses = [];
    return responses;
  }
}
