/**
 * The timeline of attempts and planned retries. For screen readers it is an ordered list; icons and lines repeat what the
 * text says.
 */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { type AttemptOutcome, describeOutcome } from '../../../domain/delivery.ts';
import { formatSpan, HOUR_MS, SECOND_MS } from '../../../domain/duration.ts';
import { useClock } from '../../ui/workspace-scope.tsx';
import { buildTimeline, type Gap, type TimelineStep } from './build-timeline.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly selectedAttempt: AttemptDetail | undefined;
  readonly onSelect: (number: number) => void;
}

export function Timeline({ delivery, selectedAttempt, onSelect }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const { now } = useClock();
  const selectByArrowKey = (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (offset === undefined || selectedAttempt === undefined) return;
    event.preventDefault();
    const index = delivery.attempts.indexOf(selectedAttempt) + offset;
    const next = delivery.attempts[index];
    if (next === undefined) return;
    onSelect(next.number);
    list.current?.querySelectorAll('button')[index]?.focus();
  };
  useLayoutEffect(() => {
    const { current: listElement } = list;
    const item = listElement?.querySelector<HTMLElement>('[aria-pressed=true]')?.parentElement;
    if (!listElement || !item) return;
    const isInView =
      item.offsetLeft >= listElement.scrollLeft &&
      item.offsetLeft + item.offsetWidth <= listElement.scrollLeft + listElement.clientWidth;
    if (!isInView)
      listElement.scrollLeft = item.offsetLeft + item.offsetWidth / 2 - listElement.clientWidth / 2;
  }, [selectedAttempt?.number]);
  const steps = buildTimeline(delivery, delivery.status === 'pending' ? now.value : undefined);
  if (steps.length === 0) return null;
  return (
    <section aria-label="Timeline">
      <ol class="timeline" ref={list} onKeyDown={selectByArrowKey}>
        {steps.map((step) => (
          <li
            key={toKey(step)}
            class={`timeline-${step.kind}`}
            style={{ '--gap-share': step.gap?.share ?? 0 }}
          >
            {step.gap !== null && <GapLine gap={step.gap} isUpcoming={step.kind !== 'attempt'} />}
            <TimelineMark step={step} isSelected={isAttempt(step, selectedAttempt)} onSelect={onSelect} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface TimelineMarkProps {
  readonly step: TimelineStep;
  readonly isSelected: boolean;
  readonly onSelect: (number: number) => void;
}

function TimelineMark({ step, isSelected, onSelect }: TimelineMarkProps) {
  const sinceFirst = step.gap === null ? 'start' : `+${formatGap(step.sinceFirstMs)}`;
  const title = `${new Date(step.at).toISOString()} (schedule time)`;
  switch (step.kind) {
    case 'attempt': {
      const { number, outcome, trigger } = step.attempt;
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
            <span class="visually-hidden">Attempt </span>#{number} {describeOutcome(step.attempt)}
            <span class="visually-hidden">, {outcome === 'succeeded' ? 'succeeded' : 'failed'}</span>
            {isManual && <span class="timeline-manual"> replay</span>}
          </span>
          <span class="timeline-since">{sinceFirst}</span>
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
          <span class="timeline-since">{sinceFirst}</span>
        </span>
      );
    case 'more':
      return (
        <span class="timeline-mark">
          <span class="timeline-label">{step.count} more</span>
          <span class="timeline-since">{sinceFirst}</span>
        </span>
      );
    case 'end':
      return (
        <span class="timeline-mark" title={title}>
          <svg class="timeline-icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M10 2v16" />
          </svg>
          <span class="timeline-label">retry window ends</span>
          {/* The description of the service gives the retry window in hours. */}
          <span class="timeline-since">+{Math.round(step.sinceFirstMs / HOUR_MS)}h</span>
        </span>
      );
  }
}

interface MarkIconProps {
  /** Null for a planned attempt. */
  readonly outcome: AttemptOutcome | null;
  readonly isManual: boolean;
}

/**
 * Succeeded: circle with a check mark. Failed: square with a cross. Planned: dashed circle. Manual replay: diamond.
 */
function MarkIcon({ outcome, isManual }: MarkIconProps) {
  const state = outcome === null ? 'planned' : outcome === 'succeeded' ? 'succeeded' : 'failed';
  return (
    <svg class={`timeline-icon ${state}`} viewBox="0 0 20 20" aria-hidden="true">
      {isManual ? (
        <path class="timeline-icon-shape" d="M10 0.5 19.5 10 10 19.5 0.5 10Z" />
      ) : state === 'failed' ? (
        <rect class="timeline-icon-shape" x="2" y="2" width="16" height="16" rx="3" />
      ) : (
        <circle class="timeline-icon-shape" cx="10" cy="10" r="8.5" />
      )}
      {state === 'succeeded' && <path d="m6.5 10.5 2.5 2.5 4.5-5.5" />}
      {state === 'failed' && <path d="m7 7 6 6m0-6-6 6" />}
    </svg>
  );
}

interface GapLineProps {
  readonly gap: Gap;
  readonly isUpcoming: boolean;
}

/** The line between two marks, with a break when the gap is collapsed. */
function GapLine({ gap, isUpcoming }: GapLineProps) {
  return (
    <span
      class={`timeline-gap ${isUpcoming ? 'timeline-gap-upcoming' : ''} ${gap.isCollapsed ? 'timeline-gap-collapsed' : ''}`}
      aria-hidden="true"
    >
      {gap.isCollapsed && (
        <svg class="timeline-gap-break" viewBox="0 0 12 16" aria-hidden="true">
          <path d="M4 0v5l4 2-4 2 4 2-4 2v3" />
        </svg>
      )}
      {gap.now !== null && (
        <span class="timeline-now" style={{ '--now-position': `${gap.now * 100}%` }} title="now" />
      )}
      {gap.ms >= SECOND_MS && <span class="timeline-gap-duration">{formatGap(gap.ms)}</span>}
    </span>
  );
}

function formatGap(ms: number): string {
  return ms < SECOND_MS ? '0s' : formatSpan(ms, 2);
}

function isAttempt(step: TimelineStep, attempt: AttemptDetail | undefined): boolean {
  return step.kind === 'attempt' && step.attempt === attempt;
}

function toKey(step: TimelineStep): string {
  if (step.kind === 'attempt') return String(step.attempt.number);
  return step.kind === 'planned' ? String(step.number) : step.kind;
}
