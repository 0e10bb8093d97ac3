/** The endpoints of the workspace, or the open one. */
import { ActionButton } from '../../ui/action-button.tsx';
import './webhooks.css';
import { useState } from 'preact/hooks';
import type { WebhookDetail } from '../../../contract/resources.ts';
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
import { computeAttemptStats, formatSuccessRate } from './attempt-stats.ts';
import { OutcomeChart, useAttempts } from './webhook-attempts.tsx';
import { CreateWebhookDialog } from './webhook-dialogs.tsx';
import { WebhookBadges, WebhookView } from './webhook-view.tsx';

export function WebhooksView({ route: { id } }: { readonly route: Route }) {
  return id === null ? <WebhookList /> : <WebhookView key={id} id={id} />;
}

/** Number of endpoints that are added at a time. Not more, because each row loads its own statistics. */
const MORE_COUNT = 50;
const MAX_BARS = 40;

function WebhookList() {
  const [isCreating, setCreating] = useState(false);
  const [limit, setLimit] = useState(MORE_COUNT);
  const workspace = workspaceId.value;
  const query = useQuery(() => control.listWebhooks({ workspace_id: workspace, limit }), [workspace, limit], {
    refetchOn: ({ type }) => type === 'reset',
    isPolled: true,
  });
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

function Row({ webhook }: { readonly webhook: WebhookDetail }) {
  const { id, url, events } = webhook;
  const { value: attempts } = useAttempts(id);
  const attemptStats = computeAttemptStats(attempts ?? []);
  const last = attempts?.[0];
  return (
    <li class="card webhooks-row">
      <div class="row">
        <a class="webhooks-url" href={toHash({ section: 'webhooks', id })}>
          {url}
        </a>
        <WebhookBadges webhook={webhook} />
        <span class="muted webhooks-events">{events.join(', ')}</span>
      </div>
      {attempts !== undefined && (attemptStats === null || last === undefined) && (
        <p class="muted">no attempts yet</p>
      )}
      {attempts !== undefined && attemptStats !== null && last !== undefined && (
        <>
          <OutcomeChart attempts={attempts} maxBars={MAX_BARS} />
          <dl class="webhooks-stats">
            <div>
              <dt>Succeeded</dt>
              <dd>{formatSuccessRate(attemptStats)}</dd>
            </div>
            <div>
              <dt>Median duration</dt>
              <dd>{formatLatency(attemptStats.p50)}</dd>
            </div>
            <div>
              <dt>Last attempt</dt>
              <dd>
                <Time at={last.sent_at} clock="wall" />
              </dd>
            </div>
          </dl>
        </>
      )}
    </li>
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
