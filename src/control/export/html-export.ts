/**
 * Writes deliveries as one HTML page that needs no other file and runs no scripts. Each value of a delivery is escaped: it
 * becomes text, and its invisible characters become visible.
 */
import { createHash } from 'node:crypto';
import type { AttemptDetail } from '../../contract/delivery-schemas.ts';
import type { ExportedDelivery } from '../../contract/export-schemas.ts';
import { describeCause } from '../../domain/attempt-hints.ts';
import {
  type DisplayStatus,
  describeOutcome,
  displayStatuses,
  getDisplayStatus,
  settledReasonDescriptions,
} from '../../domain/delivery.ts';
import { formatLatency } from '../../domain/duration.ts';
import { escapeHtml } from '../../domain/escape-html.ts';
import { isAttemptSent } from '../../domain/fault.ts';
import { escapeInvisible, escapeToOneLine } from '../../domain/invisible-characters.ts';
import { indentJson } from '../../domain/json.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { describeAppliedFault } from '../describe-fault.ts';
import type { ExportSummary } from './export-summary.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1d2228; --muted: #57606a; --line: #d0d7de; --panel: #f6f8fa; --page: #fff;
  --succeeded: #116329; --failed: #b3261e; --pending: #7d4e00; --canceled: #57606a; --paused: #57606a; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --muted: #a5aeb8; --line: #3d444d; --panel: #161b22;
  --page: #0d1117; --succeeded: #56d364; --failed: #ff8f87; --pending: #e3b341; --canceled: #a5aeb8; --paused: #a5aeb8; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: var(--text); background: var(--page); }
h1 { font-size: 1.5rem; } h2, h3, h4 { display: inline; font-size: 1rem; margin: 0; }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 0 1rem; }
summary { padding: .5rem 0; cursor: pointer; overflow-wrap: anywhere; } .cause { display: block; }
details details { border-top: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; }
dt, .muted { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
dl, pre { font-family: ui-monospace, monospace; font-size: .875rem; } h4 { display: block; margin-top: .75rem; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .25rem; padding: .5rem;
  margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
${displayStatuses.map((status) => `.${status} { color: var(--${status}); }`).join(' ')}
@media print { article { break-inside: avoid; } }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); } }
`;

/** Blocks scripts and requests, even if a value were not escaped. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

export async function* writeHtml(
  { startedAt, counts }: ExportSummary,
  deliveries: AsyncIterable<ExportedDelivery>,
): AsyncGenerator<string> {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const title = total === 1 ? 'Webhook delivery' : 'Webhook deliveries';
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${formatDeliveryCount(total)}: ${renderCounts(counts)}. Exported <time>${startedAt}</time> (real time) by svc-emulator. Secrets were removed.</p>
<p class="muted">Times are UTC. Schedule time is the emulator's clock, which can run ahead of real time.</p>
</header>
<main>
`;
  for await (const delivery of deliveries) yield renderDelivery(delivery, total === 1);
  yield '</main>\n</body>\n</html>\n';
}

function renderCounts(counts: ReadonlyMap<DisplayStatus, number>): string {
  return displayStatuses
    .filter((status) => counts.has(status))
    .map((status) => `<span class="${status}">${counts.get(status)} ${status}</span>`)
    .join(', ');
}

/** @param isOpen whether everything about the delivery is visible at first */
function renderDelivery(delivery: ExportedDelivery, isOpen: boolean): string {
  const { attempts, settled_reason: reason } = delivery;
  const status = getDisplayStatus(delivery);
  const settledReason = reason === null ? '' : `: ${settledReasonDescriptions[reason]}`;
  const properties = renderProperties({
    Delivery: delivery.id,
    Event: delivery.event_id,
    Endpoint: `${delivery.webhook_id} ${delivery.url}`,
    Workspace: delivery.workspace_id,
    'Created (schedule time)': delivery.created_at,
    'Settled (schedule time)': delivery.settled_at,
    'Next attempt (schedule time)': delivery.next_attempt_at,
    'Replay of': delivery.replay_of,
  });
  const content =
    attempts.length > 0
      ? attempts
          .map((attempt, index) => renderAttempt(attempt, isOpen && index === attempts.length - 1))
          .join('')
      : `<h3>Body</h3>\n${renderBody(delivery.body)}`;
  return `<article>
<details${isOpen ? ' open' : ''}>
<summary><h2>${escapeLine(delivery.event_type)}</h2> <strong class="${status}">${status}${settledReason}</strong>
<span class="muted">${formatCount(attempts.length, 'attempt')}, created ${delivery.created_at} (schedule time)</span>${renderCause(attempts.at(-1))}</summary>
${properties}${content}</details>
</article>
`;
}

/** Why the last attempt failed; empty if it did not. */
function renderCause(last: AttemptDetail | undefined): string {
  if (last === undefined || last.outcome === 'succeeded') return '';
  return `\n<span class="cause failed">${escapeLine(describeCause(last))}</span>`;
}

function renderAttempt(attempt: AttemptDetail, isOpen: boolean): string {
  const { number, trigger, request, response, outcome, error, fault, duration_ms: duration } = attempt;
  const startedBy = number === 1 ? 'event' : 'retry schedule';
  const properties = renderProperties({
    Error: error,
    Fault: describeAppliedFault(fault),
    'Started by': trigger === 'manual' ? 'replay' : startedBy,
    'Due (schedule time)': attempt.scheduled_at,
    [isAttemptSent(fault) ? 'Sent (real time)' : 'Not sent, ended (real time)']: attempt.sent_at,
  });
  const style = outcome === 'succeeded' ? 'succeeded' : 'failed';
  return `<details${isOpen ? ' open' : ''}>
<summary><h3>Attempt ${number}</h3> <strong class="${style}">${escapeLine(describeOutcome(attempt))}</strong>
<span class="muted">${formatLatency(duration)}</span></summary>
${properties}<h4>Request</h4>
<pre>POST ${escapeLine(request.url)}
${renderHeaders(request.headers)}</pre>
${renderBody(request.body)}${response === null ? '<p>No response.</p>\n' : renderResponse(response, attempt)}</details>
`;
}

function renderResponse(
  { headers, body, encoding, truncated }: NonNullable<AttemptDetail['response']>,
  { response_status: status }: AttemptDetail,
): string {
  const note = truncated ? '<p class="muted">Only the first part of the body is stored.</p>\n' : '';
  const content =
    encoding === 'utf8'
      ? renderBody(body)
      : `<p class="muted">Binary body, in base64:</p>\n<pre>${escapeHtml(body)}</pre>\n`;
  return `<h4>Response</h4>
<pre>HTTP ${status}
${renderHeaders(headers)}</pre>
${content}${note}`;
}

function renderBody(body: string): string {
  if (body === '') return '<p class="muted">The body is empty.</p>\n';
  const size = formatCount(Buffer.byteLength(body), 'byte');
  return `<pre>${escapeLines(indentJson(body))}</pre>\n<p class="muted">Body: ${size}</p>\n`;
}

function renderHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => escapeLine(`${name}: ${value}`))
    .join('\n');
}

/** Omits properties without a value. */
function renderProperties(properties: Readonly<Record<string, string | null>>): string {
  const items = Object.entries(properties).map(([name, value]) =>
    value === null ? '' : `<dt>${name}</dt><dd>${escapeLine(value)}</dd>\n`,
  );
  return `<dl>\n${items.join('')}</dl>\n`;
}

function escapeLine(text: string): string {
  return escapeHtml(escapeToOneLine(text));
}

function escapeLines(text: string): string {
  return escapeHtml(escapeInvisible(text));
}
