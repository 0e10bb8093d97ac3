/** The first page: the endpoints and their schedule, and the active faults. */
import { useState } from 'preact/hooks';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { FaultList } from '../faults/fault-list.tsx';
import { useSchedule } from '../timeline/line.ts';
import { TimelineArea } from '../timeline/timeline.tsx';
import { CreateWebhookDialog } from '../webhooks/webhook-dialogs.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import { GettingStarted } from './getting-started.tsx';

export function HomeView() {
  return <Home key={workspaceId.value} />;
}

function Home() {
  const workspace = workspaceId.value;
  const [isAdding, setAdding] = useState(false);
  useShortcuts([{ key: 'c', description: 'Register an endpoint', run: () => setAdding(true) }]);
  const query = useQuery(() => control.getOverview({ workspace_id: workspace }), [], { isLive: true });
  const schedule = useSchedule();
  const register = (
    <ActionButton onClick={() => setAdding(true)}>
      <Icon name="plus" /> Register endpoint
    </ActionButton>
  );
  const unsuccessful = (
    <a href={toHash({ section: 'deliveries', query: { status: 'unsuccessful', scheduled: '1h' } })}>
      Unsuccessful deliveries of the last hour
    </a>
  );
  return (
    <div class="page">
      <QueryView query={query} what="the endpoints">
        {({ endpoints, faults, has_deliveries: hasDeliveries, has_more_endpoints: hasMore }) => (
          <>
            {!hasDeliveries && <GettingStarted />}
            {endpoints.length > 0 && schedule !== undefined && (
              <section aria-label="Endpoints">
                <TimelineArea
                  schedule={schedule}
                  title={<h2>Endpoints</h2>}
                  linkAtRest={hasDeliveries && unsuccessful}
                  actions={register}
                >
                  <EndpointTable endpoints={endpoints} schedule={schedule} />
                </TimelineArea>
              </section>
            )}
            {endpoints.length === 0 && hasDeliveries && (
              <section class="row" aria-label="Endpoints">
                <p class="muted">No endpoints. New events are not delivered until you register one.</p>
                {register}
              </section>
            )}
            {hasMore && (
              <p class="muted">
                Only the newest {endpoints.length} are shown. To list all, use <code>svc webhooks list</code>.
              </p>
            )}
            {faults.length > 0 && (
              <section class="stack" aria-label="Active faults">
                <h2>Active faults</h2>
                <FaultList
                  query={{ value: faults, error: null, refetch: query.refetch }}
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
