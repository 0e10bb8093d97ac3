/** The columns of lists of deliveries, and all details of one delivery. */

import { describeAppliedFault } from '../../client/texts/describe-fault.ts';
import { describePhases } from '../../client/texts/describe-phases.ts';
import type { AttemptDetail, Delivery, DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { findAttemptHints } from '../../diagnosis/attempt-hints.ts';
import { getDisplayStatus, settledReasonDescriptions } from '../../domain/delivery.ts';
import { formatDueTime, formatDuration } from '../../domain/duration.ts';
import { isAttemptSent } from '../../domain/fault.ts';
import { indentJson } from '../../domain/json.ts';
import { formatHint } from '../../errors.ts';
import type { Context } from '../context.ts';
import { createdColumn, type ScheduleTimeOf } from '../schedule-time.ts';
import { formatDue, formatTime } from './format.ts';
import { formatHeaders, renderMessageText, renderSection } from './http-message.ts';
import { styleFor, styleOutcome, styleStatus } from './style.ts';
import { type Column, renderFields } from './table.ts';
import { renderVerification } from './verification.ts';

/** Times are schedule times. */
export function deliveryColumns(
  { io }: Pick<Context, 'io'>,
  scheduleTimeOf: ScheduleTimeOf,
): readonly Column<Delivery>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'STATUS', value: (delivery) => styleStatus(getDisplayStatus(delivery), io) },
    { title: 'TYPE', value: ({ event_type: type }) => type, hideOrder: 5 },
    { title: 'ATTEMPTS', value: ({ attempt_count: count }) => String(count), hideOrder: 3 },
    {
      title: 'NEXT',
      value: (row) => (row.next_attempt_at ? formatDueTime(row.next_attempt_at, scheduleTimeOf(row)) : ''),
      hideOrder: 4,
    },
    createdColumn(scheduleTimeOf, 2),
    // Short, so that a narrow terminal still shows the URL.
    {
      title: 'REPLAY',
      value: ({ replay_of: id }) => (id === null ? '' : 'yes'),
      hideOrder: 6,
      hideIfEmpty: true,
    },
    { title: 'URL', value: ({ url }) => url, hideOrder: 1, canTruncate: true },
  ];
}

interface RenderContext extends Pick<Context, 'io' | 'now'> {
  /** IDs of the faults of its attempts that can still be applied. */
  readonly activeFaultIds: ReadonlySet<string>;
}

/**
 * Renders a delivery with all its attempts.
 * @param scheduleTime current schedule time of its workspace
 */
export function renderDelivery(
  delivery: DeliveryDetail,
  scheduleTime: number,
  context: RenderContext,
): string {
  const { io } = context;
  const { next_attempt_at: next } = delivery;
  const formatScheduleTime = (time: string | null) => (time === null ? null : formatTime(time, scheduleTime));
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
    },
    io,
  );
  const attempts = delivery.attempts.map((attempt) =>
    renderAttempt(attempt, { delivery, scheduleTime, ...context }),
  );
  return [summary, ...attempts, ...renderBodies(delivery.attempts, io)].join('\n\n');
}

interface AttemptContext extends RenderContext {
  readonly delivery: DeliveryDetail;
  readonly scheduleTime: number;
}

function renderAttempt(
  attempt: AttemptDetail,
  { delivery, scheduleTime, activeFaultIds, io, now }: AttemptContext,
): string {
  const { request, response, verification, fault } = attempt;
  const hints = findAttemptHints(attempt, delivery, fault !== undefined && activeFaultIds.has(fault.id));
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
    Signature: verification && renderVerification(verification, io),
    'What to do': hints.map(formatHint).join('\n') || null,
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
function renderBodies(
  attempts: readonly AttemptDetail[],
  capabilities: { readonly color: boolean },
): string[] {
  const bodies = [...new Set(attempts.map(({ request }) => request.body))];
  return bodies.flatMap((body) => {
    const numbers = attempts.filter(({ request }) => request.body === body).map(({ number }) => number);
    const indented = indentJson(body);
    const unchanged = indented === body ? [] : [renderSection('Body as sent', body, capabilities)];
    const attemptNumbers = `attempt${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`;
    const name = bodies.length === 1 ? 'Body' : `Body of ${attemptNumbers}`;
    return [renderSection(name, indented, capabilities), ...unchanged];
  });
}
