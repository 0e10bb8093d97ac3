/** Renders the trace of an event as a tree. */

import { describeAppliedFault } from '../../client/texts/describe-fault.ts';
import { describePhases } from '../../client/texts/describe-phases.ts';
import { buildTraceTree, countHiddenAttempts, type TraceNode } from '../../client/trace-tree.ts';
import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import type { ApiRequest } from '../../contract/resources.ts';
import type { EventTrace } from '../../contract/trace-schemas.ts';
import { getDisplayStatus, settledReasonDescriptions } from '../../domain/delivery.ts';
import { formatDueTime, formatLatency, formatSpan, SECOND_MS } from '../../domain/duration.ts';
import { formatCount } from '../../domain/message-parts.ts';
import type { Context } from '../context.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { formatTime } from './format.ts';
import { styleFor, styleHttpStatus, styleOutcome, styleStatus } from './style.ts';

type RenderContext = Pick<Context, 'io' | 'now'>;

interface Branch {
  readonly line: string;
  readonly children: readonly Branch[];
}

/** @param scheduleTime current schedule time of the workspace */
export function renderTrace(trace: EventTrace, scheduleTime: number, context: RenderContext): string {
  const { event, request, deliveries } = trace;
  const { io } = context;
  const roots = buildTraceTree(deliveries);
  const eventBranch: Branch = {
    line: `${event.id} ${styleFor(io).bold(event.type)}  ${formatTime(event.created_at, scheduleTime)}`,
    children: roots.map((node) => toDeliveryBranch(node, { trace, scheduleTime, ...context })),
  };
  return renderBranch(
    request === null ? eventBranch : { line: describeRequest(request, context), children: [eventBranch] },
    io,
  );
}

function describeRequest(request: ApiRequest, { io, now }: RenderContext): string {
  const { method, path, status, duration_ms: ms, at, id } = request;
  return `${method} ${path}  ${styleHttpStatus(status, io)}  ${formatLatency(ms)}  ${formatTime(at, now())}  ${id}`;
}

interface TraceContext extends RenderContext {
  readonly trace: EventTrace;
  readonly scheduleTime: number;
}

function toDeliveryBranch({ delivery, replays }: TraceNode, context: TraceContext): Branch {
  const { io, scheduleTime } = context;
  const { dim } = styleFor(io);
  const { id, url, settled_reason: reason, next_attempt_at: nextAt, replay_of: original } = delivery;
  const hiddenCount = countHiddenAttempts(delivery);
  const hidden: Branch[] =
    hiddenCount === 0 ? [] : [{ line: dim(`${formatCount(hiddenCount, 'older attempt')}`), children: [] }];
  const next: Branch[] =
    nextAt === null
      ? []
      : [{ line: dim(`next attempt ${formatDueTime(nextAt, scheduleTime)}`), children: [] }];
  return {
    line: [
      `${id} ${styleStatus(getDisplayStatus(delivery), io)}${reason === null ? '' : `: ${settledReasonDescriptions[reason]}`}`,
      url,
      ...(original === null ? [] : [`replay of ${original}`]),
    ].join('  '),
    children: [
      ...hidden,
      ...delivery.attempts.map((attempt) => toAttemptBranch(attempt, context)),
      ...next,
      ...replays.map((replay) => toDeliveryBranch(replay, context)),
    ],
  };
}

/** The times of attempts are relative to the event, in schedule time. Their phases are in real time. */
function toAttemptBranch(attempt: AttemptSummary, { trace, io }: TraceContext): Branch {
  const { dim } = styleFor(io);
  const { number, trigger, duration_ms: ms, scheduled_at: scheduledAt, fault, phases } = attempt;
  const sinceEventMs = Date.parse(scheduledAt) - Date.parse(trace.event.created_at);
  const appliedFault = describeAppliedFault(fault);
  const parts = [
    `#${number}`,
    sinceEventMs < SECOND_MS ? '+0s' : `+${formatSpan(sinceEventMs, 2)}`,
    styleOutcome(attempt, io),
    formatLatency(ms),
    ...(trigger === 'manual' ? ['replay'] : []),
    ...(appliedFault === null ? [] : [appliedFault]),
    ...(phases === null ? [] : [dim(describePhases(phases))]),
  ];
  return { line: parts.join('  '), children: [] };
}

function renderBranch({ line, children }: Branch, io: RenderContext['io']): string {
  const { dim } = styleFor(io);
  const marks = io.unicode
    ? { item: '├─ ', last: '└─ ', line: '│  ' }
    : { item: '|- ', last: '`- ', line: '|  ' };
  const lines = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const [first = '', ...rest] = renderBranch(child, io).split('\n');
    return [
      dim(isLast ? marks.last : marks.item) + first,
      ...rest.map((text) => (isLast ? '   ' : dim(marks.line)) + text),
    ];
  });
  return [sanitizeLine(line), ...lines].join('\n');
}
