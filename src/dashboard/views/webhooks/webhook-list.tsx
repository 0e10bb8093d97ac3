import { useState } from 'preact/hooks';
import type { WebhookDetail } from '../../../contract/resources.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { usePolling } from '../../polling.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Answer, Empty } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { formatRate, measure } from './figures.ts';
import { OutcomePlot } from './plots.tsx';
import { useAttempts } from './use-attempts.ts';
import { WebhookState } from './webhook-state.tsx';

/** Each row asks for figures of its own. */
const SHOWN = 50;
/** How many attempts have a place in the drawing of a row. */
const DRAWN = 40;

export function WebhookList() {
  const [isCreating, setCreating] = useState(false);
  const [limit, setLimit] = useState(SHOWN);
  const workspace = workspaceId.value;
  const asked = useAsked(() => control.listWebhooks({ workspace_id: workspace, limit }), [workspace, limit]);
  usePolling(asked.again);
  useLive((items) => {
    if (items.some(({ type }) => type === 'reset')) asked.again();
  });
  useShortcuts([{ key: 'c', does: 'Create an endpoint', run: () => setCreating(true) }]);
  return (
    <div class="page">
      <div class="row">
        <h2>Endpoints</h2>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          <Icon name="plus" /> New endpoint
        </button>
      </div>
      <Answer asked={asked} what="endpoints">
        {({ data, has_more: hasMore }) =>
          data.length === 0 ? (
            <Nothing />
          ) : (
            <>
              <ul class="webhooks-list">
                {data.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} />
                ))}
              </ul>
              {hasMore && (
                <button type="button" onClick={() => setLimit(limit + SHOWN)}>
                  Show more
                </button>
              )}
            </>
          )
        }
      </Answer>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </div>
  );
}

function Row({ webhook }: { readonly webhook: WebhookDetail }) {
  const { id, url, events } = webhook;
  const { value: attempts } = useAttempts(id);
  const figures = measure(attempts ?? []);
  const last = attempts?.[0];
  return (
    <li class="card webhooks-row">
      <div class="webhooks-name">
        <a class="webhooks-url" href={toHash({ section: 'webhooks', id })}>
          {url}
        </a>
        <WebhookState webhook={webhook} />
        <span class="muted webhooks-events">{events.join(', ')}</span>
      </div>
      {attempts !== undefined && (figures === null || last === undefined) && (
        <p class="muted">no attempt yet</p>
      )}
      {attempts !== undefined && figures !== null && last !== undefined && (
        <>
          <OutcomePlot attempts={attempts} places={DRAWN} />
          <dl class="webhooks-figures">
            <div>
              <dt>Succeeded</dt>
              <dd>{formatRate(figures)}</dd>
            </div>
            <div>
              <dt>Median</dt>
              <dd>{formatLatency(figures.p50)}</dd>
            </div>
            <div>
              <dt>Last attempt</dt>
              <dd>
                <Time at={last.sent_at} of="wall" />
              </dd>
            </div>
          </dl>
        </>
      )}
    </li>
  );
}

function Nothing() {
  const command = 'svc listen --forward-to http://localhost:3000/webhooks';
  return (
    <Empty>
      <p>
        No endpoints yet. Each receives the events whose types it subscribes to, signed with its own secret.
      </p>
      <p>
        Press “New endpoint”, or run <code>{command}</code> <CopyButton what="the command" text={command} />
      </p>
    </Empty>
  );
}
