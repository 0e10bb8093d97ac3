/** What the checks of one receiver work with. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, isAccepted, type Message, type Send } from './courier.ts';
import { type Blindness, type Effects, openEffects } from './effects.ts';
import type { Forge } from './forge.ts';
import type { CountEffects } from './observer.ts';

export interface BenchOptions {
  readonly forge: Forge;
  readonly send: Send;
  readonly count: CountEffects | null;
  /** Null where none is known. */
  readonly apiKey: string | null;
  /** How long an effect may take to show. */
  readonly patienceMs: number;
  /** Ends the waiting for a receiver that is down. */
  readonly signal: AbortSignal;
  /** An answer that takes so much longer for a delivery that is worked on has waited for the work. */
  readonly slowMs: number;
}

const NO_OBSERVER: Blindness = {
  why: 'Pass --observe with a URL or a command that gives the count of effects.',
};
const LOOK_EVERY_MS = 250;
/** Time for whatever supervises a receiver to start it again. */
const REVIVAL_MS = 3_000;

export class Bench {
  readonly forge: Forge;
  readonly apiKey: string | null;
  readonly slowMs: number;
  readonly #options: BenchOptions;
  #effects: Effects | Blindness | undefined;
  #answers: Answer[] = [];

  constructor(options: BenchOptions) {
    this.forge = options.forge;
    this.apiKey = options.apiKey;
    this.slowMs = options.slowMs;
    this.#options = options;
  }

  async send(message: Message): Promise<Answer> {
    const answer = await this.#options.send(message);
    this.#answers.push(answer);
    return answer;
  }

  /** The count of effects, tried out when it is first asked for. @throws SvcError as {@link CountEffects}. */
  async effects(): Promise<Effects | Blindness> {
    const { count, patienceMs } = this.#options;
    if (count === null) return NO_OBSERVER;
    this.#effects ??= await openEffects(count, () => this.send(this.forge.genuine()), patienceMs);
    return this.#effects;
  }

  /** Whether a genuine delivery is accepted, now or when the receiver has been started again. */
  async isUp(): Promise<boolean> {
    const startedAt = performance.now();
    for (;;) {
      if (isAccepted(await this.send(this.forge.genuine()))) return true;
      if (performance.now() - startedAt > REVIVAL_MS) return false;
      await pause(LOOK_EVERY_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** Every answer since the last call. */
  takeAnswers(): readonly Answer[] {
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }
}
