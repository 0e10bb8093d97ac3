/** Plays sequences against one receiver, and keeps what all plays need: its speed, whether it runs, and its side effects. */

import type { WebhookSender } from '../profile/senders.ts';
import { DeliveryFactory } from './delivery-factory.ts';
import { findViolations, type Violation } from './play-rules.ts';
import { type PlayLimits, type PlayRecord, SequencePlay } from './play-sequence.ts';
import {
  createReceiverClient,
  isAccepted,
  type ReceiverClient,
  type ReceiverClientOptions,
} from './receiver-client.ts';
import type { EventTemplate, PlayedSequence, SequenceEvent } from './sequence.ts';
import { SideEffectObserver } from './side-effect-observer.ts';
import type { ReadSideEffects } from './side-effect-reader.ts';

export interface SessionOptions extends ReceiverClientOptions {
  /** Time limit for a response or a side effect. */
  readonly timeoutMs: number;
  /** Whose deliveries the receiver is sent. */
  readonly sender: WebhookSender;
  readonly secret: string;
  /** Null if side effects are not observed. If it returns IDs, the side effects of other senders do not count. */
  readonly readSideEffects: ReadSideEffects | null;
  /** Restarts the receiver and resolves when it responds; null if it cannot be restarted. */
  readonly restart: (() => Promise<void>) | null;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
}

export interface Play {
  readonly record: PlayRecord;
  /** Causes first. */
  readonly violations: readonly Violation[];
}

/** How much slower than the slowest response or side effect so far a later one may be. */
const SLOWER_FACTOR = 5;

export class ReceiverSession {
  readonly options: SessionOptions;
  readonly factory: DeliveryFactory;
  /** An event that the receiver knows. */
  readonly template: EventTemplate;
  /** Null if side effects are not observed. */
  readonly observer: SideEffectObserver | null;
  /** The number of requests so far. */
  requests = 0;
  readonly #client: ReceiverClient;
  /** The slowest response with a status, in milliseconds. */
  #slowestMs = 0;
  #hasAccepted = false;
  /** No event so far was created later, in milliseconds since 1970. */
  #latestCreatedAt = 0;
  /** Whether the last sequence stopped the receiver. */
  #isDown = false;

  /** @throws SvcError `usage` for a URL to which deliveries may not go */
  constructor(options: SessionOptions, { type, payload }: EventTemplate) {
    const { readSideEffects, signal } = options;
    this.options = options;
    this.template = { type, payload };
    this.#client = createReceiverClient(options);
    this.factory = new DeliveryFactory(options);
    this.observer = readSideEffects === null ? null : new SideEffectObserver(readSideEffects, signal);
  }

  /** @param events (default: the template for each index that a step uses) */
  createSequence(steps: PlayedSequence['steps'], events?: readonly SequenceEvent[]): PlayedSequence {
    const indexes = steps.flatMap((step) => ('event' in step ? [step.event] : []));
    return { events: events ?? Array(Math.max(-1, ...indexes) + 1).fill(this.template), steps };
  }

  /** A time limit that is longer than all responses and side effects so far took, and at least `minMs`. */
  getTimeLimit(minMs: number): number {
    const slowestMs = Math.max(this.#slowestMs, this.observer?.slowestMs ?? 0);
    return Math.min(this.options.timeoutMs, Math.max(minMs, SLOWER_FACTOR * slowestMs));
  }

  /** @returns null after an interrupt. Rejects if side effects cannot be read, or the receiver cannot be restarted */
  async play(sequence: PlayedSequence, limits: Partial<PlayLimits> = {}): Promise<Play | null> {
    const { signal } = this.options;
    const record = await this.#run(sequence, limits).catch((error: unknown) => {
      // An interrupt aborts requests, which must not end in an error.
      if (signal.aborted) return null;
      throw error;
    });
    if (record === null || signal.aborted) return null;
    const violations = findViolations(record);
    this.#isDown = violations.some(({ rule }) => rule === 'running');
    return { record, violations };
  }

  async #run(sequence: PlayedSequence, limits: Partial<PlayLimits>): Promise<PlayRecord> {
    const { template, observer } = this;
    const { timeoutMs } = this.options;
    const play = new SequencePlay(
      { ...this.options, client: this.#client, factory: this.factory, template, observer },
      sequence,
      { timeoutMs, repeats: true, observes: true, ...limits },
      this.#latestCreatedAt,
    );
    this.#latestCreatedAt = play.latestCreatedAt;
    const record = await play.run();
    this.requests += record.exchanges.length;
    for (const { response, isGenuine } of record.exchanges) {
      if (response.status === null) continue;
      this.factory.noteServerTime(response);
      this.#slowestMs = Math.max(this.#slowestMs, response.durationMs);
      this.#hasAccepted ||= isGenuine && isAccepted(response);
    }
    return { ...record, hasAccepted: this.#hasAccepted };
  }

  /**
   * Restarts a receiver that the last sequence has stopped, or waits until it is restarted. Rejects if the restart command fails.
   * @returns false if the receiver stays down, or after an interrupt
   */
  async ensureRunning(): Promise<boolean> {
    if (!this.#isDown) return true;
    const { restart, signal } = this.options;
    // An interrupt also ends a restart that is in progress.
    await restart?.().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    // Waits until the receiver accepts a delivery.
    await this.play(this.createSequence([{ kind: 'deliver', event: 0 }]), { observes: false });
    return !this.#isDown && !signal.aborted;
  }

  closeConnections(): void {
    this.#client.closeConnections();
  }
}
