/** The columns of lists of deliveries, and all details of one delivery. */

import { getDisplayStatus, settledReasonDescriptions } from '../../domain/delivery.ts';
import { formatDueTime, formatDuration } from '../../domain/duration.ts';
import { formatHint } from '../../domain/errors.ts';
import { isAttemptSent } from '../../domain/fault.ts';
import { indentJson } from '../../domain/json-text.ts';
import type { Explanation } from '../../operations/explanation-schemas.ts';
import { type Attempt, describePhases } from '../../resources/attempt.ts';
import { type Delivery, type DeliveryDetail, deliveryTable } from '../../resources/delivery.ts';
import { describeAppliedFault } from '../../resources/fault.ts';
import type { Context } from '../context.ts';
import { createdColumn, type ScheduleTimeOf } from '../schedule-time.ts';
import { formatDue, formatTime } from './format.ts';
import { formatHeaders, renderMessageText, renderSection } from './http-message.ts';
import { styleFor, styleOutcome, styleStatus } from './style.ts';
import { type Column, renderFields, toColumns } from './table.ts';

/** Times are schedule times. */
export function deliveryColumns(
  { io }: Pick<Context, 'io'>,
  scheduleTimeOf: ScheduleTimeOf,
): readonly Column<Delivery>[] {
  return toColumns<Delivery>(deliveryTable, {
    status: { value: (delivery) => styleStatus(getDisplayStatus(delivery), io) },
    next_attempt_at: {
      value: (row) => (row.next_attempt_at ? formatDueTime(row.next_attempt_at, scheduleTimeOf(row)) : ''),
    },
    created_at: createdColumn(scheduleTimeOf),
    // Short, so that a narrow terminal still shows the URL.
    replay_of: { value: ({ replay_of: id }) => (id === null ? '' : 'yes') },
  });
}

/**
 * Renders a delivery with all its attempts.
 * @param explanation of its last attempt; null if it has none
 * @param scheduleTime current schedule time of its workspace
 */
export function renderDelivery(
  delivery: DeliveryDetail,
  explanation: Pick<Explanation, 'detail' | 'hints'> | null,
  scheduleTime: number,
  context: Pick<Context, 'io' | 'now'>,
): string {
  const { io } = context;
  const { next_attempt_at: next } = delivery;
  const formatScheduleTime = (time: string | null) => (time === null ? null : formatTime(time, scheduleTime));
  const steps = explanation?.hints.filter(({ command = '' }) => !command.startsWith('svc deliveries get'));
  const reason =
    delivery.settled_reason === null ? '' : `: ${settledReasonDescriptions[delivery.settled_reason]}`;
  const summary = renderFields(
    {
      Delivery: delivery.id,
      Status: styleStatus(getDisplayStatus(delivery), io) + reason,
      Event: `${delivery.event_id} ${delivery.event_type}`,
      Endpoint: `${delivery.webhook_id} ${delivery.url}`,
      'Replay of': delivery.replay_of,
      Created: formatScheduleTime(delivery.created_at),
      Settled: formatScheduleTime(delivery.settled_at),
      'Next attempt': next && formatDue(next, scheduleTime),
      Cause: steps?.length ? (explanation?.detail ?? null) : null,
      'What to do': steps?.map(formatHint).join('\n') || null,
    },
    io,
  );
  const attempts = delivery.attempts.map((attempt) => renderAttempt(attempt, scheduleTime, context));
  return [summary, ...attempts, ...renderBodies(delivery.attempts, io)].join('\n\n');
}

function renderAttempt(
  attempt: Attempt,
  scheduleTime: number,
  { io, now }: Pick<Context, 'io' | 'now'>,
): string {
  const { request, response, fault } = attempt;
  const style = styleFor(io);
  const title = [
    style.bold(`Attempt ${attempt.number}`),
    styleOutcome(attempt, io),
    formatDuration(attempt.duration_ms),
    attempt.trigger,
  ].join('  ');
  const fields = {
    Error: attempt.error && style.red(attempt.error),
    Fault: describeAppliedFault(fault),
    Scheduled: formatTime(attempt.scheduled_at, scheduleTime),
    [isAttemptSent(fault) ? 'Sent' : 'Not sent']: formatTime(attempt.sent_at, now()),
    Phases: attempt.phases && describePhases(attempt.phases),
  };
  const section = (name: string, text: string) => renderSection(name, text, io);
  // `renderBodies` prints the body once, after all attempts: it is long, and usually the same for all.
  const { body, signed_content: signedContent } = request;
  const withoutBody = body === '' ? signedContent : signedContent.replace(body, () => '(the body)');
  return [
    title,
    renderFields(fields, io),
    section('Request', `POST ${request.url}\n${formatHeaders(request.headers)}`),
    section('Signed string', withoutBody),
    ...(response === null ? [] : [section('Response', renderMessageText(attempt.response_status, response))]),
  ].join('\n');
}

/** Renders each request body once, with the attempts that sent it. */
function renderBodies(attempts: readonly Attempt[], capabilities: { readonly color: boolean }): string[] {
  const bodies = [...new Set(attempts.map(({ request }) => request.body))];
  return bodies.flatMap((body) => {
    const numbers = attempts.filter(({ request }) => request.body === body).map(({ number }) => number);
    const indented = indentJson(body);
    const attemptNumbers = `attempt${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`;
    const name = bodies.length === 1 ? 'Body' : `Body of ${attemptNumbers}`;
    if (indented === body) return [renderSection(name, body, capabilities)];
    return [
      renderSection(`${name}, indented`, indented, capabilities),
      renderSection(`${name}, as sent`, body, capabilities),
    ];
  });
}
