import type { Attempt, AttemptDetail, DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { describeMark } from '../../control/describe-fault.ts';
import { findAttemptHints } from '../../domain/attempt-hints.ts';
import { getDisplayStatus, settledReasonDescriptions } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { indentJson } from '../../domain/json.ts';
import type { Context } from '../context.ts';
import { sanitizeLines } from '../terminal-text.ts';
import { renderFields } from './fields.ts';
import { styleFor, styleOutcome, styleStatus } from './style.ts';
import { formatTime } from './time.ts';
import { renderVerification } from './verification.ts';

type RenderContext = Pick<Context, 'io' | 'now'>;

/**
 * Renders a delivery with all its attempts.
 * @param scheduleNow the schedule time of its workspace; the time of sending is wall time
 */
export function renderDelivery(
  delivery: DeliveryDetail,
  scheduleNow: number,
  context: RenderContext,
): string {
  const { io } = context;
  const at = (time: string | null) => (time === null ? null : formatTime(time, scheduleNow));
  const reason =
    delivery.settled_reason === null ? '' : `: ${settledReasonDescriptions[delivery.settled_reason]}`;
  const summary = renderFields(
    {
      Delivery: delivery.id,
      Status: styleStatus(getDisplayStatus(delivery), io) + reason,
      Event: `${delivery.event_id} ${delivery.event_type}`,
      Endpoint: `${delivery.webhook_id} ${delivery.url}`,
      'Replay of': delivery.replay_of,
      Created: at(delivery.created_at),
      Settled: at(delivery.settled_at),
      'Next attempt': at(delivery.next_attempt_at),
    },
    io,
  );
  const attempts = delivery.attempts.map((attempt) =>
    renderAttempt(attempt, { delivery, scheduleNow, ...context }),
  );
  return [summary, ...attempts, ...renderBodies(delivery.attempts, io)].join('\n\n');
}

interface AttemptContext extends RenderContext {
  readonly delivery: DeliveryDetail;
  readonly scheduleNow: number;
}

function renderAttempt(attempt: AttemptDetail, { delivery, scheduleNow, io, now }: AttemptContext): string {
  const { request, response, verification } = attempt;
  const style = styleFor(io);
  const title = style.bold(`Attempt ${attempt.number}`);
  const head = `${title}  ${styleOutcome(attempt, io)}  ${formatDuration(attempt.duration_ms)}  ${attempt.trigger}`;
  const fields = {
    Error: attempt.error && style.red(attempt.error),
    Fault: describeMark(attempt.fault),
    Signature: verification && renderVerification(verification, io),
    'What to do': findAttemptHints(attempt, delivery).join('\n') || null,
    Scheduled: formatTime(attempt.scheduled_at, scheduleNow),
    Sent: formatTime(attempt.sent_at, now()),
  };
  const section = (name: string, text: string) => renderSection(name, text, io);
  // The body is the longest part, and usually the same for all attempts, so it is last.
  const { body, signed_content: signed } = request;
  const signedParts = body === '' ? signed : signed.replace(body, () => '(the body)');
  return [
    head,
    renderFields(fields, io),
    section('Request', `POST ${request.url}\n${toLines(request.headers)}`),
    section('Signed string', signedParts),
    ...(response === null ? [] : [section('Response', renderResponse(attempt.response_status, response))]),
  ].join('\n');
}

/** Renders each request body once, with the attempts that sent it. */
function renderBodies(
  attempts: readonly AttemptDetail[],
  capabilities: { readonly color: boolean },
): string[] {
  const bodies = [...new Set(attempts.map(({ request }) => request.body))];
  return bodies.flatMap((body) => {
    const numbers = attempts.filter(({ request }) => request.body === body).map(({ number }) => number);
    const indented = indentJson(body);
    const exact = indented === body ? [] : [renderSection('Body as sent', body, capabilities)];
    const name = `Body of attempt${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`;
    return [renderSection(bodies.length === 1 ? 'Body' : name, indented, capabilities), ...exact];
  });
}

function renderSection(name: string, text: string, capabilities: { readonly color: boolean }): string {
  return `${styleFor(capabilities).dim(name)}\n${indent(sanitizeLines(text))}`;
}

function renderResponse(status: number | null, response: NonNullable<Attempt['response']>): string {
  const body = response.encoding === 'base64' ? `(base64) ${response.body}` : indentJson(response.body);
  const end = response.truncated ? '\n… (truncated)' : '';
  return `${status ?? ''}\n${toLines(response.headers)}\n\n${body}${end}`.trim();
}

function toLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}
