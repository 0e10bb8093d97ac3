/** The first page: the endpoints, those that fail first, the attempts over time, and the active faults. */
import { useRef, useState } from 'preact/hooks';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/duration.ts';
import type { Overview } from '../../../operations/overview-schemas.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { updateQuery } from '../../router.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { FaultList } from '../faults/fault-list.tsx';
import { CreateWebhookDialog } from '../webhooks/webhook-dialogs.tsx';
import { AttemptChart } from './attempt-chart.tsx';
import { EndpointList } from './endpoint-list.tsx';
import { GettingStarted } from './getting-started.tsx';

/** Periods of the chart by their name in the URL. */
const periods = {
  '10m': { title: '10 minutes', ms: 10 * MINUTE_MS },
  '1h': { title: 'hour', ms: HOUR_MS },
  '24h': { title: '24 hours', ms: DAY_MS },
  '3d': { title: '3 days', ms: 3 * DAY_MS },
} as const;
type Period = keyof typeof periods;

export function HomeView({ route }: { readonly route: Route }) {
  const { period = '' } = route.query;
  const shownPeriod = Object.hasOwn(periods, period) ? (period as Period) : '1h';
  return <Home key={workspaceId.value} period={shownPeriod} />;
}

function Home({ period }: { readonly period: Period }) {
  const workspace = workspaceId.value;
  const [isAdding, setAdding] = useState(false);
  useShortcuts([{ key: 'c', description: 'Register an endpoint', run: () => setAdding(true) }]);
  const query = useQuery(
    () => control.getOverview({ workspace_id: workspace, period_ms: periods[period].ms }),
    [period],
    { isLive: true },
  );
  // The previous chart stays visible while another period loads.
  const shown = useRef<Overview>(undefined);
  shown.current = query.value ?? shown.current;
  return (
    <div class="page">
      <QueryView
        query={query.error === null ? { ...query, value: shown.current } : query}
        what="the endpoints"
      >
        {({ endpoints, faults, buckets, has_deliveries: hasDeliveries, has_more_endpoints: hasMore }) => (
          <>
            {!hasDeliveries && <GettingStarted />}
            {(endpoints.length > 0 || hasDeliveries) && (
              <section class="stack" aria-label="Endpoints">
                <div class="row">
                  <h2>Endpoints</h2>
                  <ActionButton class="push-right" onClick={() => setAdding(true)}>
                    <Icon name="plus" /> Register endpoint
                  </ActionButton>
                </div>
                {endpoints.length > 0 && <EndpointList endpoints={endpoints} />}
                {endpoints.length === 0 && hasDeliveries && (
                  <p class="muted">No endpoints. New events are not delivered until you register one.</p>
                )}
                {hasMore && (
                  <p class="muted">
                    Only the newest {endpoints.length} are shown. To list all, use{' '}
                    <code>svc webhooks list</code>.
                  </p>
                )}
              </section>
            )}
            {hasDeliveries && (
              <section class="stack" aria-label="Attempts">
                <div class="row">
                  <h2>Attempts</h2>
                  <a
                    href={toHash({ section: 'deliveries', query: { status: 'unsuccessful', since: period } })}
                  >
                    Unsuccessful deliveries
                  </a>
                  <PeriodSelect period={period} />
                </div>
                <AttemptChart buckets={buckets} period={periods[period].title} />
              </section>
            )}
            {faults.length > 0 && (
              <section class="stack" aria-label="Active faults">
                <h2>Active faults</h2>
                <FaultList
                  query={{ value: faults, error: null, refetch: query.refetch }}
                  emptyText=""
                  endpointUrls={new Map(endpoints.map(({ webhook_id: id, url }) => [id, url]))}
                />
              </section>
            )}
          </>
        )}
      </QueryView>
      {isAdding && <CreateWebhookDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function PeriodSelect({ period }: { readonly period: Period }) {
  return (
    <select
      class="push-right"
      aria-label="Period"
      value={period}
      onChange={({ currentTarget }) => updateQuery({ period: currentTarget.value })}
    >
      {Object.entries(periods).map(([value, { title }]) => (
        <option key={value} value={value}>
          last {title}
        </option>
      ))}
    </select>
  );
}
