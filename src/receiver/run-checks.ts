/** Runs the checks of a receiver one after the other, each with its own deliveries. */
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
  /** Null if effects cannot be counted. */
  readonly count: CountEffects | null;
  /** An API key, which the receiver must not use as a secret; null if none is known. */
  readonly apiKey: string | null;
  /** Names of rules and checks to run (default: all, for an empty array). */
  readonly only: readonly string[];
  /** A response that takes this much longer than to a tampered delivery has waited for the work (default: 1000). */
  readonly slowThresholdMs?: number;
  /** Called before each check and at the end. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Also the JSON form. */
export type CheckResult = Pick<ReceiverCheck, 'id' | 'rule' | 'sent'> & CheckOutcome;

/** `ok` if a check passed and none failed. Also the JSON form. */
export interface CheckReport {
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly not_observable: number;
  /** The first error of the effect count; null without one. Checks during which it failed are not observable. */
  readonly observer_problem: string | null;
  readonly checks: readonly CheckResult[];
}

const SLOW_THRESHOLD_MS = 1_000;

/** @throws SvcError `usage` for an unknown name in `only`, `interrupted` when the signal is aborted */
export async function runChecks(options: RunChecksOptions): Promise<CheckReport> {
  const { only, count, apiKey, timeoutMs, slowThresholdMs = SLOW_THRESHOLD_MS, signal, onProgress } = options;
  const all = listChecks(options.scheme, apiKey);
  const wanted = select(all, only);
  const context = new CheckContext({
    deliveries: new DeliveryFactory(options),
    send: createReceiverClient(options),
    count,
    apiKey,
    slowThresholdMs,
    effectTimeoutMs: timeoutMs,
    signal,
  });
  const runner = new CheckRunner(all, context);
  const checks: CheckResult[] = [];
  for (const check of wanted) {
    onProgress?.(checks.length, wanted.length);
    const { status, received, meaning } = await rejectWhenInterrupted(signal, runner.getOutcome(check));
    checks.push({ id: check.id, rule: check.rule, status, sent: check.sent, received, meaning });
  }
  onProgress?.(checks.length, wanted.length);
  return toReport(checks, runner.observerProblem);
}

/** All checks in the order of the service description. Checks that may stop the receiver come last. */
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

/** Runs each check once, after the checks that it requires. */
class CheckRunner {
  readonly #checks: ReadonlyMap<string, ReceiverCheck>;
  readonly #context: CheckContext;
  readonly #outcomes = new Map<ReceiverCheck, CheckOutcome>();
  /** Id of the check after which the receiver was down. */
  #downSince: string | null = null;
  #observerProblem: string | null = null;

  constructor(checks: readonly ReceiverCheck[], context: CheckContext) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
    this.#context = context;
  }

  /** The first error of the effect count. */
  get observerProblem(): string | null {
    return this.#observerProblem;
  }

  async getOutcome(check: ReceiverCheck): Promise<CheckOutcome> {
    const known = this.#outcomes.get(check);
    if (known !== undefined) return known;
    const blocker = await this.#findBlocker(check);
    const outcome = blocker === null ? await this.#run(check) : notObservable('', blocker);
    this.#outcomes.set(check, outcome);
    return outcome;
  }

  /** Why the check cannot run; null if it can. */
  async #findBlocker(check: ReceiverCheck): Promise<string | null> {
    if (check !== validDeliveryCheck) {
      for (const id of [validDeliveryCheck.id, ...(check.requires ?? [])]) {
        const required = this.#checks.get(id) ?? validDeliveryCheck;
        const { status, meaning } = await this.getOutcome(required);
        if (status !== 'passed') return `Not checked, because ${id} did not pass. ${meaning}`;
      }
    }
    return this.#downSince === null
      ? null
      : `Not checked, because your receiver has been down since ${this.#downSince}.`;
  }

  async #run(check: ReceiverCheck): Promise<CheckOutcome> {
    const context = this.#context;
    context.takeResponses();
    const outcome = await check.run(context).catch((error: unknown) => this.#toNotObservable(error));
    const responses = context.takeResponses();
    const isLimited = responses.some(({ status }) => status === 429);
    if (isLimited && !(check.acceptsRateLimit && outcome.status === 'passed')) {
      return notObservable(
        'status 429',
        'Your receiver limits the request rate. Lift the limit while this check runs.',
      );
    }
    const isUnanswered = responses.some(({ status }) => status === null);
    if (check === validDeliveryCheck || !isUnanswered || (await context.isResponsive())) return outcome;
    this.#downSince = check.id;
    return failed(
      outcome.received,
      'Your receiver goes down: it accepts no delivery after this check. Check its log.',
    );
  }

  /** Reports a check whose effect count failed as not observable. The count may work again for the next check. */
  #toNotObservable(error: unknown): CheckOutcome {
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
    throw new SvcError('usage', `Rule or check ${name} does not exist.`, {
      hint:
        nearest === null
          ? `Use one of the rules ${receiverRuleNames.join(', ')}.`
          : `Did you mean ${nearest}?`,
    });
  }
  return names.length === 0 ? all : all.filter(({ id, rule }) => names.includes(id) || names.includes(rule));
}

/** Reports every failure after an interrupt as the interrupt. */
async function rejectWhenInterrupted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
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
  // The user asked for effects to be counted, so the report is not ok if that failed.
  const ok = passed > 0 && failed === 0 && observerProblem === null;
  return {
    ok,
    passed,
    failed,
    not_observable: count('not_observable'),
    observer_problem: observerProblem,
    checks,
  };
}
