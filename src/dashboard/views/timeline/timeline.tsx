/** Attempts on a scale of schedule time: past ones as dots, scheduled ones as rings, and a line that moves the clock. */
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../../domain/message-parts.ts';
import { TICKS_MS, toPosition } from '../../../domain/timeline-scale.ts';
import { toHash } from '../../address.ts';
import { workspaceId } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useRovingFocus } from '../../ui/roving-focus.ts';
import { cancelMove, isMoving } from '../clock/clock-actions.ts';
import { formatTime } from '../clock/clock-format.ts';
import {
  advanceToLine,
  type DrawnSchedule,
  describeMove,
  line,
  listStops,
  type Mark,
  moveLine,
  resetLine,
  skipMark,
  toTarget,
} from './line.ts';

/** Half of the width, in percent. The rest is for the marks at the ends. */
const HALF_WIDTH = 48;
const toPercent = (ms: number) => 50 + HALF_WIDTH * toPosition(ms);
/** A signal, and not a custom property of the area, which would make the browser compute the styles of all marks in each frame. */
const lineStyle = computed(() => {
  const { value: shown } = line;
  return `translate: ${toPercent(shown === null ? 0 : shown.target - shown.origin)}cqw`;
});
/** Pixels in which the line goes to an attempt or a tick. */
const REACH = 8;

interface AreaProps {
  readonly schedule: DrawnSchedule;
  readonly children: ComponentChildren;
  readonly title?: ComponentChildren;
  readonly linkAtRest?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** Contains a scale and timelines, whose line can be dragged. The children are not rendered again while it moves. */
export function TimelineArea({ schedule, children, title, linkAtRest, actions }: AreaProps) {
  const area = useRef<HTMLElement>(null);
  const follow = ({ clientX }: PointerEvent) => {
    const { left = 0, width = 1 } = area.current?.querySelector('.timeline')?.getBoundingClientRect() ?? {};
    const pixels = (width * HALF_WIDTH) / 100;
    moveLine(schedule, toTarget(schedule, (clientX - left - width / 2) / pixels, REACH / pixels));
  };
  const start = (event: PointerEvent) => {
    const { target } = event;
    if (!(target instanceof Element) || event.button !== 0 || target.closest('a') !== null) return;
    if (target.closest('.timeline') === null) return;
    event.preventDefault();
    const at = target.closest<HTMLElement | SVGElement>('[data-at]')?.dataset.at;
    if (at === undefined) follow(event);
    else moveLine(schedule, Number(at));
    area.current?.setPointerCapture(event.pointerId);
  };
  const focus = (selector: string) => area.current?.querySelector<HTMLElement>(selector)?.focus();
  return (
    <figure
      ref={area}
      onPointerDown={start}
      onPointerMove={(event) => area.current?.hasPointerCapture(event.pointerId) && follow(event)}
      onPointerUp={({ pointerId }) =>
        area.current?.hasPointerCapture(pointerId) && focus('[data-variant="primary"]')
      }
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || line.peek()?.isMoving !== false) return;
        event.preventDefault();
        resetLine();
        focus('[role="slider"]');
      }}
    >
      <figcaption class="row">
        {title}
        <MovePreview schedule={schedule} linkAtRest={linkAtRest} />
        {actions}
      </figcaption>
      {children}
    </figure>
  );
}

/** What the clock would send, and the button that advances it. */
function MovePreview({ schedule, linkAtRest }: Pick<AreaProps, 'schedule' | 'linkAtRest'>) {
  const { value: shown } = line;
  if (shown === null) return <p class="muted">Drag the line to advance the clock. {linkAtRest}</p>;
  if (shown.isMoving) {
    return (
      <p>
        Advancing to {formatTime(shown.target, shown.origin)}…{' '}
        <ActionButton onClick={cancelMove}>Cancel</ActionButton>
      </p>
    );
  }
  const { count, rest, duration, period, isEmpty } = describeMove(schedule, shown.target);
  const isBusy = isMoving(workspaceId.value);
  return (
    <p class="row">
      <span>
        {isEmpty ? (
          count
        ) : (
          <a href={toHash({ section: 'deliveries', query: { scheduled: period } })}>{count}</a>
        )}
        {rest}
      </span>
      <ActionButton data-variant="primary" disabled={isBusy} onClick={() => void advanceToLine()}>
        Advance {duration}
      </ActionButton>
    </p>
  );
}

/** The scale above the timelines, with the handle of the line. */
export function TimeScale({ schedule }: { readonly schedule: DrawnSchedule }) {
  const origin = Date.parse(schedule.at);
  return (
    <div class="timeline">
      {[...TICKS_MS.map((ms) => -ms).reverse(), ...TICKS_MS].map((ms) => (
        <button
          key={ms}
          type="button"
          data-variant="quiet"
          tabIndex={-1}
          disabled={ms < 0}
          data-at={origin + ms}
          onClick={() => moveLine(schedule, origin + ms)}
          style={{ left: `${toPercent(ms)}%` }}
        >
          {Math.abs(ms) < HOUR_MS ? `${Math.abs(ms) / MINUTE_MS}m` : `${Math.abs(ms) / HOUR_MS}h`}
        </button>
      ))}
      <span style={lineStyle} />
      <LineHandle schedule={schedule} />
    </div>
  );
}

function LineHandle({ schedule }: { readonly schedule: DrawnSchedule }) {
  const { value: shown } = line;
  const origin = Date.parse(schedule.at);
  const target = shown?.target ?? origin;
  const { count, rest } = describeMove(schedule, target);
  const time = formatTime(target, origin);
  const step = (event: KeyboardEvent) => {
    const times = listStops(schedule).map(({ last }) => last);
    const ticks = TICKS_MS.map((ms) => skipMark(schedule, origin + ms));
    const next = (from: readonly number[]) => from.find((at) => at > target) ?? target;
    const previous = (from: readonly number[]) => from.findLast((at) => at < target) ?? origin;
    const targets: Readonly<Record<string, () => number>> = {
      ArrowRight: () => next(times),
      ArrowUp: () => next(times),
      ArrowLeft: () => previous(times),
      ArrowDown: () => previous(times),
      PageUp: () => next(ticks),
      PageDown: () => previous(ticks),
      Home: () => origin,
      End: () => times.at(-1) ?? target,
    };
    const to = targets[event.key];
    if (to === undefined) return;
    event.preventDefault();
    moveLine(schedule, to());
  };
  return (
    <div
      role="slider"
      style={{ left: `${toPercent(target - origin)}%` }}
      tabIndex={0}
      aria-label="Advance the clock to"
      aria-valuemin={0}
      aria-valuemax={Math.max(...TICKS_MS) / 1_000}
      aria-valuenow={Math.round((target - origin) / 1_000)}
      aria-valuetext={shown === null ? `now, ${time}` : shown.isMoving ? time : `${count}${rest}`}
      onKeyDown={step}
    >
      {shown === null ? 'now' : time}
    </div>
  );
}

/** What a mark links to, and its description. */
export interface MarkTarget {
  readonly href: string;
  readonly label: string;
  readonly isCurrent?: boolean;
}

interface TimelineProps {
  /** What the marks belong to, for screen readers. */
  readonly label: string;
  /** The time in the middle, ISO 8601. */
  readonly at: string;
  readonly marks: readonly Mark[];
  readonly toTarget: (mark: Mark, now: number) => MarkTarget;
}

export function Timeline({ label, at, marks, toTarget }: TimelineProps) {
  const group = useRef<HTMLDivElement>(null);
  const { handlers } = useRovingFocus(group, 'a');
  const origin = Date.parse(at);
  return (
    <div ref={group} class="timeline" {...handlers}>
      <span style={lineStyle} />
      {/* biome-ignore lint/a11y/useSemanticElements: it is not a part of a form. */}
      <svg role="group" aria-label={`${label}: ${describeMarks(marks, origin)}`}>
        {marks.map((mark) => {
          const [first, last] = [Date.parse(mark.first_at) - origin, Date.parse(mark.last_at) - origin];
          const middle = (toPosition(first) + toPosition(last)) / 2;
          const shape = <MarkShape mark={mark} x={`${50 + HALF_WIDTH * middle}%`} />;
          const { href, label, isCurrent = false } = toTarget(mark, origin);
          const isRing = mark.succeeded + mark.failed === 0;
          const key = `${mark.first_at} ${isRing}`;
          return isRing ? (
            <g key={key} data-at={origin + last}>
              <title>{label}</title>
              {shape}
            </g>
          ) : (
            <a key={key} href={href} aria-current={isCurrent ? 'true' : undefined}>
              <title>{label}</title>
              {shape}
            </a>
          );
        })}
      </svg>
    </div>
  );
}

/** The next of these radii is for one more digit. */
const RADII = [6, 8, 10, 12];
const countFormat = new Intl.NumberFormat('en', { notation: 'compact' });

/** A ring, in which the attempts that have ended are a green and a red part. */
function MarkShape({ mark, x }: { readonly mark: Mark; readonly x: string }) {
  const { deliveries, succeeded, failed, due, isLater = false } = mark;
  const text = deliveries === 1 ? '' : countFormat.format(deliveries);
  const radius = RADII[Math.min(text.length, RADII.length - 1)] ?? 0;
  const total = succeeded + failed + due;
  const base = due > 0 ? 'due' : failed > 0 ? 'failed' : 'succeeded';
  const slice = (state: string, count: number, offset: number) =>
    count > 0 && (
      <circle
        data-state={state}
        cx={x}
        cy="50%"
        r={radius / 2}
        stroke-width={radius}
        pathLength={total}
        stroke-dasharray={`${count} ${total - count}`}
        stroke-dashoffset={-offset}
      />
    );
  return (
    <>
      <circle data-state={base} cx={x} cy="50%" r={radius} stroke-dasharray={isLater ? '3 2' : undefined} />
      {total > succeeded && slice('succeeded', succeeded, 0)}
      {due > 0 && slice('failed', failed, succeeded)}
      <text x={x} y="50%">
        {text}
      </text>
    </>
  );
}

/** `3 attempts succeeded, 1 failed, 2 scheduled, the next at 14:35` */
function describeMarks(marks: readonly Mark[], now: number): string {
  const sum = (name: 'succeeded' | 'failed' | 'due') => marks.reduce((total, mark) => total + mark[name], 0);
  const next = marks.find(({ due }) => due > 0);
  const scheduled =
    next === undefined
      ? ''
      : `, ${sum('due')} scheduled, the next at ${formatTime(Date.parse(next.first_at), now)}`;
  return `${formatCount(sum('succeeded'), 'attempt')} succeeded, ${sum('failed')} failed${scheduled}`;
}

/** The mark of an endpoint, which links to its deliveries. */
export function toDeliveries(webhookId: string): (mark: Mark, now: number) => MarkTarget {
  return ({ first_at, last_at, deliveries, succeeded, failed, due }, now) => ({
    href: toHash({
      section: 'deliveries',
      query: { webhook_id: webhookId, scheduled: `${first_at}/${last_at}` },
    }),
    label: [
      `${formatDeliveryCount(deliveries)}, ${formatTime(Date.parse(first_at), now)}`,
      succeeded > 0 && `${succeeded} succeeded`,
      failed > 0 && `${failed} failed`,
      due > 0 && `${due} scheduled`,
    ]
      .filter(Boolean)
      .join(', '),
  });
}
