/** Plays random sequences against a receiver until one breaks a rule, and finds the smallest sequence that does. */
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { attackNames, type Variation, variationNames } from '../../domain/variations.ts';
import { withAnySignal } from '../../platform/abort-signals.ts';
import { getIdLocation } from '../../profile/senders.ts';
import { describeResult, fuzzRuleNames, sideEffectRules } from '../play-rules.ts';
import type { PlayLimits, SessionOptions } from '../play-sequence.ts';
import { type CheckResult, type ReceiverReport, toReport } from '../receiver-check.ts';
import { getConnectionHint, isUnreachable } from '../receiver-client.ts';
import { type Play, ReceiverSession } from '../receiver-session.ts';
import {
  createUnknownEvent,
  type DeliverySequence,
  type EventTemplate,
  SEQUENCE_VERSION,
} from '../sequence.ts';
import { listAttacks } from '../tampered-deliveries.ts';
import { describeFuzzFailure, type FailingPlay, type FuzzFailure } from './describe-fuzz-failure.ts';
import { shrinkSequence } from './shrink-sequence.ts';

export interface FuzzProgress {
  /** How many random sequences were started, or how often the given sequence was. Plain deliveries do not count. */
  readonly runs: number;
  readonly requests: number;
  /** The number of steps of the smallest sequence so far that breaks a rule; null before one does. */
  readonly steps: number | null;
}

export interface FuzzOptions extends SessionOptions {
  /** Events that the receiver knows, at least one. Sequences contain them, with additional fields too. */
  readonly events: readonly [EventTemplate, ...EventTemplate[]];
  /** The same random seed gives the same sequences. */
  readonly randomSeed: number;
  readonly onProgress?: (progress: FuzzProgress) => void;
  /** The number of sequences; null for no limit. */
  readonly runs: number | null;
  /** How long to search; null for no limit. */
  readonly timeMs: number | null;
  /** What sequences may contain. */
  readonly variations: ReadonlySet<Variation>;
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
/** Plays of a given sequence, because a race does not show each time. */
const REPLAYS = 3;
/** How long a search for a smaller sequence may take, and the least time that its plays wait. */
const SHRINK_MS = 20 * SECOND_MS;
const SHRINK_TIMEOUT_MS = 500;
/** Plays of a smaller sequence with simultaneous deliveries before it counts as one that does not fail, because a race does not show each time. */
const RACE_PLAYS = 2;

/**
 * @throws SvcError `usage` if none of the variations can be sent, if deliveries may not go to the URL or do not reach it, or if
 * side effects cannot be read
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  // A signal of its own, because many requests and waits listen to it at the same time.
  return withAnySignal([options.signal], (signal) => new FuzzRun({ ...options, signal }).run());
}

/** The variations that can be sent to a receiver. Without an ID, it cannot recognize an event that is sent again. */
function listPossibleVariations({ sender, restart, events }: FuzzOptions): readonly Variation[] {
  const attacks = listAttacks(sender.scheme);
  const hasId = getIdLocation(sender) !== null;
  const conditions: Partial<Record<Variation, boolean>> = {
    ...Object.fromEntries(attackNames.map((name) => [name, attacks.includes(name)])),
    restart: restart !== null,
    duplicate: hasId,
    'lost-response': hasId,
    'cut-request': hasId,
    'old-event': sender.body === 'envelope',
    'unknown-type': events.every((event) => createUnknownEvent(sender, event) !== null),
  };
  return variationNames.filter((name) => conditions[name] ?? true);
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

class FuzzRun {
  readonly #options: FuzzOptions;
  readonly #session: ReceiverSession;
  readonly #enabled: ReadonlySet<Variation>;
  readonly #startedAt = performance.now();
  #runs = 0;
  /** As in {@link FuzzProgress}. */
  #steps: number | null = null;
  #sideEffects: FuzzReport['side_effects'] = null;
  /** The last play that broke no rule. */
  #latest: Omit<FailingPlay, 'violation'> | null = null;

  constructor(options: FuzzOptions) {
    const { variations, events } = options;
    this.#options = options;
    this.#session = new ReceiverSession(options, events[0]);
    this.#enabled = new Set(listPossibleVariations(options).filter((name) => variations.has(name)));
    if (variations.size > 0 && this.#enabled.size === 0) {
      const names = [...variations].join(', ');
      throw new SvcError('usage', `Cannot send any of the selected variations: ${names}.`, {
        hint: 'Select others. The variation restart needs a restart command. Attacks and events depend on the sender.',
      });
    }
  }

  async run(): Promise<FuzzReport> {
    const { replay, signal, randomSeed } = this.#options;
    try {
      const failure = replay ? await this.#replay(replay) : await this.#search();
      return {
        ...toReport(listResults(failure, this.#sideEffects !== null), signal.aborted),
        random_seed: randomSeed,
        runs: this.#runs,
        requests: this.#session.requests,
        duration_ms: Math.round(performance.now() - this.#startedAt),
        side_effects: this.#sideEffects,
        variations: [...this.#enabled],
        failure,
      };
    } finally {
      this.#session.client.closeConnections();
    }
  }

  async #replay(sequence: DeliverySequence): Promise<FuzzFailure | null> {
    // Shows how fast the receiver is.
    await this.#playPlain();
    while (this.#runs < REPLAYS && !this.#options.signal.aborted) {
      this.#runs++;
      const failing = await this.#try(sequence);
      if (failing !== null) return this.#describe(failing);
    }
    return null;
  }

  async #search(): Promise<FuzzFailure | null> {
    const { sender, events, randomSeed, runs, timeMs, signal } = this.#options;
    const enabled = this.#enabled;
    let failing: FailingPlay | null = null;
    for (let play = 0; play < PLAIN_PLAYS; play++) failing ??= await this.#playPlain();
    // Without this, a later attack could seem to reveal a mistake of a receiver that accepts every attack.
    if (enabled.has('forged'))
      failing ??= await this.#tryStep({ kind: 'attack', attack: 'forged', event: 0 });
    // The report then has 0 runs, because no random sequence was played.
    if (failing !== null) return this.#describe(failing);
    const { createRandomSequence } = await import('./random-sequences.ts');
    const endsAt = timeMs === null ? Number.POSITIVE_INFINITY : this.#startedAt + timeMs;
    const isOver = () =>
      signal.aborted || (runs !== null && this.#runs >= runs) || performance.now() >= endsAt;
    while (!isOver()) {
      const run = this.#runs++;
      failing = await this.#try(createRandomSequence({ sender, randomSeed, run, events, enabled }));
      if (failing !== null) return this.#shrink(failing);
    }
    return null;
  }

  /** Plays a sequence with one delivery. @throws SvcError `usage` if it does not reach the receiver */
  async #playPlain(): Promise<FailingPlay | null> {
    const failing = await this.#tryStep({ kind: 'deliver', event: 0 });
    const response = failing?.record.exchanges.at(-1)?.response;
    if (response === undefined || !isUnreachable(response)) return failing;
    throw new SvcError('usage', `No delivery reaches ${this.#options.url}: ${response.problem}.`, {
      hint: getConnectionHint(response),
    });
  }

  #tryStep(step: DeliverySequence['steps'][number]): Promise<FailingPlay | null> {
    const { randomSeed: random_seed } = this.#options;
    const events = [{ ...this.#session.template }];
    return this.#try({ version: SEQUENCE_VERSION, random_seed, run: null, events, steps: [step] });
  }

  /** @returns the play if it broke a rule; null if it did not, or after an interrupt */
  async #try(sequence: DeliverySequence): Promise<FailingPlay | null> {
    const play = await this.#play(sequence);
    if (play === null) return null;
    const { sideEffects, exchanges } = play.record;
    if (sideEffects !== null) this.#sideEffects ??= sideEffects.countsById === null ? 'count' : 'ids';
    const [violation] = play.violations;
    const [first] = exchanges;
    if (violation === undefined) {
      this.#latest = { ...play, sequence };
      return null;
    }
    const isStopped = first !== undefined && !first.isDuringRestart && isUnreachable(first.response);
    if (this.#latest === null || !isStopped) return { ...play, sequence, violation };
    const message = `The receiver stopped during or after this sequence: the next delivery ${describeResult(first)}.`;
    return { ...this.#latest, violation: { rule: 'running', step: null, message } };
  }

  /** Finds the smallest sequence that breaks a rule. It can be another rule: a repeat and an attack can show the same defect. */
  async #shrink(first: FailingPlay): Promise<FuzzFailure> {
    const endsAt = performance.now() + SHRINK_MS;
    let smallest = first;
    this.#steps = first.sequence.steps.length;
    const isFailing = async (sequence: DeliverySequence): Promise<boolean> => {
      const isRace = sequence.steps.some((step) => 'with_previous' in step && step.with_previous);
      for (let tries = isRace ? RACE_PLAYS : 1; tries > 0; tries--) {
        if (performance.now() > endsAt || !(await this.#session.ensureRunning())) return false;
        const timeoutMs = this.#session.getTimeLimit(SHRINK_TIMEOUT_MS);
        const play = await this.#play(sequence, { timeoutMs });
        const violation = play?.violations[0];
        if (!play || !violation) continue;
        smallest = { ...play, sequence, violation };
        this.#steps = sequence.steps.length;
        return true;
      }
      return false;
    };
    const known = { ...this.#session.template, sender: this.#options.sender };
    // An error of the restart command or of the observer ends the shrinking. The failure is still reported.
    await shrinkSequence(first.sequence, first.violation.step, known, isFailing).catch(() => {});
    return { ...this.#describe(smallest), original_steps: first.sequence.steps.length };
  }

  #describe(failing: FailingPlay): FuzzFailure {
    return describeFuzzFailure(failing, this.#session.template, this.#options.sender);
  }

  async #play(sequence: DeliverySequence, limits?: Partial<PlayLimits>): Promise<Play | null> {
    const play = await this.#session.play(sequence, limits);
    const { requests } = this.#session;
    this.#options.onProgress?.({ runs: this.#runs, requests, steps: this.#steps });
    return play;
  }
}
