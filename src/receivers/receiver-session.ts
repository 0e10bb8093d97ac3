/** Plays sequences against one receiver, and keeps what all plays need: its speed, whether it runs, and its side effects. */

import { SECOND_MS } from '../domain/duration.ts';
import { sleep } from '../platform/timers.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { DeliveryFactory } from './delivery-factory.ts';
import { findViolations, type Violation } from './play-rules.ts';
import { type PlayLimits, type PlayRecord, SequencePlay } from './play-sequence.ts';
import {
  createReceiverClient,
  isAccepted,
  type ReceiverClient,
  type ReceiverClientOptions,
} from './receiver-client.ts';
import type { EventTemplate, PlayedSequence } from './sequence.ts';
import { MIN_QUIET_MS, SideEffectObserver } from './side-effect-observer.ts';
import type { ReadSideEffects } from './side-effect-reader.ts';

export interface SessionOptions extends ReceiverClientOptions {
  /** Time limit for a response or a side effect. */
  readonly timeoutMs: number;
  readonly scheme: SignatureScheme;
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

/** Delays before svc tries again to reach a receiver that was restarted by its supervisor or the restart command. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000];
/** Time for a receiver to recover after a sequence, for example from a burst. */
const RECOVERY_MS = 3 * SECOND_MS;

export class ReceiverSession {
  readonly options: SessionOptions;
  readonly factory: DeliveryFactory;
  /** Null if side effects are not observed. */
  readonly observer: SideEffectObserver | null;
  /** The number of requests so far. */
  requests = 0;
  /** The quickest response to a valid delivery that was accepted, in milliseconds; infinite before the first. */
  quickestMs = Number.POSITIVE_INFINITY;
  /** The slowest response with a status. */
  slowestMs = 0;
  readonly #client: ReceiverClient;
  readonly #template: EventTemplate;
  #hasAccepted = false;
  /** No event so far was created later, in milliseconds since 1970. */
  #latestCreatedAt = 0;
  /** `stopped`: by the last sequence; `lost`: it did not come back afterwards. */
  #receiverState: 'running' | 'stopped' | 'lost' = 'running';

  /**
   * @param template an event that the receiver knows
   * @throws SvcError `usage` for a URL to which deliveries may not go
   */
  constructor(options: SessionOptions, template: EventTemplate) {
    const { readSideEffects, signal } = options;
    this.options = options;
    this.#template = { type: template.type, payload: template.payload };
    this.#client = createReceiverClient(options);
    this.factory = new DeliveryFactory({ ...options, eventType: template.type, payload: template.payload });
    this.observer = readSideEffects === null ? null : new SideEffectObserver(readSideEffects, signal);
  }

  /** A sequence of the event that the receiver knows. @param steps by the index of the event */
  createSequence(steps: PlayedSequence['steps']): PlayedSequence {
    const indexes = steps.flatMap((step) => ('event' in step ? [step.event] : []));
    return { events: Array(Math.max(-1, ...indexes) + 1).fill(this.#template), steps };
  }

  /** The limits of a play that is not in a hurry. */
  get limits(): PlayLimits {
    const { timeoutMs } = this.options;
    return {
      responseMs: timeoutMs,
      retryMs: timeoutMs,
      sideEffectMs: timeoutMs,
      recoveryMs: RECOVERY_MS,
      quietMs: MIN_QUIET_MS,
      repeats: true,
      probes: false,
      observes: true,
      endsAt: Number.POSITIVE_INFINITY,
    };
  }

  /** @returns null after an interrupt. Rejects if side effects cannot be read, or the receiver cannot be restarted */
  async play(sequence: PlayedSequence, limits: PlayLimits): Promise<Play | null> {
    const { signal } = this.options;
    const record = await this.#run(sequence, limits).catch((error: unknown) => {
      // An interrupt aborts requests, which must not end in an error.
      if (signal.aborted) return null;
      throw error;
    });
    if (record === null || signal.aborted) return null;
    const violations = findViolations(record);
    this.#receiverState = violations.some(({ rule }) => rule === 'running') ? 'stopped' : 'running';
    return { record, violations };
  }

  async #run(sequence: PlayedSequence, limits: PlayLimits): Promise<PlayRecord> {
    const { restart, now, signal } = this.options;
    const play = new SequencePlay(
      {
        client: this.#client,
        factory: this.factory,
        observer: this.observer,
        restart,
        now,
        signal,
        otherEvent: this.#template,
        sleep: (ms) => sleep(ms, signal),
      },
      ...([sequence, limits, this.#latestCreatedAt] as const),
    );
    this.#latestCreatedAt = play.latestCreatedAt;
    const record = await play.run();
    this.requests += record.exchanges.length;
    for (const { response, isGenuine } of record.exchanges) {
      if (response.status === null) continue;
      this.factory.noteServerTime(response);
      this.slowestMs = Math.max(this.slowestMs, response.durationMs);
      if (!isGenuine || !isAccepted(response)) continue;
      this.#hasAccepted = true;
      this.quickestMs = Math.min(this.quickestMs, response.durationMs);
    }
    return { ...record, hasAccepted: this.#hasAccepted };
  }

  /**
   * Restarts a receiver that a sequence has stopped, or waits until it is restarted. Rejects if the restart command fails.
   * @returns false if the receiver stays down, or after an interrupt
   */
  async ensureRunning(): Promise<boolean> {
    if (this.#receiverState === 'running') return true;
    if (this.#receiverState === 'lost') return false;
    const { restart, signal } = this.options;
    // An interrupt also ends a restart that is in progress.
    await restart?.().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    const plain = this.createSequence([{ kind: 'deliver', event: 0 }]);
    for (const delayMs of [0, ...RESTART_DELAYS_MS]) {
      await sleep(delayMs, signal);
      const play = await this.play(plain, { ...this.limits, recoveryMs: 0 }).catch(() => null);
      if (signal.aborted) return false;
      if (play !== null && play.violations.length === 0) return true;
    }
    this.#receiverState = 'lost';
    return false;
  }

  closeConnections(): void {
    this.#client.closeConnections();
  }
}
