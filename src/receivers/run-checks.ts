/** Runs the checks of a receiver, one after the other. */
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { withAnySignal } from '../platform/abort-signals.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { CheckSession, type CheckSessionOptions } from './check-session.ts';
import { rawBodyChecks, unusualDeliveryChecks } from './checks/body-checks.ts';
import { rejectionChecks } from './checks/rejection-checks.ts';
import { beforeWorkCheck, deduplicationChecks, loadCheck } from './checks/sequence-checks.ts';
import { listSignatureChecks } from './checks/signature-checks.ts';
import { listValidDeliveryChecks } from './checks/valid-delivery-checks.ts';
import { listLastAttempts } from './play-rules.ts';
import {
  type CheckId,
  type CheckOutcome,
  type CheckResult,
  failed,
  fillSenderText,
  inconclusive,
  type ReceiverCheck,
  type ReceiverReport,
  type ReceiverRule,
  receiverRuleNames,
  toReport,
} from './receiver-check.ts';

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

const RATE_LIMIT_MEANING = 'Your receiver limits the request rate. Lift the limit while this check runs.';
const DOWN_MEANING = 'Your receiver goes down: it accepts no delivery after this check. Check its log.';
/** After this time, no check starts, so that the checks of a slow receiver end. */
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
  const { sender, apiKey, only, strict, signal, onProgress } = options;
  const checks = listChecks(sender.scheme, apiKey);
  const selected = selectChecks(checks, only);
  const session = new CheckSession(options);
  const runner = new CheckRunner(session);
  const results: CheckResult[] = [];
  for (const check of addRequired(checks, selected)) {
    const { id, sent } = check;
    const isSelected = selected.has(id);
    if (isSelected) onProgress?.(results.length, selected.size, id);
    const outcome = await runner.run(check);
    if (signal.aborted) break;
    const meaning = fillSenderText(outcome.meaning, sender);
    if (isSelected) results.push({ id, rule: getRule(id), sent, ...outcome, meaning });
  }
  onProgress?.(results.length, selected.size, null);
  const report = toReport(results, signal.aborted);
  const { observerProblem: observer_problem } = session;
  const isDecided = report.passed > 0 && !(strict && report.inconclusive > 0);
  // The user asked for side effects to be counted, so the report is not ok if that failed.
  return { ...report, ok: report.ok && isDecided && observer_problem === null, strict, observer_problem };
}

/** All checks in the order in which they run. Those that may stop the receiver come last. */
export function listChecks(scheme: SignatureScheme, apiKey: string | null): readonly ReceiverCheck[] {
  const basic = listValidDeliveryChecks(scheme);
  const checks = [
    ...basic,
    ...listSignatureChecks(scheme, apiKey),
    ...unusualDeliveryChecks,
    ...rawBodyChecks,
    ...rejectionChecks,
    beforeWorkCheck,
    ...deduplicationChecks,
    loadCheck,
  ];
  // A receiver that fails a basic check rejects some valid deliveries of the later ones too.
  return checks.map(({ requires = [], ...check }, index) => ({
    ...check,
    requires: [...basic.slice(0, index).map(({ id }) => id), ...requires],
  }));
}

/** The selected checks and those that must run before them, in their order. */
function addRequired(
  checks: readonly ReceiverCheck[],
  selected: ReadonlySet<CheckId>,
): readonly ReceiverCheck[] {
  const needed = new Set(selected);
  for (const { id, requires = [] } of checks.toReversed()) {
    if (needed.has(id)) for (const required of requires) needed.add(required);
  }
  return checks.filter(({ id }) => needed.has(id));
}

/** Runs checks, unless earlier ones showed that they cannot say anything. */
class CheckRunner {
  readonly #session: CheckSession;
  readonly #startedAt = performance.now();
  /** By a check that did not pass: why those that require it cannot run. */
  readonly #blockers = new Map<CheckId, string>();
  /** Why no further check can run. */
  #end: string | null = null;

  constructor(session: CheckSession) {
    this.#session = session;
  }

  async run(check: ReceiverCheck): Promise<CheckOutcome> {
    const skipReason = check.findSkipReason?.(this.#session) ?? null;
    if (skipReason !== null) return { status: 'skipped', received: '', meaning: skipReason };
    if (performance.now() - this.#startedAt > MAX_MS) {
      this.#end ??= `Not checked, because the checks have already taken ${formatDuration(MAX_MS)}. Make your receiver faster while they run.`;
    }
    const [blocker = null] = check.requires?.flatMap((id) => this.#blockers.get(id) ?? []) ?? [];
    const reason = this.#end ?? blocker;
    const outcome = reason === null ? await this.#play(check) : inconclusive('', reason);
    if (outcome.status !== 'passed') {
      const problem = `Not checked, because ${check.id} did not pass. ${outcome.meaning}`;
      this.#blockers.set(check.id, reason ?? problem);
    }
    return outcome;
  }

  async #play(check: ReceiverCheck): Promise<CheckOutcome> {
    const session = this.#session;
    session.plays = [];
    const outcome = await check.run(session).catch((error: unknown) => {
      // The observer may work again for the next check.
      return inconclusive('', session.noteObserverProblem(error).text);
    });
    const lastAttempts = session.plays.flatMap(({ record }) => listLastAttempts(record.exchanges));
    if (lastAttempts.some(({ response }) => response.status === 429)) {
      return inconclusive('status 429', RATE_LIMIT_MEANING);
    }
    const violations = session.plays.flatMap((play) => play.violations);
    if (!violations.some(({ rule }) => rule === 'running')) return outcome;
    this.#end = `Not checked, because your receiver has been down since ${check.id}.`;
    return failed(outcome.received, DOWN_MEANING);
  }
}

/** The checks with these IDs, and the checks of the rules with these names; all without names. @throws SvcError `usage` */
function selectChecks(checks: readonly ReceiverCheck[], names: readonly string[]): ReadonlySet<CheckId> {
  const ids = checks.map(({ id }) => id);
  const validNames: readonly string[] = [...receiverRuleNames, ...ids];
  for (const name of names) {
    if (validNames.includes(name)) continue;
    throw new SvcError('usage', `Rule or check ${name} does not exist.`, {
      hint: suggestMatch(name, validNames) ?? `Use one of the rules ${receiverRuleNames.join(', ')}.`,
    });
  }
  const isNamed = (id: CheckId) => names.includes(id) || names.includes(getRule(id));
  return new Set(names.length === 0 ? ids : ids.filter(isNamed));
}

function getRule(id: CheckId): ReceiverRule {
  return id.slice(0, id.indexOf('.')) as ReceiverRule;
}
