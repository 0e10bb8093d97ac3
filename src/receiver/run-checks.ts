/** Runs the checks of a receiver, one after the other. */

import { withAnySignal } from '../abort-signals.ts';
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { SvcError } from '../errors.ts';
import { CheckContext, type CheckContextOptions } from './check-context.ts';
import { acceptanceChecks } from './checks/acceptance-checks.ts';
import { deduplicationChecks } from './checks/deduplication-checks.ts';
import { rawBodyChecks } from './checks/raw-body-checks.ts';
import { rejectionChecks } from './checks/rejection-checks.ts';
import { robustnessChecks } from './checks/robustness-checks.ts';
import { listSignatureChecks } from './checks/signature-checks.ts';
import { listUnusualDeliveryChecks, validDeliveryCheck } from './checks/valid-delivery-check.ts';
import {
  type CheckId,
  type CheckOutcome,
  type CheckStatus,
  failed,
  inconclusive,
  type ReceiverCheck,
  type ReceiverRule,
  receiverRuleNames,
} from './receiver-check.ts';
import { describeResponses, isAccepted } from './receiver-client.ts';
import { OTHER_SECRET_CHECK_ID } from './tampered-deliveries.ts';

export interface RunChecksOptions extends CheckContextOptions {
  /** Names of rules and checks to run (default: all, for an empty array). */
  readonly only: readonly string[];
  /** Whether an inconclusive check makes the report not ok. */
  readonly strict: boolean;
  /** Called before each check, with its ID, and at the end, with null. */
  readonly onProgress?: (completedCount: number, totalCount: number, current: CheckId | null) => void;
}

/** Also the JSON form. */
export type CheckResult = Pick<ReceiverCheck, 'id' | 'sent'> & CheckOutcome & { readonly rule: ReceiverRule };

/**
 * `ok` if a check passed, none failed, the side effect count did not fail and no interrupt came. With `strict`, no check may be
 * inconclusive.
 * Also the JSON form.
 */
export interface CheckReport {
  readonly ok: boolean;
  /** The checks were interrupted, so that `checks` contains only those that ended before. */
  readonly interrupted: boolean;
  readonly strict: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  /** Checks that need a value that was not given. `strict` does not count them. */
  readonly skipped: number;
  /** The first error of the side effect count; null without one. Checks during which it failed are inconclusive. */
  readonly observer_problem: string | null;
  readonly checks: readonly CheckResult[];
}

/** After this time, no check starts that sends deliveries, so that the checks of a slow receiver end. */
const MAX_MS = 4 * MINUTE_MS;

/**
 * Returns the results so far when the signal is aborted.
 * @throws SvcError `usage` for an unknown name in `only`, or a URL to which deliveries may not go
 */
export async function runChecks(options: RunChecksOptions): Promise<CheckReport> {
  // A signal of its own, because many requests listen to it at the same time.
  return withAnySignal([options.signal], (signal) => runUntilAborted({ ...options, signal }));
}

async function runUntilAborted(options: RunChecksOptions): Promise<CheckReport> {
  const { scheme, apiKey, only, strict, signal, onProgress } = options;
  const allChecks = listChecks(scheme, apiKey);
  const selectedChecks = selectChecks(allChecks, only);
  const countsSideEffects = selectedChecks.some((check) => check.countsSideEffects);
  const context = new CheckContext(options);
  const runner = new CheckRunner(allChecks, countsSideEffects, context);
  const results: CheckResult[] = [];
  const interrupted = waitForAbort(signal);
  for (const check of selectedChecks) {
    onProgress?.(results.length, selectedChecks.length, check.id);
    const outcome = await Promise.race([interrupted, runner.getOutcome(check)]);
    if (outcome === null) break;
    const { status, received, meaning } = outcome;
    results.push({ id: check.id, rule: getRule(check), status, sent: check.sent, received, meaning });
  }
  onProgress?.(results.length, selectedChecks.length, null);
  return toReport(results, { interrupted: signal.aborted, strict, observerProblem: context.observerProblem });
}

/** All checks in the order of the report. Those that may stop the receiver come last. */
export function listChecks(scheme: SignatureScheme, apiKey: string | null): readonly ReceiverCheck[] {
  return [
    validDeliveryCheck,
    ...listUnusualDeliveryChecks(scheme),
    ...listSignatureChecks(scheme, apiKey),
    ...rawBodyChecks,
    ...rejectionChecks,
    ...acceptanceChecks,
    ...deduplicationChecks,
    ...robustnessChecks,
  ];
}

/** Runs each check at most once, after the checks that it requires. */
class CheckRunner {
  readonly #checks: ReadonlyMap<CheckId, ReceiverCheck>;
  readonly #countsSideEffects: boolean;
  readonly #context: CheckContext;
  readonly #outcomes = new Map<ReceiverCheck, Promise<CheckOutcome>>();
  readonly #startedAt = performance.now();
  /** Why checks could not run. */
  readonly #blockers = new Map<CheckId, string>();
  /** The check after which the receiver was down. */
  #downSince: CheckId | null = null;

  /** @param countsSideEffects whether a selected check counts them */
  constructor(checks: readonly ReceiverCheck[], countsSideEffects: boolean, context: CheckContext) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
    this.#countsSideEffects = countsSideEffects;
    this.#context = context;
  }

  getOutcome(check: ReceiverCheck): Promise<CheckOutcome> {
    const outcome = this.#outcomes.get(check) ?? this.#decide(check);
    this.#outcomes.set(check, outcome);
    return outcome;
  }

  async #decide(check: ReceiverCheck): Promise<CheckOutcome> {
    if (check === validDeliveryCheck) return this.#runFirst();
    const blocker = await this.#findBlocker(check);
    if (blocker === null) return this.#run(check);
    this.#blockers.set(check.id, blocker);
    return inconclusive('', blocker);
  }

  /** Runs the check of a valid delivery, and measures how quickly the receiver responds. */
  async #runFirst(): Promise<CheckOutcome> {
    const context = this.#context;
    let running: Promise<CheckOutcome> | undefined;
    const run = () => {
      running ??= this.#run(validDeliveryCheck);
      return running;
    };
    if (this.#countsSideEffects) {
      // The side effect of the first delivery cannot be confused with those of others.
      const testing = context.testSideEffectCounter(async () => (await run()).status === 'passed');
      await testing.catch((error: unknown) => context.noteObserverProblem(error));
    }
    const outcome = await run();
    if (context.firstDelivery !== undefined) context.responseMs = context.firstDelivery.response.durationMs;
    if (outcome.status === 'passed' && context.isSlow) {
      // The very first response can take longer, because the receiver has just started.
      const second = await context.send(context.deliveries.createValid());
      if (isAccepted(second)) context.responseMs = Math.min(context.responseMs, second.durationMs);
    }
    return outcome;
  }

  /** Why the check cannot run, for the report; null if it can. */
  async #findBlocker(check: ReceiverCheck): Promise<string | null> {
    const basicChecks = [...this.#checks.values()].filter(({ isBasic }) => isBasic);
    const earlier = check.isBasic ? basicChecks.slice(0, basicChecks.indexOf(check)) : basicChecks;
    for (const id of [...earlier.map(({ id }) => id), ...(check.requires ?? [])]) {
      const { status, meaning } = await this.#getOutcomeOf(id);
      if (status !== 'passed') return this.#describeBlocker(id, meaning);
    }
    if (check.judgesByResponse) {
      const { status, meaning, acceptedUnseen } = await this.#getOutcomeOf(OTHER_SECRET_CHECK_ID);
      if (status === 'inconclusive' || acceptedUnseen)
        return this.#describeBlocker(OTHER_SECRET_CHECK_ID, meaning);
    }
    if (check.sendsNothing) return null;
    if (this.#downSince !== null) {
      return `Not checked, because your receiver has been down since ${this.#downSince}.`;
    }
    return performance.now() - this.#startedAt > MAX_MS
      ? `Not checked, because the checks have already taken ${formatDuration(MAX_MS)}. Make your receiver faster while they run.`
      : null;
  }

  #getOutcomeOf(id: CheckId): Promise<CheckOutcome> {
    return this.getOutcome(this.#checks.get(id) ?? validDeliveryCheck);
  }

  #describeBlocker(id: CheckId, meaning: string): string {
    return this.#blockers.get(id) ?? `Not checked, because ${id} did not pass. ${meaning}`;
  }

  async #run(check: ReceiverCheck): Promise<CheckOutcome> {
    const context = this.#context;
    context.responses = [];
    const outcome = await check.run(context).catch((error: unknown) => this.#toInconclusive(error));
    const { responses } = context;
    const isRateLimited = responses.some(({ status }) => status === 429);
    if (isRateLimited && !(check.acceptsRateLimit && outcome.status === 'passed')) {
      return inconclusive(
        'status 429',
        'Your receiver limits the request rate. Lift the limit while this check runs.',
      );
    }
    const mayBeDown = check !== validDeliveryCheck && responses.some(({ status }) => status === null);
    if (!mayBeDown) return outcome;
    if (context.isSlow && responses.some(({ failure }) => failure === 'timeout')) {
      return inconclusive(
        describeResponses(...responses),
        'Your receiver responds too slowly to be checked. Respond before you do the work.',
      );
    }
    if (await context.isResponsive()) return outcome;
    this.#downSince = check.id;
    return failed(
      outcome.received,
      'Your receiver goes down: it accepts no delivery after this check. Check its log.',
    );
  }

  /** Reports a check as inconclusive if its side effect count failed. The count may work again for the next check. */
  #toInconclusive(error: unknown): CheckOutcome {
    return inconclusive('', this.#context.noteObserverProblem(error).text);
  }
}

/** The checks with these IDs, and the checks of the rules with these names; all without names. @throws SvcError `usage` */
function selectChecks(checks: readonly ReceiverCheck[], names: readonly string[]): readonly ReceiverCheck[] {
  const validNames: readonly string[] = [...receiverRuleNames, ...checks.map(({ id }) => id)];
  for (const name of names) {
    if (validNames.includes(name)) continue;
    throw new SvcError('usage', `Rule or check ${name} does not exist.`, {
      hint: suggestMatch(name, validNames) ?? `Use one of the rules ${receiverRuleNames.join(', ')}.`,
    });
  }
  if (names.length === 0) return checks;
  return checks.filter((check) => names.includes(check.id) || names.includes(getRule(check)));
}

function getRule({ id }: ReceiverCheck): ReceiverRule {
  return id.slice(0, id.indexOf('.')) as ReceiverRule;
}

function waitForAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
}

interface ReportContext {
  readonly interrupted: boolean;
  readonly strict: boolean;
  readonly observerProblem: string | null;
}

function toReport(
  checks: readonly CheckResult[],
  { interrupted, strict, observerProblem }: ReportContext,
): CheckReport {
  const countOf = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const passed = countOf('passed');
  const failed = countOf('failed');
  const inconclusive = countOf('inconclusive');
  // The user asked for side effects to be counted, so the report is not ok if that failed.
  const isComplete = !interrupted && observerProblem === null && !(strict && inconclusive > 0);
  return {
    ok: passed > 0 && failed === 0 && isComplete,
    interrupted,
    strict,
    passed,
    failed,
    inconclusive,
    skipped: countOf('skipped'),
    observer_problem: observerProblem,
    checks,
  };
}
