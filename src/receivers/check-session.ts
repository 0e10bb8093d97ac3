/** Plays the sequences of checks, with their limits. */
import { SvcError } from '../domain/errors.ts';
import { bodySerializers } from './delivery-factory.ts';
import type { PlayLimits, PlayRecord } from './play-sequence.ts';
import { describeResponses } from './receiver-client.ts';
import { type Play, ReceiverSession, type SessionOptions } from './receiver-session.ts';
import type { CustomStep, PlayedSequence } from './sequence.ts';

export interface CheckSessionOptions extends Omit<SessionOptions, 'restart'> {
  /** An event type that the receiver knows. */
  readonly eventType: string;
  /** JSON text of a payload of the type. */
  readonly payload: string;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
  /** Milliseconds by which a valid delivery takes longer than a tampered one if the receiver responds after the work (default: 1000). */
  readonly slowThresholdMs?: number;
}

const SLOW_THRESHOLD_MS = 1_000;
/** While all responses are late, they are awaited for this many time limits, because they still show what the receiver does. */
const LATE_FACTOR = 2;
/** A receiver is slow if its quickest response takes at least this share of the time limit. */
const SLOW_SHARE = 1 / 4;

export class CheckSession extends ReceiverSession {
  readonly apiKey: string | null;
  readonly slowThresholdMs: number;
  /** Why side effects say nothing; null if they do. The check of a valid delivery sets it. */
  unobservable: string | null =
    'Pass --observe with a URL or a command that returns the number of processed events.';
  /** The first error of the observer. */
  observerProblem: string | null = null;
  /** Whether the receiver was seen to process a delivery signed with another secret. */
  processesForged = false;
  /** The plays of the check that runs. */
  plays: Play[] = [];

  constructor(options: CheckSessionOptions) {
    const { eventType: type, payload, apiKey, slowThresholdMs = SLOW_THRESHOLD_MS } = options;
    super({ ...options, restart: null }, { type, payload });
    this.factory.serializer = bodySerializers[0];
    this.apiKey = apiKey;
    this.slowThresholdMs = slowThresholdMs;
  }

  get timeoutMs(): number {
    return this.options.timeoutMs;
  }

  /** Whether responses come after the time limit of the service, or none has come yet. */
  get isLate(): boolean {
    return this.quickestMs > this.timeoutMs;
  }

  /** Whether responses take so long that checks send as few deliveries as they can. */
  get isSlow(): boolean {
    return this.quickestMs >= SLOW_SHARE * this.timeoutMs;
  }

  /** Call this if side effects could not be counted. They may be counted again later. @throws the error if it is unexpected */
  noteObserverProblem(error: unknown): SvcError {
    if (!(error instanceof SvcError)) throw error;
    if (error.code !== 'interrupted') this.observerProblem ??= error.message;
    return error;
  }

  /** Plays a sequence once, without repeats and without side effects, apart from the limits. */
  async check(steps: PlayedSequence['steps'], limits: Partial<PlayLimits> = {}): Promise<Play> {
    const play = await this.play(this.createSequence(steps), {
      ...this.limits,
      responseMs: this.isLate ? LATE_FACTOR * this.timeoutMs : this.timeoutMs,
      repeats: false,
      observes: false,
      ...limits,
    });
    if (play === null) throw new SvcError('interrupted', 'Interrupted.');
    this.plays.push(play);
    return play;
  }

  /** Sends one delivery. @param create as in {@link CustomStep} */
  send(create: CustomStep['create'], isGenuine = true): Promise<Play> {
    return this.check([{ kind: 'custom', event: 0, isGenuine, create }]);
  }
}

/** The responses that the receiver gave in the end, as text. */
export function describePlay({ exchanges }: PlayRecord): string {
  return describeResponses(...exchanges.filter(({ step }) => step !== null).map(({ response }) => response));
}

/** The number of side effects; null if they were not observed. */
export function countSideEffects({ sideEffects }: PlayRecord): number | null {
  if (sideEffects === null) return null;
  if (sideEffects.mode === 'count') return sideEffects.count;
  return [...sideEffects.countsById.values()].reduce((total, count) => total + count, 0);
}
