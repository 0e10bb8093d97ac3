/** The receiver rules, what a check of a receiver is, and the report of checks and of fuzz runs. */
import { formatDuration } from '../domain/duration.ts';
import { getIdLocation, type WebhookSender } from '../profile/senders.ts';
import type { CheckSession } from './check-session.ts';

/** The receiver rules (§6), each with its section of the service description and what a receiver must do. */
export const receiverRules = {
  signature: {
    reference: '§6.2',
    summary: 'accept deliveries signed with the endpoint secret, and no others',
  },
  'raw-body': { reference: '§6.1', summary: 'verify the raw bytes of the body, before parsing it' },
  timestamp: {
    reference: '§6.3',
    summary: 'reject a delivery whose timestamp is more than five minutes from now',
  },
  rejection: { reference: '§6.4', summary: 'respond with 4xx if verification fails, and do nothing else' },
  acceptance: {
    reference: '§6.5',
    summary: 'respond with 2xx when a delivery is accepted, before doing the work',
  },
  deduplication: { reference: '§6.6', summary: 'process each data.id once, however often it is delivered' },
  robustness: { reference: '§6', summary: 'accept everything that a service can send, and keep running' },
} as const satisfies Record<string, { readonly reference: string; readonly summary: string }>;

export type ReceiverRule = keyof typeof receiverRules;
export const receiverRuleNames = Object.keys(receiverRules) as readonly ReceiverRule[];

/**
 * - `inconclusive`: the check could not see what the receiver did, or could not run.
 * - `skipped`: the check needs a value that was not given, or does not apply to the sender.
 */
export type CheckStatus = 'passed' | 'failed' | 'inconclusive' | 'skipped';

export interface CheckOutcome {
  readonly status: CheckStatus;
  /** What was observed, as text: usually the responses, and the number of side effects if they were counted. Can be empty. */
  readonly received: string;
  /** What this means, and what to do. */
  readonly meaning: string;
}

/** Fills `{event_id}` with the place of the sender's event IDs, and `{retry_time}` with the time of its retries. */
export function fillSenderText(text: string, sender: WebhookSender): string {
  return text
    .replaceAll('{event_id}', getIdLocation(sender) ?? 'event ID')
    .replaceAll('{retry_time}', describeRetryTime(sender));
}

/** How long a receiver must recognize duplicates. */
function describeRetryTime({ retryDelaysMs }: WebhookSender): string {
  // The schedule of the service.
  if (retryDelaysMs === null) return 'at least 72 hours';
  const timeMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  return timeMs === 0 ? 'as long as a delivery can be repeated' : `at least ${formatDuration(timeMs)}`;
}

export type CheckId = `${ReceiverRule}.${string}`;

export interface ReceiverCheck {
  readonly id: CheckId;
  /** What the check sends. */
  readonly sent: string;
  /** Checks that must pass first. They come before this one. */
  readonly requires?: readonly CheckId[];
  /** Why the check does not apply to the sender; null if it does (default: it always does). */
  findSkipReason?(session: CheckSession): string | null;
  run(session: CheckSession): Promise<CheckOutcome>;
}

/** What a check or a rule of a fuzz run showed. Also the JSON form. */
export interface CheckResult extends CheckOutcome {
  readonly id: string;
  readonly rule: string;
  readonly sent: string;
}

/** The part that the reports of checks and of fuzz runs share. Also the JSON form. */
export interface ReceiverReport {
  /** No check failed, and no interrupt came. */
  readonly ok: boolean;
  /** The checks were interrupted, so that `checks` contains only those that ended before. */
  readonly interrupted: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  /** Checks that need a value that was not given, or do not apply to the sender. */
  readonly skipped: number;
  readonly checks: readonly CheckResult[];
}

export function toReport(checks: readonly CheckResult[], interrupted: boolean): ReceiverReport {
  const countOf = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const failed = countOf('failed');
  return {
    ok: failed === 0 && !interrupted,
    interrupted,
    passed: countOf('passed'),
    failed,
    inconclusive: countOf('inconclusive'),
    skipped: countOf('skipped'),
    checks,
  };
}

export function passed(
  received: string,
  meaning = 'Your receiver does what the rule demands.',
): CheckOutcome {
  return { status: 'passed', received, meaning };
}

export function failed(received: string, meaning: string): CheckOutcome {
  return { status: 'failed', received, meaning };
}

export function inconclusive(received: string, meaning: string): CheckOutcome {
  return { status: 'inconclusive', received, meaning };
}
