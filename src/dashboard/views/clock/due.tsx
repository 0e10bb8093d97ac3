import { useEffect } from 'preact/hooks';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { clock, lookAtClock, realTimeUntil, scheduleNow } from '../../schedule.ts';
import { workspaceId } from '../../session.ts';
import { shortenUrl } from '../../short-url.ts';
import { useThrottle } from '../../throttle.ts';
import { Popover } from '../../ui/popover.tsx';
import { describeDue, describeRealDue } from './clock-words.ts';

const SHOWN = 10;
const LOOK_AGAIN_MS = 500;

/** What the schedule clock meets next, and when that is by either clock. */
export function Due() {
  const due = useDue();
  const [first] = due;
  if (first === undefined) return <p class="muted clock-due">Nothing is due</p>;
  return (
    <Popover
      label="Due next"
      class="quiet clock-due"
      button={
        <>
          <span class="muted">Next</span>
          <span>{first.event_type}</span>
          <span class="muted clock-due-where">→ {shortenUrl(first.url)}</span>
          <DueTime delivery={first} />
          {clock.value?.rate !== 0 && <RealDueTime delivery={first} />}
        </>
      }
    >
      <h2>Due next</h2>
      <ol class="clock-list">
        {due.map((delivery) => (
          <li key={delivery.id}>
            <a href={toHash({ section: 'deliveries', id: delivery.id })}>
              {delivery.event_type} <span class="muted">→ {shortenUrl(delivery.url)}</span>
            </a>
            <span class="row">
              <DueTime delivery={delivery} />
              <RealDueTime delivery={delivery} />
            </span>
          </li>
        ))}
      </ol>
    </Popover>
  );
}

function DueTime({ delivery: { next_attempt_at: at } }: { readonly delivery: Delivery }) {
  if (at === null || scheduleNow.value === undefined) return null;
  return (
    <time dateTime={at} title={`${at} (schedule time)`}>
      {describeDue(at, scheduleNow.value)}
    </time>
  );
}

/** Said where it differs from schedule time. */
function RealDueTime({ delivery: { next_attempt_at: at } }: { readonly delivery: Delivery }) {
  if (at === null || clock.value?.rate === 1) return null;
  return <span class="muted">{describeRealDue(realTimeUntil(at))}</span>;
}

/** The deliveries that fall due first. */
function useDue(): readonly Delivery[] {
  const workspace = workspaceId.value;
  const { value, again } = useAsked(
    async () =>
      workspace === undefined ? [] : (await control.listDue({ workspace_id: workspace, limit: SHOWN })).data,
    [workspace],
  );
  const lookAgain = useThrottle(() => {
    again();
    void lookAtClock();
  }, LOOK_AGAIN_MS);
  useLive((items) => {
    if (items.some((item) => item.type === 'reset' || concerns(item, workspace))) lookAgain();
  });
  // A retry falls due without an item of the stream when the clock is moved from elsewhere.
  const nextDueAt = clock.value?.next_due_at;
  useEffect(() => {
    if (value !== undefined && nextDueAt !== value[0]?.next_attempt_at) again();
  }, [nextDueAt]);
  return value ?? [];
}

function concerns(item: StreamItem, workspaceId: string | undefined): boolean {
  return 'delivery' in item && item.delivery.workspace_id === workspaceId;
}
