/** Plays random sequences against a receiver until one breaks a rule, and finds the smallest sequence that does. */

import { SvcError } from '../../domain/errors.ts';
import { attackNames, type Variation, variationNames } from '../../domain/variations.ts';
import { withAnySignal } from '../../platform/abort-signals.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { describeResult, fuzzRuleNames, sideEffectRules } from '../play-rules.ts';
import { type CheckResult, type ReceiverReport, toReport } from '../receiver-check.ts';
import { getConnectionHint, isUnreachable } from '../receiver-client.ts';
import type { SessionOptions } from '../receiver-session.ts';
import { type DeliverySequence, type EventTemplate, SEQUENCE_VERSION } from '../sequence.ts';
import type { SideEffects } from '../side-effect-observer.ts';
import { listAttacks } from '../tampered-deliveries.ts';
import { type FailingPlay, type FuzzProgress, FuzzSession } from './fuzz-session.ts';
import {
  CONFIRMATION_PLAYS,
  confirmFailure,
  type FuzzFailure,
  findSmallestFailure,
} from './smallest-failure.ts';

export interface FuzzOptions extends SessionOptions {
  /** Events that the receiver knows, at least one. Sequences contain them, with additional fields too. */
  readonly events: readonly EventTemplate[];
  /** The same random seed gives the same sequences. */
  readonly randomSeed: number;
  readonly onProgress?: (progress: FuzzProgress) => void;
  /** The number of sequences; null for no limit. */
  readonly runs: number | null;
  /** How long to search; null for no limit. */
  readonly timeMs: number | null;
  /** What sequences may contain (default: everything). */
  readonly variations?: ReadonlySet<Variation>;
  /** Play this sequence instead of random ones. */
  readonly replay?: DeliverySequence | null;
}

/** Has one check for each rule. Also the JSON form. */
export interface FuzzReport extends ReceiverReport {
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

/**
 * @throws SvcError `usage` if none of the variations can be sent, if deliveries may not go to the URL or do not reach it, or if
 * side effects cannot be read
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  // A signal of its own, because many requests and waits listen to it at the same time.
  return withAnySignal([options.signal], (signal) => new Search({ ...options, signal }).run());
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

/** What the run showed about each rule. */
function listResults(failure: FuzzFailure | null, hasSideEffects: boolean): CheckResult[] {
  return fuzzRuleNames.map((rule) => {
    const check = { id: rule, rule, sent: 'random sequences', received: '' };
    if (rule === failure?.rule) {
      const { steps, message, reason, remedy } = failure;
      const list = (name: 'sent' | 'received') =>
        steps.map((step) => `${step.step}. ${step[name]}`).join('\n');
      const meaning = `${message} ${reason} ${remedy}`;
      return { ...check, status: 'failed', sent: list('sent'), received: list('received'), meaning };
    }
    return hasSideEffects || !sideEffectRules.has(rule)
      ? { ...check, status: 'passed', meaning: 'No sequence broke the rule.' }
      : { ...check, status: 'skipped', meaning: 'Side effects were not observed.' };
  });
}

class Search {
  readonly #options: FuzzOptions;
  readonly #session: FuzzSession;
  readonly #enabled: ReadonlySet<Variation>;
  readonly #startedAt = performance.now();
  #sideEffects: SideEffects['mode'] | null = null;
  /** The last play that broke no rule. */
  #latest: Omit<FailingPlay, 'violation'> | null = null;

  constructor(options: FuzzOptions) {
    const { scheme, restart, variations, events, onProgress } = options;
    const [template] = events;
    if (template === undefined) {
      throw new SvcError('usage', 'No event type was given.', { hint: 'Pass at least one event type.' });
    }
    this.#options = options;
    this.#session = new FuzzSession(options, template, onProgress);
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
    const session = this.#session;
    try {
      const failure = replay ? await this.#replay(replay) : await this.#search();
      return {
        ...toReport(listResults(failure, this.#sideEffects !== null), signal.aborted),
        random_seed: randomSeed,
        runs: session.runs,
        requests: session.requests,
        duration_ms: Math.round(performance.now() - this.#startedAt),
        side_effects: this.#sideEffects,
        variations: [...this.#enabled],
        failure,
      };
    } finally {
      session.closeConnections();
    }
  }

  /** A sequence with one step, before the random ones. */
  #createSequence(step: DeliverySequence['steps'][number]): DeliverySequence {
    const { randomSeed } = this.#options;
    const events = [{ ...this.#session.template }];
    return { version: SEQUENCE_VERSION, random_seed: randomSeed, run: null, events, steps: [step] };
  }

  async #replay(sequence: DeliverySequence): Promise<FuzzFailure | null> {
    const session = this.#session;
    // Shows how fast the receiver is.
    await this.#playPlain();
    while (session.runs < CONFIRMATION_PLAYS && !session.signal.aborted) {
      session.runs++;
      const failing = await this.#play(sequence);
      if (failing !== null) return confirmFailure(session, failing);
    }
    return null;
  }

  /** Plays a sequence with one delivery. @throws SvcError `usage` if it does not reach the receiver */
  async #playPlain(): Promise<FailingPlay | null> {
    const failing = await this.#play(this.#createSequence({ kind: 'deliver', event: 0 }));
    const response = failing?.record.exchanges.at(-1)?.response;
    if (response === undefined || !isUnreachable(response)) return failing;
    throw new SvcError('usage', `No delivery reaches ${this.#options.url}: ${response.problem}.`, {
      hint: getConnectionHint(response),
    });
  }

  async #search(): Promise<FuzzFailure | null> {
    const { events, randomSeed, runs, timeMs } = this.#options;
    const session = this.#session;
    const enabled = this.#enabled;
    let failing: FailingPlay | null = null;
    for (let play = 0; play < PLAIN_PLAYS; play++) failing ??= await this.#playPlain();
    // Without this, a later attack could seem to reveal a mistake of a receiver that accepts every attack. And a receiver that
    // accepts a plain delivery without processing it may also accept a forged one, which then shows the cause.
    if (enabled.has('forged') && (failing === null || failing.violation.rule === 'processed')) {
      failing =
        (await this.#play(this.#createSequence({ kind: 'attack', attack: 'forged', event: 0 }))) ?? failing;
    }
    // The report then has 0 runs, because no random sequence was played.
    if (failing !== null) return confirmFailure(session, failing);
    const { createRandomSequence } = await import('./random-sequences.ts');
    const endsAt = timeMs === null ? Number.POSITIVE_INFINITY : this.#startedAt + timeMs;
    const isOver = () =>
      session.signal.aborted || (runs !== null && session.runs >= runs) || performance.now() >= endsAt;
    while (!isOver()) {
      const run = session.runs++;
      failing = await this.#play(createRandomSequence({ randomSeed, run, events, enabled }));
      if (failing !== null) return findSmallestFailure(session, failing);
    }
    return null;
  }

  /** @returns the play if it broke a rule; null if it did not, or after an interrupt */
  async #play(sequence: DeliverySequence): Promise<FailingPlay | null> {
    const play = await this.#session.play(sequence);
    if (play === null) return null;
    const { record, violations } = play;
    this.#sideEffects ??= record.sideEffects?.mode ?? null;
    const [violation] = violations;
    const [first] = record.exchanges;
    if (violation === undefined) {
      this.#latest = { sequence, record };
      return null;
    }
    if (this.#latest === null || first === undefined || !isUnreachable(first.response)) {
      return { sequence, record, violation };
    }
    const message = `The receiver stopped during or after this sequence: the next delivery ${describeResult(first)}.`;
    return { ...this.#latest, violation: { rule: 'running', step: null, message } };
  }
}
