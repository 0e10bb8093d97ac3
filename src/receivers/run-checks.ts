/** Runs the checks of a receiver, one after the other. */

import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { withAnySignal } from '../platform/abort-signals.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { CheckSession, type CheckSessionOptions, describePlay } from './check-session.ts';
import { acceptanceChecks } from './checks/acceptance-checks.ts';
import { listSignatureChecks, rawBodyChecks, unusualDeliveryChecks } from './checks/delivery-checks.ts';
import { rejectionChecks } from './checks/rejection-checks.ts';
import { AFTER_OTHERS_CHECK_ID, deduplicationChecks, loadCheck } from './checks/sequence-checks.ts';
import { listFurtherDeliveryChecks, validDeliveryCheck } from './checks/valid-delivery-check.ts';
import {
  type CheckId,
  type CheckOutcome,
  type CheckResult,
  failed,
  inconclusive,
  type ReceiverCheck,
  type ReceiverReport,
  type ReceiverRule,
  receiverRuleNames,
  toReport,
} from './receiver-check.ts';
import { OTHER_SECRET_CHECK_ID } from './tampered-deliveries.ts';

export interface RunChecksOptions extends CheckSessionOptions {
  /** Names of rules and checks to run (default: all, for an empty array). */
  readonly only: readonly string[];
  /** Whether an inconclusive check makes the report not ok. */
  readonly strict: boolean;
  /** Called before each check, with its ID, and at the end, with null. */
  readonly onProgress?: (completedCount: number, totalCount: number, current: CheckId | null) => void;
}

/** `ok` if a check passed, none failed, the side effect count did not fail and no interrupt came. Also the JSON form. */
export interface CheckReport extends ReceiverReport {
  /** Whether an inconclusive check makes the report not ok. Skipped checks do not count. */
  readonly strict: boolean;
  /** The first error of the side effect count; null without one. Checks during which it failed are inconclusive. */
  readonly observer_problem: string | null;
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
  const session = new CheckSession(options);
  const runner = new CheckRunner(allChecks, session);
  const results: CheckResult[] = [];
  for (const check of selectedChecks) {
    onProgress?.(results.length, selectedChecks.length, check.id);
    const { status, received, meaning } = await runner.getOutcome(check);
    if (signal.aborted) break;
    results.push({ id: check.id, rule: getRule(check), status, sent: check.sent, received, meaning });
  }
  onProgress?.(results.length, selectedChecks.length, null);
  const report = toReport(results, signal.aborted);
  const { observerProblem: observer_problem } = session;
  const isDecided = report.passed > 0 && !(strict && report.inconclusive > 0);
  // The user asked for side effects to be counted, so the report is not ok if that failed.
  return { ...report, ok: report.ok && isDecided && observer_problem === null, strict, observer_problem };
}

/** All checks in the order of the report. Those that may stop the receiver come last. */
export function listChecks(scheme: SignatureScheme, apiKey: string | null): readonly ReceiverCheck[] {
  return [
    validDeliveryCheck,
    ...listFurtherDeliveryChecks(scheme),
    ...listSignatureChecks(scheme, apiKey),
    ...rawBodyChecks,
    ...rejectionChecks,
    ...acceptanceChecks,
    ...deduplicationChecks,
    ...unusualDeliveryChecks,
    loadCheck,
  ];
}

/** Runs each check at most once, after the checks that it requires. */
class CheckRunner {
  readonly #checks: ReadonlyMap<CheckId, ReceiverCheck>;
  readonly #session: CheckSession;
  readonly #outcomes = new Map<ReceiverCheck, Promise<CheckOutcome>>();
  readonly #startedAt = performance.now();
  /** Why checks could not run. */
  readonly #blockers = new Map<CheckId, string>();
  /** The check after which the receiver was down. */
  #downSince: CheckId | null = null;

  constructor(checks: readonly ReceiverCheck[], session: CheckSession) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
    this.#session = session;
  }

  getOutcome(check: ReceiverCheck): Promise<CheckOutcome> {
    const outcome = this.#outcomes.get(check) ?? this.#decide(check);
    this.#outcomes.set(check, outcome);
    return outcome;
  }

  async #decide(check: ReceiverCheck): Promise<CheckOutcome> {
    const blocker = await this.#findBlocker(check);
    if (blocker === null) return this.#run(check);
    this.#blockers.set(check.id, blocker);
    return inconclusive('', blocker);
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
    const session = this.#session;
    session.plays = [];
    const outcome = await check.run(session).catch((error: unknown) => {
      // The observer may work again for the next check.
      return inconclusive('', session.noteObserverProblem(error).text);
    });
    const responses = session.plays.flatMap(({ record }) => record.exchanges.map(({ response }) => response));
    const isBurst = check === loadCheck || check.id === AFTER_OTHERS_CHECK_ID;
    if (responses.some(({ status }) => status === 429) && !(isBurst && outcome.status === 'passed')) {
      return inconclusive(
        'status 429',
        'Your receiver limits the request rate. Lift the limit while this check runs.',
      );
    }
    if (check === validDeliveryCheck) return outcome;
    if (session.isSlow && responses.some(({ failure }) => failure === 'timeout')) {
      return inconclusive(
        session.plays.map(({ record }) => describePlay(record)).join(', '),
        'Your receiver responds too slowly to be checked. Respond before you do the work.',
      );
    }
    if (!session.plays.some(({ violations }) => violations.some(({ rule }) => rule === 'running')))
      return outcome;
    this.#downSince = check.id;
    return failed(
      outcome.received,
      'Your receiver goes down: it accepts no delivery after this check. Check its log.',
    );
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
