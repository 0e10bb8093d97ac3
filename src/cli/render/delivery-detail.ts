import type { Attempt, DeliveryDetail } from '../../contract/resources.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { Context } from '../context.ts';
import { renderFields } from './fields.ts';
import { indentJson } from './json-text.ts';
import { paintOutcome, paintStatus, styleFor } from './style.ts';
import { formatTime } from './time.ts';

/** Everything about one delivery; `now` is the schedule time of its workspace. */
export function renderDelivery(delivery: DeliveryDetail, now: number, { io }: Pick<Context, 'io'>): string {
  const at = (time: string | null) => (time === null ? null : formatTime(time, now));
  const reason = delivery.settled_reason === null ? '' : ` (${delivery.settled_reason})`;
  const summary = renderFields(
    {
      Delivery: delivery.id,
      Status: paintStatus(delivery.status, io) + reason,
      Event: `${delivery.event_id} ${delivery.event_type}`,
      Endpoint: `${delivery.webhook_id} ${delivery.url}`,
      'Replay of': delivery.replay_of,
      Created: at(delivery.created_at),
      Settled: at(delivery.settled_at),
      'Next attempt': at(delivery.next_attempt_at),
    },
    io,
  );
  return [summary, ...delivery.attempts.map((attempt) => renderAttempt(attempt, io))].join('\n\n');
}

function renderAttempt(attempt: Attempt, io: Context['io']): string {
  const { request, response } = attempt;
  const style = styleFor(io);
  const title = style.bold(`Attempt ${attempt.number}`);
  const head = `${title}  ${paintOutcome(attempt, io)}  ${formatDuration(attempt.duration_ms)}  ${attempt.trigger}`;
  return [
    head,
    renderFields(
      { 'Why it failed': attempt.error, Scheduled: attempt.scheduled_at, Sent: attempt.sent_at },
      io,
    ),
    style.dim('Request'),
    indent(`POST ${request.url}\n${toLines(request.headers)}\n\n${indentJson(request.body)}`),
    style.dim('Signed string'),
    indent(request.signed_content),
    ...(response === null
      ? []
      : [style.dim('Response'), indent(renderResponse(attempt.response_status, response))]),
  ].join('\n');
}

function renderResponse(status: number | null, response: NonNullable<Attempt['response']>): string {
  const body = response.encoding === 'base64' ? `(base64) ${response.body}` : indentJson(response.body);
  const end = response.truncated ? '\n… (cut: only the beginning is kept)' : '';
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
