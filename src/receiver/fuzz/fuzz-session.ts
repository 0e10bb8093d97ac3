/** Plays sequences against one receiver, and keeps what all plays need: its speed, whether it runs, and the progress. */

import { SECOND_MS } from '../../domain/duration.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { SvcError } from '../../errors.ts';
import { sleep } from '../../timers.ts';
import { DeliveryFactory } from '../delivery-factory.ts';
import { isAccepted, type ReceiverClient, type ReceiverClientOptions } from '../receiver-client.ts';
import type { ReadSideEffects } from '../side-effect-reader.ts';
import { SideEffectWatcher } from '../side-effect-watcher.ts';
import { type FuzzRule, findViolations, isSameGroup, type Violation } from './fuzz-rules.ts';
import { type PlayLimits, type PlayOptions, type PlayRecord, SequencePlay } from './play-sequence.ts';
import { type DeliverySequence, type EventTemplate, SEQUENCE_VERSION } from './sequence.ts';

export interface SessionOptions extends ReceiverClientOptions {
  /** Time limit for a response or a side effect. */
  readonly timeoutMs: number;
  readonly scheme: SignatureScheme;
  readonly secret: string;
  /** Events that the receiver knows, at least one. Sequences contain them, with additional fields too. */
  readonly events: readonly EventTemplate[];
  /** The same random seed gives the same sequences. */
  readonly randomSeed: number;
  /** Null if side effects are not observed. */
  readonly readSideEffects: ReadSideEffects | null;
  /** Restarts the receiver and resolves when it responds; null if it cannot be restarted. */
  readonly restart: (() => Promise<void>) | null;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
  readonly onProgress?: (progress: FuzzProgress) => void;
}

export interface FuzzProgress {
  readonly phase: 'searching' | 'shrinking' | 'confirming';
  /** How many random sequences were started, or how often the given sequence was. Plain deliveries do not count. */
  readonly runs: number;
  readonly requests: number;
  /** The number of steps of the smallest failing sequence so far, or of the one that is played again; null before one fails. */
  readonly steps: number | null;
}

interface Play {
  readonly record: PlayRecord;
  /** Causes first. */
  readonly violations: readonly Violation[];
}

export interface FailingPlay {
  readonly record: PlayRecord;
  readonly violation: Violation;
}

/** Delays before svc tries again to reach a receiver that was restarted by its supervisor or the restart command. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000];
/** The longest time that the search waits for a missing side effect, if the first side effects were quick. */
const SEARCH_EFFECT_MS = 3 * SECOND_MS;
/** Time for a receiver to recover after a sequence, for example from a burst. */
const SEARCH_RECOVERY_MS = 3 * SECOND_MS;
const SHRINK_RECOVERY_MS = 250;
const SHRINK_EFFECT_MS = 400;
const SHRINK_RESPONSE_MS = SECOND_MS;
/** How long a delivery is repeated that the receiver cannot accept yet, while a sequence is made smaller. */
const SHRINK_RETRY_MS = 500;
/** How long after each sequence svc checks that the receiver still runs, once it has stopped late. */
const LATE_STOP_MS = 500;
/** How much slower than the slowest response or side effect so far a later one may be. */
const SLOWER_FACTOR = 5;

export class FuzzSession {
  readonly #options: SessionOptions;
  readonly #playOptions: PlayOptions;
  /** Null if side effects are not observed. */
  readonly watcher: SideEffectWatcher | null;
  /** An event that the receiver knows. */
  readonly template: EventTemplate;
  /** A sequence with one delivery. */
  readonly plainSequence: DeliverySequence;
  /** A sequence with one forged delivery. */
  readonly forgedSequence: DeliverySequence;
  phase: FuzzProgress['phase'] = 'searching';
  /** As in {@link FuzzProgress}. */
  runs = 0;
  /** `steps` of {@link FuzzProgress}. */
  smallestSteps: number | null = null;
  /** Whether to check after each sequence that the receiver still runs. */
  stopsLate = false;
  /** No event so far was created later, in milliseconds since 1970. */
  #latestCreatedAt = 0;
  /** The slowest response with a status so far. */
  #slowestResponseMs = 0;
  #hasAccepted = false;
  #requests = 0;
  #sideEffects: 'ids' | 'count' | null = null;
  /** `stopped`: by the last sequence; `lost`: it did not come back afterwards. */
  #receiverState: 'running' | 'stopped' | 'lost' = 'running';

  constructor(options: SessionOptions, client: ReceiverClient) {
    const { events, signal, readSideEffects, randomSeed } = options;
    const [template] = events;
    if (template === undefined) {
      throw new SvcError('usage', 'No event type was given.', { hint: 'Pass at least one event type.' });
    }
    this.#options = options;
    this.template = { type: template.type, payload: template.payload };
    this.plainSequence = {
      version: SEQUENCE_VERSION,
      random_seed: randomSeed,
      run: null,
      events: [{ ...this.template }],
      steps: [{ kind: 'deliver', event: 0 }],
    };
    this.forgedSequence = {
      ...this.plainSequence,
      steps: [{ kind: 'attack', attack: 'forged', event: 0 }],
    };
    this.watcher = readSideEffects === null ? null : new SideEffectWatcher(readSideEffects, signal);
    this.#playOptions = {
      ...options,
      client,
      otherEvent: this.template,
      factory: new DeliveryFactory({ ...options, eventType: template.type, payload: template.payload }),
      watcher: this.watcher,
      sleep: (ms) => sleep(ms, signal),
    };
  }

  get requests(): number {
    return this.#requests;
  }

  /** How side effects were observed; null if they were not. */
  get sideEffects(): 'ids' | 'count' | null {
    return this.#sideEffects;
  }

  /** @returns null after an interrupt */
  async play(sequence: DeliverySequence, limits: PlayLimits): Promise<Play | null> {
    const { signal, onProgress } = this.#options;
    const record = await this.#runPlay(sequence, limits).catch((error: unknown) => {
      // An interrupt aborts requests, which must not end in an error.
      if (signal.aborted) return null;
      throw error;
    });
    if (record === null) return null;
    this.#requests += record.exchanges.length;
    this.#sideEffects ??= record.sideEffects?.mode ?? null;
    onProgress?.({
      phase: this.phase,
      runs: this.runs,
      requests: this.#requests,
      steps: this.smallestSteps,
    });
    if (signal.aborted) return null;
    const violations = findViolations(record);
    this.#receiverState = violations.some(({ rule }) => rule === 'running') ? 'stopped' : 'running';
    return { record, violations };
  }

  async #runPlay(sequence: DeliverySequence, limits: PlayLimits): Promise<PlayRecord> {
    const play = new SequencePlay(this.#playOptions, sequence, limits, this.#latestCreatedAt);
    this.#latestCreatedAt = play.latestCreatedAt;
    const record = await play.run();
    for (const { response, isGenuine } of record.exchanges) {
      if (response.status === null) continue;
      this.#playOptions.factory.noteServerTime(response);
      this.#slowestResponseMs = Math.max(this.#slowestResponseMs, response.durationMs);
      this.#hasAccepted ||= isGenuine && isAccepted(response);
    }
    return { ...record, hasAccepted: this.#hasAccepted };
  }

  /** Plays a sequence again. @returns null if it breaks no rule of the same group now, or after an interrupt */
  async playAgain(
    sequence: DeliverySequence,
    limits: PlayLimits,
    rule: FuzzRule,
  ): Promise<FailingPlay | null> {
    const play = await this.play(sequence, limits);
    const violation = play?.violations.find((each) => isSameGroup(each.rule, rule));
    return play === null || violation === undefined ? null : { record: play.record, violation };
  }

  /**
   * Restarts a receiver that a sequence has stopped, or waits until it is restarted. Rejects if the restart command fails.
   * @returns false if the receiver stays down, or after an interrupt
   */
  async ensureRunning(): Promise<boolean> {
    if (this.#receiverState === 'running') return true;
    if (this.#receiverState === 'lost') return false;
    const { restart, signal } = this.#options;
    // An interrupt also ends a restart that is in progress.
    await restart?.().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    for (const delayMs of [0, ...RESTART_DELAYS_MS]) {
      await sleep(delayMs, signal);
      const record = await this.#runPlay(this.plainSequence, this.getShrinkLimits()).catch(() => null);
      if (signal.aborted) return false;
      this.#requests += record?.exchanges.length ?? 0;
      if (record === null || findViolations(record).length > 0) continue;
      this.#receiverState = 'running';
      return true;
    }
    this.#receiverState = 'lost';
    return false;
  }

  getSearchLimits(): PlayLimits {
    const { timeoutMs } = this.#options;
    const slowestMs = this.watcher?.slowestMs ?? 0;
    // Before the first side effect, nothing is known about the speed of the receiver. After a failure, a missing side effect may never come.
    const isUnknown = slowestMs === 0 && this.smallestSteps === null;
    const sideEffectMs = isUnknown ? timeoutMs : Math.max(SEARCH_EFFECT_MS, SLOWER_FACTOR * slowestMs);
    return {
      responseMs: timeoutMs,
      retryMs: timeoutMs,
      sideEffectMs: Math.min(timeoutMs, sideEffectMs),
      recoveryMs: SEARCH_RECOVERY_MS,
      lateStopMs: this.stopsLate ? LATE_STOP_MS : 0,
      endsAt: Number.POSITIVE_INFINITY,
    };
  }

  /** Shorter limits, so that a sequence becomes smaller in a short time. */
  getShrinkLimits(): PlayLimits {
    const { timeoutMs } = this.#options;
    const responseMs = Math.max(SHRINK_RESPONSE_MS, SLOWER_FACTOR * this.#slowestResponseMs);
    const sideEffectMs = Math.max(SHRINK_EFFECT_MS, SLOWER_FACTOR * (this.watcher?.slowestMs ?? 0));
    return {
      ...this.getSearchLimits(),
      responseMs: Math.min(timeoutMs, responseMs),
      retryMs: Math.min(timeoutMs, SHRINK_RETRY_MS),
      sideEffectMs: Math.min(timeoutMs, sideEffectMs),
      recoveryMs: SHRINK_RECOVERY_MS,
    };
  }
}
