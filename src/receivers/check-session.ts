/** Plays the sequences of checks, and keeps what earlier checks showed about the receiver. */
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import type { PlayLimits, PlayRecord } from './play-sequence.ts';
import { describeResponses } from './receiver-client.ts';
import { type Play, ReceiverSession, type SessionOptions } from './receiver-session.ts';
import type { CustomStep, EventTemplate, PlayedSequence, SequenceEvent } from './sequence.ts';

export interface CheckSessionOptions extends Omit<SessionOptions, 'restart'> {
  /** An event that the receiver knows. */
  readonly event: EventTemplate;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
  /** Milliseconds by which a valid delivery takes longer than a tampered one if the receiver responds after the work (default: 1000). */
  readonly slowThresholdMs?: number;
}

interface CheckLimits extends Omit<Partial<PlayLimits>, 'timeoutMs'> {
  /** The events of the sequence (default: the one that the receiver knows). */
  readonly events?: readonly SequenceEvent[];
}

const SLOW_THRESHOLD_MS = 1_000;

export class CheckSession extends ReceiverSession {
  readonly apiKey: string | null;
  readonly slowThresholdMs: number;
  /** Why side effects say nothing; null if they do. */
  unobservable: string | null =
    'Pass --observe with a URL or a command that returns the number of processed events.';
  /** What the receiver does with a delivery signed with another secret. */
  forged: 'unknown' | 'rejected' | 'acknowledged' | 'processed' = 'unknown';
  /** The first error of the observer. */
  observerProblem: string | null = null;
  /** The plays of the check that runs. */
  plays: Play[] = [];

  constructor(options: CheckSessionOptions) {
    const { event, apiKey, slowThresholdMs = SLOW_THRESHOLD_MS } = options;
    super({ ...options, restart: null }, event);
    this.apiKey = apiKey;
    this.slowThresholdMs = slowThresholdMs;
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
      const time = formatDuration(this.options.timeoutMs);
      this.unobservable = `Your receiver is still working on earlier events after ${time}. Make the work faster while this check runs.`;
    }
    this.plays.push(play);
    return play;
  }

  /** Sends one valid delivery. */
  send(create: CustomStep['create']): Promise<Play> {
    return this.check([{ kind: 'custom', event: 0, isGenuine: true, create }]);
  }
}

/** The responses that the receiver gave in the end, as text, and the number of side effects if they were observed. */
export function describePlay(record: PlayRecord): string {
  const responses = record.exchanges.filter(({ step }) => step !== null).map(({ response }) => response);
  const count = countSideEffects(record);
  return describeResponses(...responses) + (count === null ? '' : `, side effects: ${count}`);
}

/** The number of side effects; null if they were not observed. */
export function countSideEffects({ sideEffects }: PlayRecord): number | null {
  if (sideEffects === null) return null;
  if (sideEffects.mode === 'count') return sideEffects.count;
  return [...sideEffects.countsById.values()].reduce((total, count) => total + count, 0);
}
