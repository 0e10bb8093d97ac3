import { useEffect } from 'preact/hooks';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { shortenUrl, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { refreshClock, selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { Popover } from '../../ui/popover.tsx';
import { useQuery } from '../../use-query.ts';
import { formatDue, formatRealDue } from './clock-format.ts';

const MAX_SHOWN = 10;

/** The next due deliveries, in schedule time and in real time. */
export function DueDeliveries() {
  const deliveries = useDueDeliveries();
  const [first] = deliveries;
  if (first === undefined) return <p class="muted clock-due">No attempts are scheduled</p>;
  return (
    <Popover
      label="Due next"
      class="subtle clock-due"
      button={
        <>
          <span class="muted">Next</span>
          <span class="clock-due-type">{first.event_type}</span>
          <span class="muted clock-due-url">→ {shortenUrl(first.url)}</span>
          <ScheduleDueTime delivery={first} />
          {selectedClock.value.state.value?.speed !== 0 && <RealDueTime delivery={first} />}
        </>
      }
    >
      <h2>Due next</h2>
      <ol class="clock-list divided-list">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <a href={toHash({ section: 'deliveries', id: delivery.id })}>
              {delivery.event_type} <span class="muted">→ {shortenUrl(delivery.url)}</span>
            </a>
            <span class="row">
              <ScheduleDueTime delivery={delivery} />
              <RealDueTime delivery={delivery} />
            </span>
          </li>
        ))}
      </ol>
    </Popover>
  );
}

function ScheduleDueTime({ delivery: { next_attempt_at: at } }: { readonly delivery: Delivery }) {
  const now = selectedClock.value.now.value;
  if (at === null || now === undefined) return null;
  return (
    <time dateTime={at} title={`${at} (schedule time)`}>
      {formatDue(at, now)}
    </time>
  );
}

/** Not shown at speed 1, where real time passes like schedule time. */
function RealDueTime({ delivery: { next_attempt_at: at } }: { readonly delivery: Delivery }) {
  const clock = selectedClock.value;
  if (at === null || clock.state.value?.speed === 1) return null;
  return <span class="muted">{formatRealDue(clock.realTimeUntil(at))}</span>;
}

function useDueDeliveries(): readonly Delivery[] {
  const workspace = workspaceId.value;
  const { value = [], refetch } = useQuery(
    async () => {
      if (workspace === undefined) return [];
      void refreshClock(workspace);
      return (await control.listDue({ workspace_id: workspace, limit: MAX_SHOWN })).data;
    },
    [workspace],
    { refetchOn: (item) => item.type === 'reset' || isInWorkspace(item, workspace) },
  );
  // When another client moves the clock, the stream does not announce that a retry became due.
  const nextDueAt = selectedClock.value.state.value?.next_due_at;
  useEffect(() => {
    if (nextDueAt !== value[0]?.next_attempt_at) refetch();
  }, [nextDueAt]);
  return value;
}

function isInWorkspace(item: StreamItem, workspaceId: string | undefined): boolean {
  return 'delivery' in item && item.delivery.workspace_id === workspaceId;
}
