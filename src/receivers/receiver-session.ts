/** Plays sequences against one receiver, and keeps what all plays need: its speed, whether it runs, and its side effects. */
import { findViolations, type Violation } from './play-rules.ts';
import { PlayContext, type PlayLimits, type PlayRecord, SequencePlay } from './play-sequence.ts';
import { isAccepted } from './receiver-client.ts';
import { listEventIndexes, type PlayedSequence, type SequenceEvent } from './sequence.ts';

export interface Play {
  readonly record: PlayRecord;
  /** Causes first. */
  readonly violations: readonly Violation[];
}

/** How much slower than the slowest response or side effect so far a later one may be. */
const SLOWER_FACTOR = 5;

export class ReceiverSession extends PlayContext {
  /** The number of requests so far. */
  requests = 0;
  /** The slowest response with a status, in milliseconds. */
  #slowestMs = 0;
  #hasAccepted = false;
  /** Whether the last sequence stopped the receiver. */
  #isDown = false;

  /** @param events (default: the template for each index that a step uses) */
  createSequence(steps: PlayedSequence['steps'], events?: readonly SequenceEvent[]): PlayedSequence {
    const count = Math.max(-1, ...listEventIndexes(steps)) + 1;
    return { events: events ?? Array(count).fill(this.template), steps };
  }

  /** A time limit that is longer than all responses and side effects so far took, and at least `minMs`. */
  getTimeLimit(minMs: number): number {
    const slowestMs = Math.max(this.#slowestMs, this.observer?.slowestMs ?? 0);
    return Math.min(this.options.timeoutMs, Math.max(minMs, SLOWER_FACTOR * slowestMs));
  }

  /** @returns null after an interrupt. Rejects if side effects cannot be read, or the receiver cannot be restarted */
  async play(sequence: PlayedSequence, limits: Partial<PlayLimits> = {}): Promise<Play | null> {
    const { signal, timeoutMs } = this.options;
    const play = new SequencePlay(this, sequence, { timeoutMs, repeats: true, observes: true, ...limits });
    const played = await play.run().catch((error: unknown) => {
      // An interrupt aborts requests, which must not end in an error.
      if (signal.aborted) return null;
      throw error;
    });
    if (played === null) return null;
    this.requests += played.exchanges.length;
    for (const { response, isGenuine } of played.exchanges) {
      if (response.status === null) continue;
      this.factory.noteServerTime(response);
      this.#slowestMs = Math.max(this.#slowestMs, response.durationMs);
      this.#hasAccepted ||= isGenuine && isAccepted(response);
    }
    if (signal.aborted) return null;
    const record = { ...played, hasAccepted: this.#hasAccepted };
    const violations = findViolations(record);
    this.#isDown = violations.some(({ rule }) => rule === 'running');
    return { record, violations };
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
}
