/** The endpoints of the workspace, or the open one. */
import { ActionButton } from '../../ui/action-button.tsx';
import './webhooks.css';
import { useState } from 'preact/hooks';
import { describeSubscriptions } from '../../../client/texts/describe-webhook.ts';
import type { WebhookStatistics, WebhookWithStatistics } from '../../../contract/overview-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { MAX_PAGE_SIZE } from '../../paged-list.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { formatSuccessRate } from './success-rate.ts';
import { reloadAfterAttempts } from './webhook-attempts.tsx';
import { CreateWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookBadges, WebhookView } from './webhook-view.tsx';

export function WebhooksView({ route: { id } }: { readonly route: Route }) {
  return id === null ? <WebhookList /> : <WebhookView key={id} id={id} />;
}

/** Number of endpoints that are added at a time. Not more, because the statistics of each take time. */
const MORE_COUNT = 50;

function WebhookList() {
  const [isCreating, setCreating] = useState(false);
  const [limit, setLimit] = useState(MORE_COUNT);
  const workspace = workspaceId.value;
  const query = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit, recent_attempts: 1 }),
    [workspace, limit],
    {
      ...reloadAfterAttempts((delivery) => delivery.workspace_id === workspace),
      isPolled: true,
    },
  );
  useShortcuts([{ key: 'c', description: 'Register an endpoint', run: () => setCreating(true) }]);
  return (
    <div class="page">
      <div class="row">
        <h2>Endpoints</h2>
        <ActionButton class="primary" onClick={() => setCreating(true)}>
          <Icon name="plus" /> Register endpoint
        </ActionButton>
      </div>
      <QueryView query={query} what="endpoints">
        {({ data, has_more: hasMore }) =>
          data.length === 0 ? (
            <NoEndpointsYet />
          ) : (
            <>
              <ul class="stack plain-list">
                {data.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} />
                ))}
              </ul>
              {hasMore && limit < MAX_PAGE_SIZE && (
                <ActionButton onClick={() => setLimit(limit + MORE_COUNT)}>Show more</ActionButton>
              )}
              {hasMore && limit === MAX_PAGE_SIZE && (
                <p class="muted">
                  Only the newest {MAX_PAGE_SIZE} endpoints are shown. To list older ones, use{' '}
                  <code>svc webhooks list --starting-after</code>.
                </p>
              )}
            </>
          )
        }
      </QueryView>
      {isCreating && <CreateWebhookDialog onClose={() => setCreating(false)} />}
    </div>
  );
}

function Row({ webhook }: { readonly webhook: WebhookWithStatistics }) {
  const { id, url, events, statistics } = webhook;
  return (
    <li class="card webhooks-row">
      <div class="row">
        <a class="webhooks-url" href={toHash({ section: 'webhooks', id })}>
          {url}
        </a>
        <WebhookBadges webhook={webhook} />
        <span class="muted webhooks-events">{describeSubscriptions(events)}</span>
      </div>
      {statistics !== undefined && <Statistics statistics={statistics} />}
    </li>
  );
}

function Statistics({ statistics }: { readonly statistics: WebhookStatistics }) {
  const { p50_ms: p50, last_attempt_at: last } = statistics;
  if (p50 === null || last === null) return <p class="muted">no attempts yet</p>;
  return (
    <dl class="row">
      <div>
        <dt>Succeeded</dt>
        <dd>{formatSuccessRate(statistics)}</dd>
      </div>
      <div>
        <dt>Median duration</dt>
        <dd>{formatLatency(p50)}</dd>
      </div>
      <div>
        <dt>Last attempt</dt>
        <dd>
          <Time at={last} clock="wall" />
        </dd>
      </div>
    </dl>
  );
}

function NoEndpointsYet() {
  const command = 'svc listen --forward-to http://localhost:3000/webhooks';
  return (
    <EmptyState>
      <p>
        No endpoints yet. An endpoint receives the events that it subscribes to, signed with its own secret.
      </p>
      <p>
        Click “Register endpoint”, or run <code>{command}</code> <CopyButton what="command" text={command} />
      </p>
    </EmptyState>
  );
}
