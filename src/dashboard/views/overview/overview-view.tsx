/** The first page: what fails, the attempts over time, the endpoints, and what happens next. */
import './overview.css';
import { useRef } from 'preact/hooks';
import type { DeliveryStatusCounts, Overview } from '../../../contract/overview-schemas.ts';
import { SECOND_MS } from '../../../domain/duration.ts';
import { type Route, shortenUrl, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { updateQuery } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusFilter, statusGroupTitles } from '../../ui/status-badge.tsx';
import { AttemptDueTime } from '../../ui/time.tsx';
import { type Query, useQuery } from '../../use-query.ts';
import { FaultList } from '../faults/fault-list.tsx';
import { AttemptChart } from './attempt-chart.tsx';
import { EndpointTiles } from './endpoint-tiles.tsx';
import { GettingStarted } from './getting-started.tsx';
import { type OverviewSettings, parseSettings, periods } from './overview-settings.ts';
import { listShownStatuses } from './shown-statuses.ts';

export function OverviewView({ route }: { readonly route: Route }) {
  const workspace = workspaceId.value;
  if (workspace === undefined) {
    return (
      <p class="placeholder" role="status">
        Loading the overview…
      </p>
    );
  }
  return <WorkspaceOverview key={workspace} workspaceId={workspace} settings={parseSettings(route.query)} />;
}

interface WorkspaceOverviewProps {
  readonly workspaceId: string;
  readonly settings: OverviewSettings;
}

function WorkspaceOverview({ workspaceId, settings }: WorkspaceOverviewProps) {
  const query = useQuery(
    () =>
      control.getOverview({
        workspace_id: workspaceId,
        clock: settings.clock,
        period_ms: periods[settings.period].ms,
      }),
    [settings.clock, settings.period],
    {
      refetchOn: (item) =>
        item.type !== 'request' && (!('delivery' in item) || item.delivery.workspace_id === workspaceId),
      isPolled: true,
      intervalMs: SECOND_MS,
    },
  );
  // The previous chart stays visible while another period loads.
  const shownOverview = useRef<Overview>(undefined);
  shownOverview.current = query.value ?? shownOverview.current;
  const shownQuery = query.error === null ? { ...query, value: shownOverview.current } : query;
  return (
    <div class="page overview">
      <QueryView query={shownQuery} what="the overview">
        {(overview) => <OverviewContent overview={overview} settings={settings} refetch={query.refetch} />}
      </QueryView>
    </div>
  );
}

interface ContentProps extends Pick<Query<Overview>, 'refetch'> {
  readonly overview: Overview;
  readonly settings: OverviewSettings;
}

function OverviewContent({ overview, settings, refetch }: ContentProps) {
  const { endpoints, faults, has_deliveries: hasDeliveries } = overview;
  const endpointUrls = new Map(endpoints.map(({ webhook_id: id, url }) => [id, url]));
  return (
    <>
      {hasDeliveries ? (
        <>
          <StatusLinks counts={overview.delivery_counts} />
          <section class="card stack" aria-label="Attempts over time">
            <div class="row">
              <h2>Attempts</h2>
              <ChartSettings settings={settings} />
            </div>
            <AttemptChart overview={overview} period={periods[settings.period].title} />
          </section>
        </>
      ) : (
        <GettingStarted />
      )}
      {endpoints.length > 0 && <EndpointTiles endpoints={endpoints} hasMore={overview.has_more_endpoints} />}
      <div class="overview-columns">
        {hasDeliveries && <DueNext overview={overview} />}
        {(hasDeliveries || faults.length > 0) && (
          <section class="card stack" aria-label="Active faults">
            <h2>Active faults</h2>
            <FaultList
              query={{ value: faults, error: null, refetch }}
              emptyText={
                <>
                  No faults are active. To make attempts fail, open{' '}
                  <a href={toHash({ section: 'webhooks' })}>an endpoint</a>.
                </>
              }
              endpointUrls={endpointUrls}
            />
          </section>
        )}
      </div>
    </>
  );
}

/** Links to the deliveries that have not succeeded. */
function StatusLinks({ counts }: { readonly counts: DeliveryStatusCounts }) {
  const shown = listShownStatuses(counts);
  if (shown.length === 0) return <p class="muted">No delivery is failing or pending.</p>;
  return (
    <ul class="row plain-list" aria-label="Deliveries by status">
      {shown.map((status) => (
        <li key={status}>
          <a
            class="button"
            title={statusGroupTitles[status]}
            href={toHash({ section: 'deliveries', query: { status } })}
          >
            <StatusFilter status={status} count={counts[status]} />
          </a>
        </li>
      ))}
    </ul>
  );
}

function ChartSettings({ settings }: { readonly settings: OverviewSettings }) {
  return (
    <div class="row push-right">
      <select
        aria-label="Period"
        value={settings.period}
        onChange={({ currentTarget }) => updateQuery({ period: currentTarget.value })}
      >
        {Object.entries(periods).map(([period, { title }]) => (
          <option key={period} value={period}>
            last {title}
          </option>
        ))}
      </select>
      <select
        aria-label="Time"
        value={settings.clock}
        onChange={({ currentTarget }) => updateQuery({ clock: currentTarget.value })}
      >
        <option value="wall">real time</option>
        <option value="schedule">schedule time</option>
      </select>
    </div>
  );
}

function DueNext({ overview: { due } }: { readonly overview: Overview }) {
  return (
    <section class="card stack" aria-label="Due next">
      <h2>Due next</h2>
      {due.length === 0 && <p class="muted">No attempts are scheduled.</p>}
      <ol class="divided-list">
        {due.map(({ id, event_type: type, url, attempt_count: count, next_attempt_at: next }) => (
          <li key={id}>
            <a href={toHash({ section: 'deliveries', id })}>
              {type} <span class="muted">→ {shortenUrl(url)}</span>
            </a>
            <span>
              attempt {count + 1} {next !== null && <AttemptDueTime at={next} />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
