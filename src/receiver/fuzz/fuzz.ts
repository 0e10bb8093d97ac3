/** Plays random sequences against a receiver until one breaks a rule, and finds the smallest sequence that does. */

import { withAnySignal } from '../../abort-signals.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { attackNames, type Variation, variationNames } from '../../domain/variations.ts';
import { SvcError } from '../../errors.ts';
import { sleep } from '../../timers.ts';
import {
  createReceiverClient,
  getConnectionHint,
  isUnreachable,
  type ReceiverClient,
} from '../receiver-client.ts';
import { countById } from '../side-effect-watcher.ts';
import { listAttacks } from '../tampered-deliveries.ts';
import { describeResult, type FuzzRule, findViolations, isSameGroup } from './fuzz-rules.ts';
import { type FailingPlay, FuzzSession, type SessionOptions } from './fuzz-session.ts';
import type { PlayLimits, PlayRecord } from './play-sequence.ts';
import type { DeliverySequence } from './sequence.ts';
import {
  CONFIRMATION_PLAYS,
  confirmFailure,
  type FuzzFailure,
  findSmallestFailure,
} from './smallest-failure.ts';

export interface FuzzOptions extends SessionOptions {
  /** The number of sequences; null for no limit. */
  readonly runs: number | null;
  /** How long to search; null for no limit. */
  readonly timeMs: number | null;
  /** What sequences may contain (default: everything). */
  readonly variations?: ReadonlySet<Variation>;
  /** Play this sequence instead of random ones. */
  readonly replay?: DeliverySequence | null;
}

/** Also the JSON form. */
export interface FuzzReport {
  readonly ok: boolean;
  /** The search was interrupted before its end. */
  readonly interrupted: boolean;
  readonly random_seed: number;
  readonly runs: number;
  readonly requests: number;
  readonly duration_ms: number;
  /** How side effects were observed; null if they were not, so that the rules about side effects could not be checked. */
  readonly side_effects: 'ids' | 'count' | null;
  readonly variations: readonly Variation[];
  readonly failure: FuzzFailure | null;
}

/** Plays of one delivery before the random sequences. They show how fast the receiver is, which decides how long later plays wait. */
const PLAIN_PLAYS = 3;
/** How many sequences can be the cause of what is noticed later. */
const RECENT_PLAYS = 30;
/** How many of them are played again to find the one after which the receiver stops. */
const LATE_STOP_CANDIDATES = 12;
/** How long after the last sequence the search waits for additional side effects, and a replay after each play. */
const LATE_EFFECT_MS = SECOND_MS;
/** Once an additional side effect has come late, side effects are awaited for this many times the time after which it was noticed. */
const LATE_EFFECT_FACTOR = 2;
const MIN_LATE_EFFECT_MS = 250;
const MAX_LATE_EFFECT_MS = 3 * SECOND_MS;

/**
 * @throws SvcError `usage` if the options contradict each other, if deliveries may not go to the URL or do not reach it, or if
 * side effects cannot be read
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  if (options.restart === null && options.replay?.steps.some(({ kind }) => kind === 'restart')) {
    throw new SvcError('usage', 'The sequence restarts the receiver, but the option restart is not set.', {
      hint: 'Pass a function that restarts the receiver.',
    });
  }
  // A signal of its own, because many requests and waits listen to it at the same time.
  return withAnySignal([options.signal], async (signal) => {
    const ownOptions = { ...options, signal };
    const client = createReceiverClient(ownOptions);
    try {
      return await new Search(ownOptions, client).run();
    } finally {
      client.closeConnections();
    }
  });
}

/** The variations that apply to a receiver with this scheme. */
function listPossibleVariations(scheme: SignatureScheme, canRestart: boolean): readonly Variation[] {
  const attacks: readonly Variation[] = listAttacks(scheme);
  return variationNames.filter(
    (name) =>
      (canRestart || name !== 'restart') &&
      (scheme.header.separator !== null || name !== 'rotation') &&
      (attacks.includes(name) || !(attackNames as readonly Variation[]).includes(name)),
  );
}

interface PassingPlay {
  readonly record: PlayRecord;
  /** As of `performance.now()`. */
  readonly endedAt: number;
}

class Search {
  readonly #options: FuzzOptions;
  readonly #session: FuzzSession;
  readonly #enabled: ReadonlySet<Variation>;
  readonly #startedAt = performance.now();
  /** The last sequences that broke no rule, the latest first. What they cause can be noticed later. */
  #recentPlays: readonly PassingPlay[] = [];

  constructor(options: FuzzOptions, client: ReceiverClient) {
    const { scheme, restart, variations } = options;
    this.#options = options;
    this.#session = new FuzzSession(options, client);
    const possible = listPossibleVariations(scheme, restart !== null);
    this.#enabled = new Set(possible.filter((name) => variations?.has(name) ?? true));
    if (variations !== undefined && variations.size > 0 && this.#enabled.size === 0) {
      const names = [...variations].join(', ');
      throw new SvcError('usage', `Cannot send any of the selected variations: ${names}.`, {
        hint: 'Select others. The variation restart needs a restart command. Rotation and attacks depend on the signature scheme.',
      });
    }
  }

  async run(): Promise<FuzzReport> {
    const { replay, signal, randomSeed } = this.#options;
    const failure = replay ? await this.#replay(replay) : await this.#search();
    const { runs, requests, sideEffects } = this.#session;
    return {
      ok: failure === null && !signal.aborted,
      interrupted: signal.aborted,
      random_seed: randomSeed,
      runs,
      requests,
      duration_ms: Math.round(performance.now() - this.#startedAt),
      side_effects: sideEffects,
      variations: [...this.#enabled],
      failure,
    };
  }

  async #replay(sequence: DeliverySequence): Promise<FuzzFailure | null> {
    const { signal } = this.#options;
    // Shows how fast the receiver is.
    await this.#playFirst();
    // The failure of the sequence can come late.
    this.#session.stopsLate = true;
    this.#session.watcher?.extendQuietTime(LATE_EFFECT_MS);
    while (this.#session.runs < CONFIRMATION_PLAYS && !signal.aborted) {
      this.#session.runs++;
      const failing = await this.#play(sequence);
      if (failing !== null) return confirmFailure(this.#session, failing, signal);
    }
    return null;
  }

  /** Plays a sequence with one delivery. @throws SvcError `usage` if it does not reach the receiver */
  async #playFirst(): Promise<FailingPlay | null> {
    const failing = await this.#play(this.#session.plainSequence);
    const response = failing?.record.exchanges.at(-1)?.response;
    if (response === undefined || !isUnreachable(response)) return failing;
    throw new SvcError('usage', `No delivery reaches ${this.#options.url}: ${response.problem}.`, {
      hint: getConnectionHint(response),
    });
  }

  async #search(): Promise<FuzzFailure | null> {
    const { events, randomSeed, runs, timeMs, signal } = this.#options;
    const session = this.#session;
    const plainSequences: DeliverySequence[] = Array(PLAIN_PLAYS - 1).fill(session.plainSequence);
    // Without this, a later attack could seem to reveal a mistake of a receiver that accepts every attack.
    if (this.#enabled.has('forged')) plainSequences.push(session.forgedSequence);
    let failing = await this.#playFirst();
    for (const sequence of plainSequences) failing ??= await this.#play(sequence);
    // The report then has 0 runs, because no random sequence was played.
    if (failing !== null) return confirmFailure(session, await this.#preferForged(failing), signal);
    const { createRandomSequence } = await import('./random-sequences.ts');
    const isOver = () =>
      signal.aborted ||
      (runs !== null && session.runs >= runs) ||
      (timeMs !== null && performance.now() - this.#startedAt >= timeMs);
    while (!isOver()) {
      const sequence = createRandomSequence({
        randomSeed,
        run: session.runs++,
        events,
        enabled: this.#enabled,
      });
      const endsAt = timeMs === null ? Number.POSITIVE_INFINITY : this.#startedAt + timeMs;
      failing = await this.#play(sequence, { endsAt });
      if (failing !== null) return findSmallestFailure(session, await this.#findCause(failing), signal);
    }
    const late = await this.#awaitLateSideEffects();
    return late === null ? null : findSmallestFailure(session, late, signal);
  }

  /**
   * @returns the play that broke a rule: this one, or an earlier one whose additional side effects came late; null for none, or after
   * an interrupt
   */
  async #play(sequence: DeliverySequence, limits: Partial<PlayLimits> = {}): Promise<FailingPlay | null> {
    const play = await this.#session.play(sequence, { ...this.#session.getSearchLimits(), ...limits });
    if (play === null) return null;
    const { record, violations } = play;
    const [violation] = violations;
    if (violation !== undefined) return { record, violation };
    const late = this.#findLateSideEffect();
    if (late !== null) return late;
    this.#recentPlays = [{ record, endedAt: performance.now() }, ...this.#recentPlays].slice(0, RECENT_PLAYS);
    return null;
  }

  /** A receiver that accepts a plain delivery without processing it may also accept a forged one, which then shows the cause. */
  async #preferForged(failing: FailingPlay): Promise<FailingPlay> {
    if (failing.violation.rule !== 'processed' || !this.#enabled.has('forged')) return failing;
    return (await this.#play(this.#session.forgedSequence)) ?? failing;
  }

  /** Finds the sequence after which the receiver stopped: the failing one, or an earlier one if the receiver stopped late. */
  async #findCause(failing: FailingPlay): Promise<FailingPlay> {
    const { record, violation } = failing;
    const session = this.#session;
    const [first] = record.exchanges;
    const [latest] = this.#recentPlays;
    if (!record.exchanges.some(({ response }) => isUnreachable(response))) return failing;
    const playAgain = async (sequence: DeliverySequence, rule: FuzzRule) =>
      (await session.ensureRunning()) ? session.playAgain(sequence, session.getShrinkLimits(), rule) : null;
    try {
      const again = await playAgain(record.sequence, violation.rule);
      if (again !== null) return again;
      session.stopsLate = true;
      for (const candidate of [failing, ...this.#recentPlays.slice(0, LATE_STOP_CANDIDATES)]) {
        const cause = await playAgain(candidate.record.sequence, 'running');
        if (cause !== null) return cause;
      }
    } catch {
      // The restart command fails, or side effects cannot be read. The report says so later.
    }
    if (first === undefined || !isUnreachable(first.response) || latest === undefined) return failing;
    const message = `The receiver stopped during or after this sequence: the next delivery ${describeResult(first)}.`;
    return { record: latest.record, violation: { rule: 'running', step: null, message } };
  }

  /** Waits for additional side effects of the last sequences. */
  async #awaitLateSideEffects(): Promise<FailingPlay | null> {
    if (this.#session.watcher === null || this.#options.signal.aborted) return null;
    await sleep(LATE_EFFECT_MS, this.#options.signal);
    await this.#session.watcher.readCount();
    return this.#findLateSideEffect();
  }

  /** Finds an earlier sequence of which additional side effects have appeared since. A count does not show this. */
  #findLateSideEffect(): FailingPlay | null {
    const ids = this.#session.watcher?.latestIds ?? null;
    if (ids === null) return null;
    const countsById = countById(ids);
    for (const { record, endedAt } of this.#recentPlays) {
      const updated: PlayRecord = { ...record, sideEffects: { mode: 'ids', countsById } };
      const violation = findViolations(updated).find(({ rule }) => isSameGroup(rule, 'once'));
      if (violation === undefined) continue;
      const lateMs = LATE_EFFECT_FACTOR * (performance.now() - endedAt);
      this.#session.watcher?.extendQuietTime(
        Math.min(Math.max(lateMs, MIN_LATE_EFFECT_MS), MAX_LATE_EFFECT_MS),
      );
      return { record: updated, violation };
    }
    return null;
  }
}
