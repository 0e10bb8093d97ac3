/** Conducts the checks of a receiver: one after the other, each by deliveries of its own. */
import { closestMatch } from '../domain/closest-match.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { SvcError } from '../errors.ts';
import { CheckContext } from './check-context.ts';
import { acceptanceChecks } from './checks/acceptance-checks.ts';
import { deduplicationChecks } from './checks/deduplication-checks.ts';
import { rawBodyChecks } from './checks/raw-body-checks.ts';
import { listRejectionChecks } from './checks/rejection-checks.ts';
import { robustnessChecks } from './checks/robustness-checks.ts';
import { listSignatureChecks } from './checks/signature-checks.ts';
import { validDeliveryCheck } from './checks/valid-delivery-check.ts';
import { DeliveryFactory, type DeliveryFactoryOptions } from './delivery-factory.ts';
import type { CountEffects } from './effect-observer.ts';
import {
  type CheckOutcome,
  type CheckStatus,
  failed,
  notObservable,
  type ReceiverCheck,
  receiverRuleNames,
} from './receiver-check.ts';
import { createReceiverClient, type ReceiverClientOptions } from './receiver-client.ts';

export interface RunChecksOptions extends DeliveryFactoryOptions, ReceiverClientOptions {
  /** Null where effects cannot be counted. */
  readonly count: CountEffects | null;
  /** A key of the API, which must not be taken for a secret; null where none is known. */
  readonly apiKey: string | null;
  /** Names of rules and of checks; all when empty. */
  readonly only: readonly string[];
  /** An answer that takes so much longer than to a forged delivery has waited for the work; 1 s when left out. */
  readonly slowThresholdMs?: number;
  /** Told before each check, and at the end. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The members are the JSON form too. */
export type CheckResult = Pick<ReceiverCheck, 'id' | 'rule' | 'sent'> & CheckOutcome;

/** `ok` when something passed and nothing failed. The members are the JSON form too. */
export interface CheckReport {
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
export async function runChecks(options: RunChecksOptions): Promise<CheckReport> {
  const { only, count, apiKey, timeoutMs, slowThresholdMs = SLOW_MS, signal, onProgress } = options;
  const all = listChecks(options.scheme, apiKey);
  const wanted = select(all, only);
  const checkContext = new CheckContext({
    ...{ deliveries: new DeliveryFactory(options), send: createReceiverClient(options) },
    ...{ count, apiKey, slowThresholdMs, effectTimeoutMs: timeoutMs, signal },
  });
  const conductor = new CheckRunner(all, checkContext);
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
export function listChecks(scheme: SignatureScheme, apiKey: string | null): readonly ReceiverCheck[] {
  return [
    validDeliveryCheck,
    ...listSignatureChecks(scheme, apiKey),
    ...rawBodyChecks,
    ...listRejectionChecks(scheme),
    ...acceptanceChecks,
    ...deduplicationChecks,
    ...robustnessChecks,
  ];
}

/** Judges each check once, after those that it needs. */
class CheckRunner {
  readonly #checks: ReadonlyMap<string, ReceiverCheck>;
  readonly #checkContext: CheckContext;
  readonly #verdicts = new Map<ReceiverCheck, CheckOutcome>();
  /** The check that took the receiver down. */
  #downSince: string | null = null;
  #observerProblem: string | null = null;

  constructor(checks: readonly ReceiverCheck[], checkContext: CheckContext) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
    this.#checkContext = checkContext;
  }

  /** Why the count of effects failed at first. */
  get observerProblem(): string | null {
    return this.#observerProblem;
  }

  async judge(check: ReceiverCheck): Promise<CheckOutcome> {
    const known = this.#verdicts.get(check);
    if (known !== undefined) return known;
    const obstacle = await this.#findObstacle(check);
    const checkOutcome = obstacle === null ? await this.#run(check) : notObservable('', obstacle);
    this.#verdicts.set(check, checkOutcome);
    return checkOutcome;
  }

  /** Why the check would tell nothing; null when it would. */
  async #findObstacle(check: ReceiverCheck): Promise<string | null> {
    if (check !== validDeliveryCheck) {
      for (const id of [validDeliveryCheck.id, ...(check.requires ?? [])]) {
        const needed = this.#checks.get(id) ?? validDeliveryCheck;
        const { status, meaning } = await this.judge(needed);
        if (status !== 'passed') return `It tells nothing unless ${id} passes. ${meaning}`;
      }
    }
    return this.#downSince === null ? null : `The receiver has been down since ${this.#downSince}.`;
  }

  async #run(check: ReceiverCheck): Promise<CheckOutcome> {
    const checkContext = this.#checkContext;
    checkContext.takeResponses();
    const checkOutcome = await check.run(checkContext).catch((error: unknown) => this.#excuse(error));
    const answers = checkContext.takeResponses();
    const isLimited = answers.some(({ status }) => status === 429);
    if (isLimited && !(check.acceptsRateLimit && checkOutcome.status === 'passed')) {
      return notObservable('status 429', 'It limits the rate of requests: lift the limit for this check.');
    }
    const wasSilent = answers.some(({ status }) => status === null);
    if (check === validDeliveryCheck || !wasSilent || (await checkContext.isResponsive()))
      return checkOutcome;
    this.#downSince = check.id;
    return failed(checkOutcome.received, 'It takes the receiver down: no delivery is accepted after it.');
  }

  /** A check whose count of effects failed has told nothing; the next one may find it in order again. */
  #excuse(error: unknown): CheckOutcome {
    if (!(error instanceof SvcError)) throw error;
    this.#observerProblem ??= error.message;
    return notObservable('', [error.message, error.hint].filter(Boolean).join(' '));
  }
}

function select(all: readonly ReceiverCheck[], names: readonly string[]): readonly ReceiverCheck[] {
  for (const name of names) {
    if (all.some(({ id, rule }) => id === name || rule === name)) continue;
    const known = [...receiverRuleNames, ...all.map(({ id }) => id)];
    const nearest = closestMatch(name, known);
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

function toReport(checks: readonly CheckResult[], observerProblem: string | null): CheckReport {
  const count = (wanted: CheckStatus) => checks.filter(({ status }) => status === wanted).length;
  const [passed, failed] = [count('passed'), count('failed')];
  // Who asked for the effects to be counted is not told that all is well where they were not.
  const ok = passed > 0 && failed === 0 && observerProblem === null;
  return {
    ...{ ok, passed, failed, not_observable: count('not_observable') },
    ...{ observer_problem: observerProblem, checks },
  };
}
