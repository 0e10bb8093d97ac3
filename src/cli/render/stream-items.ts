/** Renders the items of the live stream, one per line. */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ApiRequest } from '../../contract/resources.ts';
import type { StreamItem } from '../../contract/stream-schemas.ts';
import { formatDuration, formatLatency } from '../../domain/duration.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { formatTimeOfDay } from './format.ts';
import { styleFor, styleHttpStatus, styleOutcome } from './style.ts';
import { truncateLine } from './text-width.ts';

interface Output {
  readonly io: TerminalCapabilities;
}

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** The width of the time and the gap after it. */
const INDENT = ' '.repeat('hh:mm:ss.mmm  '.length);

/** Renders an attempt on one line, with its error and next retry on a second line. Truncated in a terminal. */
export function renderAttempt({ attempt, delivery }: AttemptItem, { io }: Output): string {
  const summary = [
    formatTimeOfDay(attempt.sent_at),
    styleOutcome(attempt, io),
    formatDuration(attempt.duration_ms),
    // Before the long values, so that 80 columns show the complete ID.
    delivery.id,
    `#${attempt.number}`,
    delivery.event_type,
    delivery.url,
  ].join('  ');
  const lines =
    attempt.error === null ? [summary] : [summary, `${INDENT}${attempt.error}${describeNextStep(delivery)}`];
  return lines.map((line) => truncateLine(io, line)).join('\n');
}

function describeNextStep({ status, next_attempt_at: nextAttemptAt }: Delivery): string {
  return nextAttemptAt === null ? ` — ${status}` : ` — retry at ${nextAttemptAt}`;
}

/** Renders a request on one line. Truncated in a terminal. */
export function renderRequest(request: ApiRequest, { io }: Output): string {
  const { at, method, path, status, error_code: code, duration_ms: ms, id, fault } = request;
  // The path is last, so that 80 columns show the complete ID.
  const parts = [
    formatTimeOfDay(at),
    method,
    styleHttpStatus(status, io),
    formatLatency(ms),
    id,
    code,
    fault && `fault ${fault.kind}`,
    path,
  ];
  return truncateLine(io, parts.filter(Boolean).join('  '));
}

/** Shown when earlier output can be outdated. */
export function renderReset(capabilities: { readonly color: boolean }): string {
  return styleFor(capabilities).dim('The state was replaced by a reset or a snapshot.');
}
