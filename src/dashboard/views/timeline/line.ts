/** The line of the timelines: the time that the user wants to advance the clock to, and what the clock sends until then. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatSpan, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { RETRY_WINDOW_MS } from '../../../domain/retry-policy.ts';
import { TICKS_MS, toDistance, toPart, toPosition } from '../../../domain/timeline-scale.ts';
import type { Schedule, ScheduleMark } from '../../../operations/overview-schemas.ts';
import { control } from '../../control.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useQuery } from '../../use-query.ts';
import { advanceTo } from '../clock/clock-actions.ts';
import { formatTime } from '../clock/clock-format.ts';

/** All times are schedule times in milliseconds since 1970. */
export interface Line {
  /** The time in the middle of the timelines. It stays there until the responses of a move were shown. */
  readonly origin: number;
  readonly target: number;
  readonly isMoving: boolean;
}

/** Null while the line is at the current time. */
export const line = signal<Line | null>(null);
/** Unlike `line`, it does not change while the line is dragged. */
const originOfLine = computed(() => line.value?.origin);
/** The current time, or `origin` before it is known. */
const nowAfter = (origin: number) => Math.max(origin, selectedClock.value.now.value ?? origin);

/** The line belongs to a workspace. It stays where it is when another view opens. */
effect(() => {
  if (workspaceId.value !== undefined) resetLine();
});
effect(() => {
  const { value: shown } = line;
  if (shown !== null && !shown.isMoving && nowAfter(shown.origin) >= shown.target) resetLine();
});

/** The marks do not move in each second, because rendering thousands of them takes long. */
const STEP_MS = 10 * SECOND_MS;

/** How long the responses stay where the retries were. */
const SHOWN_MS = 2_500;

/**
 * The attempts of the workspace, around the current time, or around the middle of the timelines while the line is not there.
 * @param isDrawn false if they are only counted: they are loaded again only while the line is moved
 */
export function useSchedule(isDrawn = true): Schedule | undefined {
  const { value: workspace } = workspaceId;
  const load = () => {
    const now = selectedClock.peek().now.peek();
    const origin = originOfLine.peek() ?? (now && now - (now % STEP_MS));
    const at = origin === undefined ? {} : { at: new Date(origin).toISOString() };
    return control.getSchedule({ workspace_id: workspace, ...at });
  };
  // A view with many marks is not rendered again when the line starts to move.
  const origin = isDrawn ? undefined : originOfLine.value;
  const { value, refetch } = useQuery(load, [workspace], { isLive: isDrawn || origin !== undefined });
  useEffect(() => {
    const loaded = originOfLine.peek();
    return originOfLine.subscribe((current) => {
      if (current !== loaded) refetch();
    });
  }, []);
  if (value === undefined || isDrawn) return value;
  return { ...value, at: new Date(origin ?? nowAfter(Date.parse(value.at))).toISOString() };
}

export function resetLine(): void {
  line.value = null;
}

/** Moves the line, but not to the past and not between attempts that have one mark. Nothing is sent. */
export function moveLine(schedule: DrawnSchedule, target: number): void {
  if (line.peek()?.isMoving) return;
  const origin = Date.parse(schedule.at);
  const latest = Math.min(skipMark(schedule, target), origin + RETRY_WINDOW_MS);
  line.value = latest > nowAfter(origin) ? { origin, target: latest, isMoving: false } : null;
}

/** The last time of the mark that a time is in, or that is so close that they look the same. */
export function skipMark(schedule: DrawnSchedule, at: number): number {
  return listStops(schedule).find(({ first, last }) => first - STEP_MS <= at && at < last)?.last ?? at;
}

export async function advanceToLine(): Promise<void> {
  const [moved, id] = [line.peek(), workspaceId.peek()];
  if (moved === null || id === undefined) return;
  const moving = { ...moved, isMoving: true };
  line.value = moving;
  await advanceTo(new Date(moved.target).toISOString(), id);
  setTimeout(() => {
    if (line.peek() === moving) resetLine();
  }, SHOWN_MS);
}

export interface DrawnSchedule extends Schedule {
  /** The marks that the line stops at, if the timelines do not have all. */
  readonly drawn?: readonly Mark[];
}

/** When scheduled attempts are due, in order: one stop for each part of the scale. */
export function listStops({ at, marks, drawn = marks }: DrawnSchedule) {
  const origin = Date.parse(at);
  const stops = new Map<number, { readonly first: number; readonly last: number }>();
  for (const { first_at, last_at, due } of drawn) {
    if (due === 0 || last_at <= at) continue;
    const [first, last] = [Date.parse(first_at), Date.parse(last_at)];
    const part = toPart(last - origin);
    const other = stops.get(part) ?? { first, last };
    stops.set(part, { first: Math.min(first, other.first), last: Math.max(last, other.last) });
  }
  return [...stops.values()].sort((a, b) => a.last - b.last);
}

/** The time at a position of the scale: of an attempt or a tick that is closer than `reach`, or else a round distance. */
export function toTarget(schedule: DrawnSchedule, position: number, reach: number): number {
  const origin = Date.parse(schedule.at);
  const distance = toDistance(Math.max(-1, Math.min(1, position)));
  const candidates = [...listStops(schedule).map(({ last }) => last - origin), ...TICKS_MS];
  const close = candidates
    .map((ms) => ({ ms, away: Math.abs(toPosition(ms) - position) }))
    .filter(({ away }) => away < reach)
    .sort((a, b) => a.away - b.away)[0];
  const step = distance < HOUR_MS ? MINUTE_MS : 10 * MINUTE_MS;
  return origin + (close?.ms ?? Math.round(distance / step) * step);
}

/**
 * What the clock sends until `target`: `10 retries to 2 endpoints, until 14:35 (+35 min)`, or `attempts` if some are the first of their
 * delivery. Retries that fail can be repeated until then.
 */
export function describeMove({ at, marks }: Schedule, target: number) {
  const now = nowAfter(Date.parse(at));
  const [start, end] = [new Date(now + 1).toISOString(), new Date(target).toISOString()];
  const sent = marks.filter(({ due, first_at, last_at }) => due > 0 && last_at >= start && first_at <= end);
  // Of a mark that ends later, at least one is sent.
  const count = sent.reduce((sum, { due, last_at }) => sum + (last_at <= end ? due : 1), 0);
  const duration = formatMinutes(target - now);
  const endpoints = new Set(sent.map(({ webhook_id: id }) => id)).size;
  const isExact = sent.every(
    ({ first_at, last_at }) => last_at <= end && target - Date.parse(first_at) < MINUTE_MS,
  );
  const hasFirst = sent.some(({ due_first }) => due_first > 0);
  const attempts = hasFirst ? formatCount(count, 'attempt') : formatCount(count, 'retry', 'retries');
  return {
    count: `${isExact ? '' : 'at least '}${attempts}`,
    rest: `${count === 0 ? '' : ` to ${formatCount(endpoints, 'endpoint')}`}, until ${formatTime(target, now)} (+${duration})`,
    duration,
    period: `${start}/${end}`,
    isEmpty: count === 0,
  };
}

/** `35 min`, `2 h 35 min`, below a minute `40 s` */
function formatMinutes(ms: number): string {
  const unit = ms < MINUTE_MS ? SECOND_MS : MINUTE_MS;
  return formatSpan(Math.max(1, Math.round(ms / unit)) * unit, 2)
    .replace(/\d(?=[a-z])/g, '$& ')
    .replace('m', 'min');
}

export interface Mark extends Omit<ScheduleMark, 'webhook_id'> {
  /** Whether its attempts are made only if the ones before fail. */
  readonly isLater?: boolean;
}
