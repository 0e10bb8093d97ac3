/** Plays sequences of a fuzz run, with its limits and its progress. */
import { SECOND_MS } from '../../domain/duration.ts';
import { type FuzzRule, isSameGroup, type Violation } from '../play-rules.ts';
import type { PlayLimits, PlayRecord } from '../play-sequence.ts';
import { type Play, ReceiverSession, type SessionOptions } from '../receiver-session.ts';
import type { DeliverySequence, EventTemplate } from '../sequence.ts';

export interface FuzzProgress {
  readonly phase: 'searching' | 'shrinking' | 'confirming';
  /** How many random sequences were started, or how often the given sequence was. Plain deliveries do not count. */
  readonly runs: number;
  readonly requests: number;
  /** The number of steps of the smallest failing sequence so far, or of the one that is played again; null before one fails. */
  readonly steps: number | null;
}

/** A sequence that broke a rule, with the play that showed it. */
export interface FailingPlay {
  readonly sequence: DeliverySequence;
  readonly record: PlayRecord;
  readonly violation: Violation;
}

/** The longest time that the search waits for a missing side effect, if the first side effects were quick. */
const SEARCH_EFFECT_MS = 3 * SECOND_MS;
const SHRINK_RECOVERY_MS = 250;
const SHRINK_EFFECT_MS = 400;
const SHRINK_RESPONSE_MS = SECOND_MS;
/** How long a delivery is repeated that the receiver cannot accept yet, while a sequence is made smaller. */
const SHRINK_RETRY_MS = 500;
/** How much slower than the slowest response or side effect so far a later one may be. */
const SLOWER_FACTOR = 5;

export class FuzzSession extends ReceiverSession {
  /** An event that the receiver knows. */
  readonly template: EventTemplate;
  /** As in {@link FuzzProgress}. */
  runs = 0;
  readonly #onProgress: ((progress: FuzzProgress) => void) | undefined;
  #phase: FuzzProgress['phase'] = 'searching';
  #smallestSteps: number | null = null;

  constructor(
    options: SessionOptions,
    template: EventTemplate,
    onProgress?: (progress: FuzzProgress) => void,
  ) {
    super(options, template);
    this.template = { type: template.type, payload: template.payload };
    this.#onProgress = onProgress;
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  /** Reports a phase, and the smallest sequence in it. */
  note(phase: FuzzProgress['phase'], { steps }: DeliverySequence): void {
    this.#phase = phase;
    this.#smallestSteps = steps.length;
  }

  override async play(sequence: DeliverySequence, limits: PlayLimits): Promise<Play | null> {
    const play = await super.play(sequence, limits);
    const { runs, requests } = this;
    this.#onProgress?.({ phase: this.#phase, runs, requests, steps: this.#smallestSteps });
    return this.signal.aborted ? null : play;
  }

  /** Plays a sequence again. @returns null if it breaks no rule of the same group now, or after an interrupt */
  async playAgain(
    sequence: DeliverySequence,
    limits: PlayLimits,
    rule: FuzzRule,
  ): Promise<FailingPlay | null> {
    const play = await this.play(sequence, limits);
    const violation = play?.violations.find((each) => isSameGroup(each.rule, rule));
    return play === null || violation === undefined ? null : { sequence, record: play.record, violation };
  }

  get searchLimits(): PlayLimits {
    const { timeoutMs } = this.options;
    const slowestMs = this.observer?.slowestMs ?? 0;
    // Before the first side effect, nothing is known about the speed of the receiver. After a failure, a missing side effect may never come.
    const isUnknown = slowestMs === 0 && this.#smallestSteps === null;
    const sideEffectMs = isUnknown ? timeoutMs : Math.max(SEARCH_EFFECT_MS, SLOWER_FACTOR * slowestMs);
    return { ...this.limits, sideEffectMs: Math.min(timeoutMs, sideEffectMs) };
  }

  /** Shorter limits, so that a sequence becomes smaller in a short time. */
  get shrinkLimits(): PlayLimits {
    const { timeoutMs } = this.options;
    const responseMs = Math.max(SHRINK_RESPONSE_MS, SLOWER_FACTOR * this.slowestMs);
    const sideEffectMs = Math.max(SHRINK_EFFECT_MS, SLOWER_FACTOR * (this.observer?.slowestMs ?? 0));
    return {
      ...this.limits,
      responseMs: Math.min(timeoutMs, responseMs),
      retryMs: Math.min(timeoutMs, SHRINK_RETRY_MS),
      sideEffectMs: Math.min(timeoutMs, sideEffectMs),
      recoveryMs: SHRINK_RECOVERY_MS,
    };
  }
}
