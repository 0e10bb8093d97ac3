/** The timeline of attempts, planned retries included. An ordered list; the drawing adds no information. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import type { AttemptOutcome } from '../../../domain/delivery.ts';
import { HOUR_MS, SECOND_MS } from '../../../domain/duration.ts';
import { formatSpan } from '../../../domain/relative-time.ts';
import { scheduleNow } from '../../schedule-clock.ts';
import { buildTimeline, type Gap, type TimelineStep } from './build-timeline.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly selected: AttemptDetail | undefined;
  readonly onSelect: (number: number) => void;
}

export function Timeline({ delivery, selected, onSelect }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || selected === undefined) return;
    event.preventDefault();
    const index = delivery.attempts.indexOf(selected) + step;
    const next = delivery.attempts[index];
    if (next === undefined) return;
    onSelect(next.number);
    list.current?.querySelectorAll('button')[index]?.focus();
  };
  useLayoutEffect(() => {
    const { current: line } = list;
    const item = line?.querySelector<HTMLElement>('[aria-pressed=true]')?.parentElement;
    if (!line || !item) return;
    const isInView =
      item.offsetLeft >= line.scrollLeft &&
      item.offsetLeft + item.offsetWidth <= line.scrollLeft + line.clientWidth;
    if (!isInView) line.scrollLeft = item.offsetLeft + item.offsetWidth / 2 - line.clientWidth / 2;
  }, [selected?.number]);
  const steps = buildTimeline(delivery, delivery.status === 'pending' ? scheduleNow.value : undefined);
  if (steps.length === 0) return null;
  return (
    <section aria-label="Timeline">
      <ol class="timeline" ref={list} onKeyDown={move}>
        {steps.map((step) => (
          <li key={keyOf(step)} class={step.kind} style={{ '--share': step.gap?.share ?? 0 }}>
            {step.gap !== null && <GapLine gap={step.gap} isAhead={step.kind !== 'attempt'} />}
            <Mark step={step} isSelected={isOf(step, selected)} onSelect={onSelect} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface MarkProps {
  readonly step: TimelineStep;
  readonly isSelected: boolean;
  readonly onSelect: (number: number) => void;
}

function Mark({ step, isSelected, onSelect }: MarkProps) {
  const since = step.gap === null ? 'start' : `+${formatGap(step.sinceFirstMs)}`;
  const title = `${new Date(step.at).toISOString()} (schedule time)`;
  switch (step.kind) {
    case 'attempt': {
      const { number, outcome, response_status: status, trigger } = step.attempt;
      const isManual = trigger === 'manual';
      return (
        <button
          type="button"
          class="timeline-mark"
          aria-pressed={isSelected}
          tabIndex={isSelected ? 0 : -1}
          title={title}
          onClick={() => onSelect(number)}
        >
          <MarkIcon outcome={outcome} isManual={isManual} />
          <span class="timeline-label">
            <span class="visually-hidden">Attempt </span>#{number} {status ?? outcomeLabels[outcome]}
            <span class="visually-hidden">, {outcome}</span>
            {isManual && <span class="timeline-manual"> replay</span>}
          </span>
          <span class="timeline-since">{since}</span>
        </button>
      );
    }
    case 'planned':
      return (
        <span class="timeline-mark" title={title}>
          <MarkIcon outcome={null} isManual={false} />
          <span class="timeline-label">
            #{step.number}
            <span class="visually-hidden"> planned</span>
          </span>
          <span class="timeline-since">{since}</span>
        </span>
      );
    case 'more':
      return (
        <span class="timeline-mark">
          <span class="timeline-label">{step.count} more</span>
          <span class="timeline-since">{since}</span>
        </span>
      );
    case 'end':
      return (
        <span class="timeline-mark" title={`The retry window ends: ${title}`}>
          <svg class="timeline-icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M10 2v16" />
          </svg>
          <span class="timeline-label">end</span>
          <span class="timeline-since">+{step.sinceFirstMs / HOUR_MS}h</span>
        </span>
      );
  }
}

/** Labels of attempts without a response status. */
const outcomeLabels: Record<AttemptOutcome, string> = {
  succeeded: 'ok',
  http_error: 'error',
  timeout: 'timeout',
  connection_error: 'connection error',
  dns_error: 'DNS error',
  tls_error: 'TLS error',
  blocked: 'blocked',
};

interface MarkIconProps {
  /** Null for a planned attempt. */
  readonly outcome: AttemptOutcome | null;
  readonly isManual: boolean;
}

/** Circle with a check mark, square with a cross, dashed ring. A manual replay is a diamond. */
function MarkIcon({ outcome, isManual }: MarkIconProps) {
  const state = outcome === null ? 'planned' : outcome === 'succeeded' ? 'succeeded' : 'failed';
  return (
    <svg class={`timeline-icon ${state}`} viewBox="0 0 20 20" aria-hidden="true">
      {isManual ? (
        <path class="shape" d="M10 0.5 19.5 10 10 19.5 0.5 10Z" />
      ) : state === 'failed' ? (
        <rect class="shape" x="2" y="2" width="16" height="16" rx="3" />
      ) : (
        <circle class="shape" cx="10" cy="10" r="8.5" />
      )}
      {state === 'succeeded' && <path d="m6.5 10.5 2.5 2.5 4.5-5.5" />}
      {state === 'failed' && <path d="m7 7 6 6m0-6-6 6" />}
    </svg>
  );
}

interface GapLineProps {
  readonly gap: Gap;
  readonly isAhead: boolean;
}

/** The line between two marks, with a break when the gap is collapsed. */
function GapLine({ gap, isAhead }: GapLineProps) {
  return (
    <span
      class={`timeline-gap ${isAhead ? 'upcoming' : ''} ${gap.isCollapsed ? 'collapsed' : ''}`}
      aria-hidden="true"
    >
      {gap.isCollapsed && (
        <svg class="timeline-gap-break" viewBox="0 0 12 16" aria-hidden="true">
          <path d="M4 0v5l4 2-4 2 4 2-4 2v3" />
        </svg>
      )}
      {gap.now !== null && <span class="timeline-now" style={{ '--at': `${gap.now * 100}%` }} title="now" />}
      {gap.ms >= SECOND_MS && <span class="timeline-gap-duration">{formatGap(gap.ms)}</span>}
    </span>
  );
}

function formatGap(ms: number): string {
  return ms < SECOND_MS ? '0s' : formatSpan(ms, 2);
}

function isOf(step: TimelineStep, attempt: AttemptDetail | undefined): boolean {
  return step.kind === 'attempt' && step.attempt === attempt;
}

function keyOf(step: TimelineStep): string {
  if (step.kind === 'attempt') return String(step.attempt.number);
  return step.kind === 'planned' ? String(step.number) : step.kind;
}
