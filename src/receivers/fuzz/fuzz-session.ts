/** Plays the sequences of a fuzz run, and reports its progress. */
import { type FuzzRule, isSameGroup, type Violation } from '../play-rules.ts';
import type { PlayRecord } from '../play-sequence.ts';
import { ReceiverSession, type SessionOptions } from '../receiver-session.ts';
import type { DeliverySequence, EventTemplate } from '../sequence.ts';

export interface FuzzProgress {
  /** How many random sequences were started, or how often the given sequence was. Plain deliveries do not count. */
  readonly runs: number;
  readonly requests: number;
  /** The number of steps of the smallest sequence so far that breaks a rule; null before one does. */
  readonly steps: number | null;
}

/** A sequence that broke a rule, with the play that showed it. */
export interface FailingPlay {
  readonly sequence: DeliverySequence;
  readonly record: PlayRecord;
  readonly violation: Violation;
}

export class FuzzSession extends ReceiverSession {
  /** As in {@link FuzzProgress}. */
  runs = 0;
  steps: number | null = null;
  readonly #onProgress: ((progress: FuzzProgress) => void) | undefined;

  constructor(
    options: SessionOptions,
    template: EventTemplate,
    onProgress?: (progress: FuzzProgress) => void,
  ) {
    super(options, template);
    this.#onProgress = onProgress;
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  override async play(...args: Parameters<ReceiverSession['play']>): ReturnType<ReceiverSession['play']> {
    const play = await super.play(...args);
    const { runs, requests, steps } = this;
    this.#onProgress?.({ runs, requests, steps });
    return this.signal.aborted ? null : play;
  }

  /**
   * Plays a sequence again. @param minTimeoutMs the least time to wait for a response or a side effect
   * @returns null if it breaks no rule of the same group now, or after an interrupt
   */
  async playAgain(
    sequence: DeliverySequence,
    rule: FuzzRule,
    minTimeoutMs: number,
  ): Promise<FailingPlay | null> {
    const play = await this.play(sequence, { timeoutMs: this.getTimeLimit(minTimeoutMs) });
    const violation = play?.violations.find((each) => isSameGroup(each.rule, rule));
    return play && violation ? { sequence, record: play.record, violation } : null;
  }
}
