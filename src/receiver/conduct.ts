/** Conducts the checks of a receiver: one after the other, each by deliveries of its own. */
import { findNearest } from '../domain/nearest.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { SvcError } from '../errors.ts';
import { Bench } from './bench.ts';
import {
  type Check,
  type CheckStatus,
  failed,
  notObservable,
  receiverRuleNames,
  type Verdict,
} from './check.ts';
import { acceptanceChecks } from './checks/acceptance.ts';
import { deduplicationChecks } from './checks/deduplication.ts';
import { genuineCheck } from './checks/genuine.ts';
import { rawBodyChecks } from './checks/raw-body.ts';
import { listRejectionChecks } from './checks/rejection.ts';
import { robustnessChecks } from './checks/robustness.ts';
import { listSignatureChecks } from './checks/signature.ts';
import { type CourierOptions, createCourier } from './courier.ts';
import { Forge, type ForgeOptions } from './forge.ts';
import type { CountEffects } from './observer.ts';

export interface ConductOptions extends ForgeOptions, CourierOptions {
  /** Null where effects cannot be counted. */
  readonly count: CountEffects | null;
  /** A key of the API, which must not be taken for a secret; null where none is known. */
  readonly apiKey: string | null;
  /** Names of rules and of checks; all when empty. */
  readonly only: readonly string[];
  /** An answer that takes so much longer than to a forged delivery has waited for the work; 1 s when left out. */
  readonly slowMs?: number;
  /** Told before each check, and at the end. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The members are the JSON form too. */
export type CheckResult = Pick<Check, 'id' | 'rule' | 'sent'> & Verdict;

/** `ok` when something passed and nothing failed. The members are the JSON form too. */
export interface Report {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly not_observable: number;
  /** Why the count of effects failed at first; null where it never did. Checks that met with it are not observable. */
  readonly observer_problem: string | null;
  readonly checks: readonly CheckResult[];
}

const SLOW_MS = 1_000;

/** @throws SvcError `usage` for a name in `only` that there is not, `interrupted` when the signal is aborted. */
export async function conductChecks(options: ConductOptions): Promise<Report> {
  const { only, count, apiKey, timeoutMs, slowMs = SLOW_MS, signal, onProgress } = options;
  const all = listChecks(options.scheme, apiKey);
  const wanted = select(all, only);
  const bench = new Bench({
    ...{ forge: new Forge(options), send: createCourier(options) },
    ...{ count, apiKey, slowMs, patienceMs: timeoutMs, signal },
  });
  const conductor = new Conductor(all, bench);
  const checks: CheckResult[] = [];
  for (const check of wanted) {
    onProgress?.(checks.length, wanted.length);
    const { status, received, meaning } = await interruptible(signal, conductor.judge(check));
    checks.push({ id: check.id, rule: check.rule, status, sent: check.sent, received, meaning });
  }
  onProgress?.(checks.length, wanted.length);
  return toReport(checks, conductor.observerProblem);
}

/** Those of the rules in the order of the service description; what may take the receiver down comes last. */
export function listChecks(scheme: SignatureScheme, apiKey: string | null): readonly Check[] {
  return [
    genuineCheck,
    ...listSignatureChecks(scheme, apiKey),
    ...rawBodyChecks,
    ...listRejectionChecks(scheme),
    ...acceptanceChecks,
    ...deduplicationChecks,
    ...robustnessChecks,
  ];
}

/** Judges each check once, after those that it needs. */
class Conductor {
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #bench: Bench;
  readonly #verdicts = new Map<Check, Verdict>();
  /** The check that took the receiver down. */
  #downSince: string | null = null;
  #observerProblem: string | null = null;

  constructor(checks: readonly Check[], bench: Bench) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
    this.#bench = bench;
  }

  /** Why the count of effects failed at first. */
  get observerProblem(): string | null {
    return this.#observerProblem;
  }

  async judge(check: Check): Promise<Verdict> {
    const known = this.#verdicts.get(check);
    if (known !== undefined) return known;
    const obstacle = await this.#findObstacle(check);
    const verdict = obstacle === null ? await this.#run(check) : notObservable('', obstacle);
    this.#verdicts.set(check, verdict);
    return verdict;
  }

  /** Why the check would tell nothing; null when it would. */
  async #findObstacle(check: Check): Promise<string | null> {
    if (check !== genuineCheck) {
      for (const id of [genuineCheck.id, ...(check.needs ?? [])]) {
        const needed = this.#checks.get(id) ?? genuineCheck;
        const { status, meaning } = await this.judge(needed);
        if (status !== 'passed') return `It tells nothing unless ${id} passes. ${meaning}`;
      }
    }
    return this.#downSince === null ? null : `The receiver has been down since ${this.#downSince}.`;
  }

  async #run(check: Check): Promise<Verdict> {
    const bench = this.#bench;
    bench.takeAnswers();
    const verdict = await check.run(bench).catch((error: unknown) => this.#excuse(error));
    const answers = bench.takeAnswers();
    const isLimited = answers.some(({ status }) => status === 429);
    if (isLimited && !(check.expectsLimits && verdict.status === 'passed')) {
      return notObservable('status 429', 'It limits the rate of requests: lift the limit for this check.');
    }
    const wasSilent = answers.some(({ status }) => status === null);
    if (check === genuineCheck || !wasSilent || (await bench.isUp())) return verdict;
    this.#downSince = check.id;
    return failed(verdict.received, 'It takes the receiver down: no delivery is accepted after it.');
  }

  /** A check whose count of effects failed has told nothing; the next one may find it in order again. */
  #excuse(error: unknown): Verdict {
    if (!(error instanceof SvcError)) throw error;
    this.#observerProblem ??= error.message;
    return notObservable('', [error.message, error.hint].filter(Boolean).join(' '));
  }
}

function select(all: readonly Check[], names: readonly string[]): readonly Check[] {
  for (const name of names) {
    if (all.some(({ id, rule }) => id === name || rule === name)) continue;
    const known = [...receiverRuleNames, ...all.map(({ id }) => id)];
    const nearest = findNearest(name, known);
    throw new SvcError('usage', `There is no rule or check ${name}.`, {
      hint: nearest === null ? `The rules are ${receiverRuleNames.join(', ')}.` : `Did you mean ${nearest}?`,
    });
  }
  return names.length === 0 ? all : all.filter(({ id, rule }) => names.includes(id) || names.includes(rule));
}

/** What fails once the person has interrupted fails because of that. */
async function interruptible<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    if (!signal.aborted) return result;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new SvcError('interrupted', 'Interrupted.');
}

function toReport(checks: readonly CheckResult[], observerProblem: string | null): Report {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const [passed, failed] = [count('passed'), count('failed')];
  // Who asked for the effects to be counted is not told that all is well where they were not.
  const ok = passed > 0 && failed === 0 && observerProblem === null;
  return {
    ...{ ok, passed, failed, not_observable: count('not_observable') },
    ...{ observer_problem: observerProblem, checks },
  };
}
