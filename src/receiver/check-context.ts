/** Everything that the checks of one receiver use: deliveries, responses and the effect count. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryFactory } from './delivery-factory.ts';
import { createEffectCounter, type EffectCounter, type ObservationUnavailable } from './effect-counter.ts';
import type { CountEffects } from './effect-observer.ts';
import {
  type DeliveryMessage,
  isAccepted,
  type ReceiverResponse,
  type SendToReceiver,
} from './receiver-client.ts';

export interface CheckContextOptions {
  readonly deliveries: DeliveryFactory;
  readonly send: SendToReceiver;
  readonly count: CountEffects | null;
  /** Null if none is known. */
  readonly apiKey: string | null;
  /** How long an effect may take. */
  readonly effectTimeoutMs: number;
  /** Ends the wait for a receiver that is down. */
  readonly signal: AbortSignal;
  /** A response to a valid delivery that takes this much longer than one to a tampered delivery has waited for the work. */
  readonly slowThresholdMs: number;
}

const NO_OBSERVER: ObservationUnavailable = {
  reason: 'Pass --observe with a URL or a command that returns the number of processed events.',
};
const CHECK_INTERVAL_MS = 250;
/** Time for a supervisor to restart the receiver. */
const RESTART_TIMEOUT_MS = 3_000;

export class CheckContext {
  readonly deliveries: DeliveryFactory;
  readonly apiKey: string | null;
  readonly slowThresholdMs: number;
  readonly #options: CheckContextOptions;
  #effectCounter: EffectCounter | ObservationUnavailable | undefined;
  #responses: ReceiverResponse[] = [];

  constructor(options: CheckContextOptions) {
    this.deliveries = options.deliveries;
    this.apiKey = options.apiKey;
    this.slowThresholdMs = options.slowThresholdMs;
    this.#options = options;
  }

  async send(message: DeliveryMessage): Promise<ReceiverResponse> {
    const response = await this.#options.send(message);
    this.#responses.push(response);
    return response;
  }

  /** The effect counter, which is tested on the first call. @throws SvcError as {@link CountEffects} */
  async getEffectCounter(): Promise<EffectCounter | ObservationUnavailable> {
    const { count, effectTimeoutMs } = this.#options;
    if (count === null) return NO_OBSERVER;
    this.#effectCounter ??= await createEffectCounter(
      count,
      () => this.send(this.deliveries.createValid()),
      effectTimeoutMs,
    );
    return this.#effectCounter;
  }

  /** Whether the receiver accepts a valid delivery, now or after a restart. */
  async isResponsive(): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      if (isAccepted(await this.send(this.deliveries.createValid()))) return true;
      if (performance.now() - startedAt > RESTART_TIMEOUT_MS) return false;
      await pause(CHECK_INTERVAL_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** Returns the responses since the last call. */
  takeResponses(): readonly ReceiverResponse[] {
    const responses = this.#responses;
    this.#responses = [];
    return responses;
  }
}
