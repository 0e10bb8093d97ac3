/** What the checks of one receiver work with. */
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
  /** Null where none is known. */
  readonly apiKey: string | null;
  /** How long an effect may take to show. */
  readonly effectTimeoutMs: number;
  /** Ends the waiting for a receiver that is down. */
  readonly signal: AbortSignal;
  /** An answer that takes so much longer for a delivery that is worked on has waited for the work. */
  readonly slowThresholdMs: number;
}

const NO_OBSERVER: ObservationUnavailable = {
  why: 'Pass --observe with a URL or a command that gives the count of effects.',
};
const LOOK_EVERY_MS = 250;
/** Time for whatever supervises a receiver to start it again. */
const REVIVAL_MS = 3_000;

export class CheckContext {
  readonly deliveries: DeliveryFactory;
  readonly apiKey: string | null;
  readonly slowThresholdMs: number;
  readonly #options: CheckContextOptions;
  getEffectCounter: EffectCounter | ObservationUnavailable | undefined;
  #answers: ReceiverResponse[] = [];

  constructor(options: CheckContextOptions) {
    this.deliveries = options.deliveries;
    this.apiKey = options.apiKey;
    this.slowThresholdMs = options.slowThresholdMs;
    this.#options = options;
  }

  async send(message: DeliveryMessage): Promise<ReceiverResponse> {
    const receiverResponse = await this.#options.send(message);
    this.#answers.push(receiverResponse);
    return receiverResponse;
  }

  /** The count of effects, tried out when it is first asked for. @throws SvcError as {@link CountEffects}. */
  async effects(): Promise<EffectCounter | ObservationUnavailable> {
    const { count, effectTimeoutMs } = this.#options;
    if (count === null) return NO_OBSERVER;
    this.getEffectCounter ??= await createEffectCounter(
      count,
      () => this.send(this.deliveries.createValid()),
      effectTimeoutMs,
    );
    return this.getEffectCounter;
  }

  /** Whether a genuine delivery is accepted, now or when the receiver has been started again. */
  async isResponsive(): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      if (isAccepted(await this.send(this.deliveries.createValid()))) return true;
      if (performance.now() - startedAt > REVIVAL_MS) return false;
      await pause(LOOK_EVERY_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** Every answer since the last call. */
  takeResponses(): readonly ReceiverResponse[] {
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }
}
