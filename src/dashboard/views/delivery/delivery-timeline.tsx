/** The attempts of one delivery and its scheduled retries on a timeline. */
import { describeOutcome } from '../../../domain/delivery.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import { toPart } from '../../../domain/timeline-scale.ts';
import type { Attempt } from '../../../resources/attempt.ts';
import type { DeliveryDetail } from '../../../resources/delivery.ts';
import { toHash } from '../../address.ts';
import { route } from '../../router.ts';
import { formatTime } from '../clock/clock-format.ts';
import { type Mark, useSchedule } from '../timeline/line.ts';
import { type MarkTarget, Timeline, TimelineArea, TimeScale } from '../timeline/timeline.tsx';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly selected: Attempt | undefined;
}

export function DeliveryTimeline({ delivery, selected }: Props) {
  const schedule = useSchedule(false);
  if (schedule === undefined) return null;
  const marks = toMarks(delivery, Date.parse(schedule.at));
  const shown = { ...schedule, drawn: marks };
  const toTarget = ({ first_at, last_at }: Mark, now: number): MarkTarget => {
    const attempts = delivery.attempts.filter(({ scheduled_at: at }) => at >= first_at && at <= last_at);
    const last = attempts.at(-1);
    if (last === undefined) return { href: '', label: `Retry, ${formatTime(Date.parse(last_at), now)}` };
    return {
      href: toHash({
        section: 'deliveries',
        id: delivery.id,
        query: { ...route.value.query, attempt: String(last.number) },
      }),
      label: attempts
        .map((attempt) => `Attempt ${attempt.number}: ${describeOutcome(attempt)}`)
        .concat(formatTime(Date.parse(last_at), now))
        .join(', '),
      isCurrent: selected !== undefined && attempts.includes(selected),
    };
  };
  return (
    <section aria-label="Timeline">
      <TimelineArea schedule={shown}>
        <TimeScale schedule={shown} />
        <Timeline
          label={formatCount(delivery.attempts.length, 'attempt')}
          at={schedule.at}
          marks={marks}
          toTarget={toTarget}
        />
      </TimelineArea>
    </section>
  );
}

const noAttempts = { deliveries: 0, succeeded: 0, failed: 0, due: 0, due_first: 0 };

/** A mark for each part of the scale. Its count is that of the attempts. */
export function toMarks(
  { attempts, due_times: dueTimes }: Pick<DeliveryDetail, 'attempts' | 'due_times'>,
  origin: number,
): Mark[] {
  const marks = new Map<string, Mark>();
  const add = (at: string, state: 'succeeded' | 'failed' | 'due') => {
    const part = `${toPart(Date.parse(at) - origin)} ${state === 'due'}`;
    const mark = marks.get(part) ?? { first_at: at, ...noAttempts };
    const isLater = state === 'due' && at !== dueTimes[0];
    marks.set(part, {
      isLater,
      ...mark,
      last_at: at,
      deliveries: mark.deliveries + 1,
      [state]: mark[state] + 1,
    });
  };
  for (const { scheduled_at: at, outcome } of attempts)
    add(at, outcome === 'succeeded' ? 'succeeded' : 'failed');
  for (const at of dueTimes) add(at, 'due');
  return [...marks.values()];
}
