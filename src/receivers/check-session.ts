/** Plays the sequences of checks, and keeps what earlier checks showed about the receiver. */
import { SvcError } from '../domain/errors.ts';
import type { PlayLimits, PlayRecord, SessionOptions } from './play-sequence.ts';
import { describeResponses } from './receiver-client.ts';
import { type Play, ReceiverSession } from './receiver-session.ts';
import type { EventTemplate, PlayedSequence, SequenceEvent } from './sequence.ts';

export interface CheckSessionOptions extends Omit<SessionOptions, 'restart'> {
  /** An event that the receiver knows. */
  readonly event: EventTemplate;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
}

interface CheckLimits extends Partial<Pick<PlayLimits, 'repeats' | 'observes'>> {
  /** The events of the sequence (default: the one that the receiver knows). */
  readonly events?: readonly SequenceEvent[];
}

export class CheckSession extends ReceiverSession {
  readonly apiKey: string | null;
  /** Why side effects say nothing; null if they do. */
  unobservable: string | null;
  /** The first error of the observer. */
  observerProblem: string | null = null;
  /** The plays of the check that runs. */
  plays: Play[] = [];

  constructor(options: CheckSessionOptions) {
    super({ ...options, restart: null }, options.event);
    this.apiKey = options.apiKey;
    this.unobservable =
      this.observer !== null
        ? null
        : 'Pass --observe with a URL or a command that returns the number of processed events.';
  }

  /** Call this if side effects could not be counted. They may be counted again later. @throws the error if it is unexpected */
  noteObserverProblem(error: unknown): SvcError {
    if (!(error instanceof SvcError)) throw error;
    if (error.code !== 'interrupted') this.observerProblem ??= error.message;
    return error;
  }

  /** Plays a sequence once, without repeats and without side effects, apart from the limits. */
  async check(steps: PlayedSequence['steps'], { events, ...limits }: CheckLimits = {}): Promise<Play> {
    const options = { repeats: false, observes: false, ...limits };
    const play = await this.play(this.createSequence(steps, events), options);
    if (play === null) throw new SvcError('interrupted', 'Interrupted.');
    const { record, violations } = play;
    const isBusy = options.observes && record.sideEffects === null;
    if (isBusy && !violations.some(({ rule }) => rule === 'running')) {
      this.unobservable =
        'Your receiver is still working on earlier events. Make the work faster while this check runs.';
    }
    this.plays.push(play);
    return play;
  }
}

/** The responses to the steps, as text, and the number of side effects if they were observed. */
export function describePlay({ exchanges, sideEffects }: PlayRecord): string {
  const responses = exchanges.filter(({ step }) => step !== null).map(({ response }) => response);
  const count = sideEffects === null ? '' : `, side effects: ${sideEffects.count}`;
  return describeResponses(...responses) + count;
}
