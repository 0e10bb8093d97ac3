/** Plays random histories against a receiver until one breaks a rule, and finds the smallest history that does. */
import { setMaxListeners } from 'node:events';
import { SECOND_MS } from '../../domain/duration.ts';
import { attackNames, type Disturbance, disturbanceNames } from '../../domain/exploration.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { SvcError } from '../../errors.ts';
import { sleep } from '../../timers.ts';
import { DeliveryFactory } from '../delivery-factory.ts';
import type { ReadEffects } from '../effect-observer.ts';
import {
  createReceiverClient,
  getConnectionHint,
  isAccepted,
  isUnreachable,
  type ReceiverClient,
  type ReceiverClientOptions,
} from '../receiver-client.ts';
import { getTamperedDelivery, listAttacks } from '../tampered-deliveries.ts';
import { countById, EffectWatcher } from './effect-watcher.ts';
import { type EventTemplate, HISTORY_VERSION, type History } from './history.ts';
import { HistoryPlayer, type PlayLimits, type PlayRecord } from './play-history.ts';
import {
  describeResult,
  type ExploreRule,
  exploreRules,
  findViolations,
  type StepSummary,
  summarizeSteps,
  type Violation,
} from './rules.ts';
import { shrinkHistory } from './shrink-history.ts';

export interface ExploreOptions extends ReceiverClientOptions {
  /** Time limit for a response or an effect. */
  readonly timeoutMs: number;
  readonly scheme: SignatureScheme;
  readonly secret: string;
  /** The secret that also signs during a rotation (default: none). */
  readonly previousSecret?: string | undefined;
  /** Events that the receiver knows, at least one. Histories contain them, with additional fields too. */
  readonly events: readonly EventTemplate[];
  /** The same seed gives the same histories. */
  readonly seed: number;
  /** The number of histories; null for no limit. */
  readonly runs: number | null;
  /** How long to search; null for no limit. */
  readonly timeMs: number | null;
  /** Null if effects are not observed. */
  readonly readEffects: ReadEffects | null;
  /** Restarts the receiver and resolves when it accepts connections; null if it cannot be restarted. */
  readonly restart: (() => Promise<void>) | null;
  /** What histories may contain (default: everything). */
  readonly disturbances?: ReadonlySet<Disturbance>;
  /** Play this history instead of random ones. */
  readonly replay?: History | null;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
  readonly onProgress?: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  readonly phase: 'searching' | 'shrinking' | 'confirming';
  /** Histories that were played in the search. */
  readonly runs: number;
  readonly requests: number;
  /** The number of steps of the smallest history that fails; null before one does. */
  readonly steps: number | null;
}

/** Also the JSON form. */
export interface ExploreFailure {
  readonly rule: ExploreRule;
  /** Its section in the service description. */
  readonly reference: string;
  /** What the rule demands. */
  readonly summary: string;
  /** What happened. */
  readonly message: string;
  /** Why it matters. */
  readonly reason: string;
  /** What to do. */
  readonly remedy: string;
  /** How often the smallest history failed. */
  readonly failed: number;
  readonly played: number;
  /** The number of steps of the history that failed first. */
  readonly original_steps: number;
  /** The number of histories that were played to find the smallest one. */
  readonly shrink_runs: number;
  readonly shrink_ms: number;
  readonly steps: readonly StepSummary[];
  /** The events that an ordinary one cannot replace, by their number in `steps`. */
  readonly unusual_events: readonly { readonly event: number; readonly payload: string }[];
  /** The smallest history. */
  readonly history: History;
}

/** Also the JSON form. */
export interface ExploreReport {
  readonly ok: boolean;
  /** The search was interrupted before its end. */
  readonly interrupted: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly requests: number;
  readonly duration_ms: number;
  /** How effects were observed; null if they were not, so that the rules about effects could not be checked. */
  readonly effects: 'ids' | 'count' | null;
  readonly disturbances: readonly Disturbance[];
  readonly failure: ExploreFailure | null;
}

/** How long a search for a smaller history may take. */
const SHRINK_MS = 20 * SECOND_MS;
/** Plays of the smallest history, including the one that found it. */
const CONFIRMATION_PLAYS = 3;
/** Plays of a smaller history with simultaneous deliveries before it counts as one that does not fail. */
const RACE_PLAYS = 2;
/** How many of the smallest histories are tried until one fails again. */
const MAX_CONFIRMED = 5;
/** How long a receiver may take to be restarted by its supervisor. */
const RESTART_DELAYS_MS = [500, 1_000, 2_000];
/** The longest time that the search waits for a missing effect, if the first effects were quick. */
const SEARCH_EFFECT_MS = 3 * SECOND_MS;
/** Time for a receiver to recover after a burst. */
const SEARCH_RECOVERY_MS = 3 * SECOND_MS;
const SHRINK_RECOVERY_MS = 250;
const SHRINK_EFFECT_MS = 400;
const SHRINK_RESPONSE_MS = SECOND_MS;
/** How long a delivery is repeated that the receiver cannot accept yet, while a history is made smaller. */
const SHRINK_RETRY_MS = 500;
/** How long after a history a receiver that stops late is noticed, once one has stopped late. */
const LATE_STOP_MS = 500;
/** How many histories can be the cause of what is noticed later. */
const RECENT_PLAYS = 30;
/** How many of them are played again to find the one after which the receiver stops. */
const LATE_STOP_CANDIDATES = 12;
/** How long after the last history the search waits for additional effects. */
const LATE_EFFECT_MS = SECOND_MS;
/** Once an additional effect has come late, each history is followed by twice the time after which it was noticed. */
const LATE_EFFECT_FACTOR = 2;
const MIN_LATE_EFFECT_MS = 250;
const MAX_LATE_EFFECT_MS = 3 * SECOND_MS;
/** How long the smallest histories are played again, to see how often they fail. */
const CONFIRM_MS = 20 * SECOND_MS;
/** How much slower than the slowest response or effect so far a later one may be. */
const SLOWER_FACTOR = 5;

/** A defect can break another rule of the same group while its history becomes smaller. */
const ruleGroups: Readonly<Record<ExploreRule, string>> = {
  accepted: 'genuine delivery',
  'no-server-error': 'genuine delivery',
  running: 'running',
  rejected: 'attack',
  'no-effect': 'too many effects',
  once: 'too many effects',
  processed: 'too few effects',
  order: 'too few effects',
};

/** @throws SvcError `usage` for a URL to which deliveries may not go, or if effects cannot be read */
export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  if (options.restart === null && options.replay?.steps.some(({ kind }) => kind === 'restart')) {
    throw new SvcError('usage', 'The history restarts the receiver, but no restart command is set.', {
      hint: 'Pass --restart-command, or the option restart of exploreReceiver.',
    });
  }
  // Many requests and waits listen to it at the same time.
  const signal = AbortSignal.any([options.signal]);
  setMaxListeners(0, signal);
  const ownOptions = { ...options, signal };
  const client = createReceiverClient(ownOptions);
  try {
    return await new Exploration(ownOptions, client).run();
  } finally {
    client.closeConnections();
  }
}

/** The disturbances that apply to a receiver with this scheme. */
export function listPossibleDisturbances(
  scheme: SignatureScheme,
  canRestart: boolean,
): readonly Disturbance[] {
  const attacks: readonly Disturbance[] = listAttacks(scheme);
  return disturbanceNames.filter(
    (name) =>
      (canRestart || name !== 'restart') &&
      (scheme.header.separator !== null || name !== 'rotation') &&
      (attacks.includes(name) || !(attackNames as readonly Disturbance[]).includes(name)),
  );
}

/** Why a receiver accepts an attack, and what to do; undefined for other violations. */
function explainAcceptedAttack(
  { history, exchanges }: PlayRecord,
  { rule, step: index }: Violation,
): string | undefined {
  const step = index === null ? undefined : history.steps[index];
  if (rule !== 'rejected' || step?.kind !== 'attack') return undefined;
  const last = exchanges.findLast((exchange) => exchange.step === index);
  return last !== undefined && isAccepted(last.response)
    ? getTamperedDelivery(step.attack).explanation
    : undefined;
}

interface FailingPlay {
  readonly record: PlayRecord;
  readonly violation: Violation;
}

interface PassingPlay {
  readonly record: PlayRecord;
  /** As of `performance.now()`. */
  readonly endedAt: number;
}

class Exploration {
  readonly #options: ExploreOptions;
  readonly #player: HistoryPlayer;
  readonly #watcher: EffectWatcher | null;
  /** An event that the receiver knows. */
  readonly #template: EventTemplate;
  /** A history with one delivery. */
  readonly #plain: History;
  readonly #enabled: ReadonlySet<Disturbance>;
  readonly #startedAt = performance.now();
  #runs = 0;
  #requests = 0;
  #effects: 'ids' | 'count' | null = null;
  #phase: ExploreProgress['phase'] = 'searching';
  /** The number of steps of the smallest history that failed. */
  #smallestSteps: number | null = null;
  /** Whether the last history stopped the receiver; `forever` if it did not come back. */
  #isDown: boolean | 'forever' = false;
  /** The last histories that broke no rule, the latest first. What they cause can be noticed later. */
  #recentPlays: readonly PassingPlay[] = [];
  /** Whether to check after each history that the receiver still runs. */
  #stopsLate = false;

  constructor(options: ExploreOptions, client: ReceiverClient) {
    const { events, signal, readEffects } = options;
    const wait = (ms: number) => sleep(ms, signal);
    const [template] = events;
    if (template === undefined) {
      throw new SvcError('usage', 'No event type was given.', { hint: 'Pass at least one event type.' });
    }
    this.#template = { type: template.type, payload: template.payload };
    this.#plain = {
      version: HISTORY_VERSION,
      seed: options.seed,
      run: null,
      events: [{ ...this.#template }],
      steps: [{ kind: 'deliver', event: 0 }],
    };
    this.#options = options;
    this.#watcher = readEffects === null ? null : new EffectWatcher(readEffects, signal);
    const possible = listPossibleDisturbances(options.scheme, options.restart !== null);
    this.#enabled = new Set(possible.filter((name) => options.disturbances?.has(name) ?? true));
    if (options.disturbances !== undefined && options.disturbances.size > 0 && this.#enabled.size === 0) {
      const names = [...options.disturbances].join(', ');
      throw new SvcError('usage', `Cannot send any of the selected disturbances: ${names}.`, {
        hint: 'The disturbance restart needs a restart command. Rotation and attacks depend on the signature scheme.',
      });
    }
    this.#player = new HistoryPlayer({
      ...options,
      client,
      otherEvent: this.#template,
      factory: new DeliveryFactory({ ...options, eventType: template.type, payload: template.payload }),
      watcher: this.#watcher,
      sleep: wait,
    });
  }

  async run(): Promise<ExploreReport> {
    const { replay } = this.#options;
    const failure = replay ? await this.#replay(replay) : await this.#search();
    const interrupted = this.#options.signal.aborted;
    return {
      ok: failure === null && !interrupted,
      interrupted,
      seed: this.#options.seed,
      runs: this.#runs,
      requests: this.#requests,
      duration_ms: Math.round(performance.now() - this.#startedAt),
      effects: this.#effects,
      disturbances: [...this.#enabled],
      failure,
    };
  }

  async #replay(history: History): Promise<ExploreFailure | null> {
    // Shows how fast the receiver is.
    await this.#playFirst();
    // The failure of the history can come late.
    this.#stopsLate = true;
    this.#watcher?.extendQuietTime(LATE_EFFECT_MS);
    while (this.#runs < CONFIRMATION_PLAYS && !this.#options.signal.aborted) {
      this.#runs++;
      const failing = await this.#play(history, this.#getSearchLimits());
      if (failing === null) continue;
      return this.#confirm(failing, { originalSteps: history.steps.length, playCount: 0, ms: 0 });
    }
    return null;
  }

  /** Plays a history with one delivery. @throws SvcError `usage` if it does not reach the receiver */
  async #playFirst(): Promise<FailingPlay | null> {
    const failing = await this.#play(this.#plain, this.#getSearchLimits());
    const response = failing?.record.exchanges.at(-1)?.response;
    if (response === undefined || !isUnreachable(response)) return failing;
    throw new SvcError('usage', `No delivery reaches ${this.#options.url}: ${response.problem}.`, {
      hint: getConnectionHint(response),
    });
  }

  async #search(): Promise<ExploreFailure | null> {
    const { events, seed, runs, timeMs } = this.#options;
    // The speed of responses and effects decides how long later plays wait.
    for (let play = 0; play < CONFIRMATION_PLAYS; play++) {
      const failing = await (play === 0
        ? this.#playFirst()
        : this.#play(this.#plain, this.#getSearchLimits()));
      if (failing !== null) return this.#confirm(failing, { originalSteps: 1, playCount: 0, ms: 0 });
    }
    const { createRandomHistory } = await import('./random-histories.ts');
    const isOver = () =>
      this.#options.signal.aborted ||
      (runs !== null && this.#runs >= runs) ||
      (timeMs !== null && performance.now() - this.#startedAt >= timeMs);
    while (!isOver()) {
      const history = createRandomHistory({ seed, run: this.#runs++, events, enabled: this.#enabled });
      if (history.steps.length === 0) continue;
      const endsAt = timeMs === null ? Number.POSITIVE_INFINITY : this.#startedAt + timeMs;
      const failing = await this.#play(history, { ...this.#getSearchLimits(), endsAt });
      if (failing !== null) return this.#shrink(await this.#findCause(failing));
    }
    const late = await this.#awaitLateEffects();
    return late === null ? null : this.#shrink(late);
  }

  /** Finds the history after which the receiver stopped: the failing one, or an earlier one if the receiver stopped late. */
  async #findCause(failing: FailingPlay): Promise<FailingPlay> {
    const { record, violation } = failing;
    const [first] = record.exchanges;
    const [latest] = this.#recentPlays;
    if (!record.exchanges.some(({ response }) => isUnreachable(response))) return failing;
    const replay = async (history: History, group: string) =>
      (await this.#isRunning()) ? this.#play(history, this.#getShrinkLimits(), group) : null;
    try {
      const again = await replay(record.history, ruleGroups[violation.rule]);
      if (again !== null) return again;
      this.#stopsLate = true;
      for (const candidate of [failing, ...this.#recentPlays.slice(0, LATE_STOP_CANDIDATES)]) {
        const cause = await replay(candidate.record.history, ruleGroups.running);
        if (cause !== null) return cause;
      }
    } catch {
      // The restart command fails. The report says so later.
    }
    if (first === undefined || !isUnreachable(first.response) || latest === undefined) return failing;
    const message = `The receiver stopped during or after this history: the next delivery ${describeResult(first)}.`;
    return { record: latest.record, violation: { rule: 'running', step: null, message } };
  }

  /** Waits for additional effects of the last histories. */
  async #awaitLateEffects(): Promise<FailingPlay | null> {
    if (this.#watcher === null || this.#options.signal.aborted) return null;
    await sleep(LATE_EFFECT_MS, this.#options.signal);
    await this.#watcher.readBaseline();
    return this.#findLateEffect();
  }

  /** Finds an earlier history of which additional effects have appeared since. A count does not show this. */
  #findLateEffect(): FailingPlay | null {
    const ids = this.#watcher?.latestIds ?? null;
    if (ids === null) return null;
    const countsById = countById(ids);
    for (const { record, endedAt } of this.#recentPlays) {
      const updated: PlayRecord = { ...record, effects: { mode: 'ids', countsById } };
      const violation = findViolations(updated).find(({ rule }) => ruleGroups[rule] === ruleGroups.once);
      if (violation === undefined) continue;
      const lateMs = LATE_EFFECT_FACTOR * (performance.now() - endedAt);
      this.#watcher?.extendQuietTime(Math.min(Math.max(lateMs, MIN_LATE_EFFECT_MS), MAX_LATE_EFFECT_MS));
      return { record: updated, violation };
    }
    return null;
  }

  async #shrink(first: FailingPlay): Promise<ExploreFailure> {
    this.#phase = 'shrinking';
    const startedAt = performance.now();
    const getElapsedMs = () => Math.round(performance.now() - startedAt);
    const group = ruleGroups[first.violation.rule];
    const failures = [first];
    this.#smallestSteps = first.record.history.steps.length;
    let error: Error | null = null;
    const isFailing = async (history: History): Promise<boolean> => {
      if (this.#options.signal.aborted || getElapsedMs() > SHRINK_MS || error !== null) return false;
      if (!(await this.#isRunning())) return false;
      // A race does not show in every play.
      const isRace = history.steps.some((step) => 'with_previous' in step && step.with_previous);
      for (let play = 0; play < (isRace ? RACE_PLAYS : 1); play++) {
        const failing = await this.#play(history, this.#getShrinkLimits(), group);
        if (failing === null) continue;
        failures.unshift(failing);
        this.#smallestSteps = history.steps.length;
        return true;
      }
      return false;
    };
    const { playCount } = await shrinkHistory(
      first.record.history,
      first.violation.step,
      this.#template,
      // An error of the restart command or of the observer ends the shrinking. The failure is still reported.
      (history) =>
        isFailing(history).catch((cause: Error) => {
          error = cause;
          return false;
        }),
    );
    const shrinking = { originalSteps: first.record.history.steps.length, playCount, ms: getElapsedMs() };
    const endsAt = performance.now() + CONFIRM_MS;
    const smallest = await this.#confirm(failures[0] ?? first, shrinking, endsAt);
    // A small history can fail by chance, or because the waits were shorter. A larger one may fail more often.
    for (const larger of new Set([...failures.slice(1, MAX_CONFIRMED), first])) {
      if (smallest.failed > 1 || this.#options.signal.aborted || performance.now() >= endsAt) break;
      const failure = await this.#confirm(larger, shrinking, endsAt);
      if (failure.failed > 1) return failure;
    }
    return smallest;
  }

  /** @param group only violations of these rules count; null for all @returns null if the history keeps the rules */
  async #play(
    history: History,
    limits: PlayLimits,
    group: string | null = null,
  ): Promise<FailingPlay | null> {
    const record = await this.#player.play(history, limits).catch((error: unknown) => {
      // An interrupt aborts requests, which must not end in an error.
      if (this.#options.signal.aborted) return null;
      throw error;
    });
    if (record === null) return null;
    this.#requests += record.exchanges.length;
    this.#effects ??= record.effects?.mode ?? null;
    this.#options.onProgress?.({
      phase: this.#phase,
      runs: this.#runs,
      requests: this.#requests,
      steps: this.#smallestSteps,
    });
    if (this.#options.signal.aborted) return null;
    const violations = findViolations(record);
    this.#isDown = violations.some(({ rule }) => rule === 'running');
    const violation = violations.find(({ rule }) => group === null || ruleGroups[rule] === group);
    if (violation !== undefined) return { record, violation };
    const isSearching = this.#phase === 'searching';
    const late = isSearching ? this.#findLateEffect() : null;
    if (late !== null) return late;
    if (isSearching && violations.length === 0) {
      const plays = [{ record, endedAt: performance.now() }, ...this.#recentPlays];
      this.#recentPlays = plays.slice(0, RECENT_PLAYS);
    }
    return null;
  }

  /** Restarts a receiver that a history has stopped, or waits until it is restarted. @returns false if it stays down */
  async #isRunning(): Promise<boolean> {
    if (this.#isDown === false) return true;
    if (this.#isDown === 'forever') return false;
    const { restart, signal } = this.#options;
    // An interrupt also ends a restart that is in progress.
    await restart?.().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    for (const delayMs of [0, ...RESTART_DELAYS_MS]) {
      await sleep(delayMs, signal);
      const record = await this.#player.play(this.#plain, this.#getShrinkLimits()).catch(() => null);
      if (signal.aborted) return false;
      this.#requests += record?.exchanges.length ?? 0;
      if (record === null || findViolations(record).length > 0) continue;
      this.#isDown = false;
      return true;
    }
    this.#isDown = 'forever';
    return false;
  }

  /** Plays the smallest history again, to see whether it fails every time. */
  async #confirm(
    failing: FailingPlay,
    shrinking: { readonly originalSteps: number; readonly playCount: number; readonly ms: number },
    endsAt = performance.now() + CONFIRM_MS,
  ): Promise<ExploreFailure> {
    this.#phase = 'confirming';
    this.#smallestSteps = failing.record.history.steps.length;
    const { record, violation } = failing;
    let [failed, played] = [1, 1];
    let problem: string | null = null;
    const canPlay = () =>
      played < CONFIRMATION_PLAYS && !this.#options.signal.aborted && performance.now() < endsAt;
    try {
      while (canPlay() && (await this.#isRunning())) {
        const next = await this.#play(record.history, this.#getSearchLimits(), ruleGroups[violation.rule]);
        if (this.#options.signal.aborted) break;
        played++;
        if (next !== null) failed++;
      }
    } catch (error) {
      problem = (error as Error).message;
    }
    const { reference, summary, reason, remedy } = exploreRules[violation.rule];
    return {
      rule: violation.rule,
      reference,
      summary,
      message:
        problem === null
          ? violation.message
          : `${violation.message} It could not be played again: ${problem}`,
      reason,
      remedy: [explainAcceptedAttack(record, violation), remedy].filter(Boolean).join(' '),
      failed,
      played,
      original_steps: shrinking.originalSteps,
      shrink_runs: shrinking.playCount,
      shrink_ms: shrinking.ms,
      steps: summarizeSteps(record, findViolations(record)),
      unusual_events: record.history.events.flatMap(({ payload }, index) =>
        payload === this.#template.payload ? [] : [{ event: index + 1, payload }],
      ),
      history: record.history,
    };
  }

  #getSearchLimits(): PlayLimits {
    const { timeoutMs } = this.#options;
    const slowestMs = this.#watcher?.slowestMs ?? 0;
    // Before the first effect, nothing is known about the speed of the receiver.
    const isUnknown = slowestMs === 0 && this.#smallestSteps === null;
    const effectMs = isUnknown ? timeoutMs : Math.max(SEARCH_EFFECT_MS, SLOWER_FACTOR * slowestMs);
    return {
      responseMs: timeoutMs,
      retryMs: timeoutMs,
      effectMs: Math.min(timeoutMs, effectMs),
      recoveryMs: SEARCH_RECOVERY_MS,
      lateStopMs: this.#stopsLate ? LATE_STOP_MS : 0,
      endsAt: Number.POSITIVE_INFINITY,
    };
  }

  #getShrinkLimits(): PlayLimits {
    const { timeoutMs } = this.#options;
    const responseMs = Math.max(SHRINK_RESPONSE_MS, SLOWER_FACTOR * this.#player.slowestResponseMs);
    const effectMs = Math.max(SHRINK_EFFECT_MS, SLOWER_FACTOR * (this.#watcher?.slowestMs ?? 0));
    return {
      ...this.#getSearchLimits(),
      responseMs: Math.min(timeoutMs, responseMs),
      retryMs: Math.min(timeoutMs, SHRINK_RETRY_MS),
      effectMs: Math.min(timeoutMs, effectMs),
      recoveryMs: SHRINK_RECOVERY_MS,
    };
  }
}
