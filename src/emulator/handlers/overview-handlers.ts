/** The handlers of the overview: aggregates of the deliveries and attempts of a workspace. */

import { MAX_DELIVERY_COUNT } from '../../domain/delivery.ts';
import { MINUTE_MS } from '../../domain/duration.ts';
import { isFaultActive } from '../../domain/fault.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import type { AttemptBucket, EndpointSummary, Overview } from '../../operations/overview-schemas.ts';
import type { Fault } from '../../resources/fault.ts';
import { toAttemptSummary } from '../../store/attempts.ts';
import { toFault } from '../../store/faults.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import { findWorkspace } from './to-condition.ts';

const DEFAULT_PERIOD_MS = 10 * MINUTE_MS;
const BUCKET_COUNT = 60;
const MAX_ENDPOINTS = 100;
const MAX_FAULTS = 20;

export function createOverviewHandlers(sandbox: Sandbox) {
  const { store } = sandbox;
  return {
    countDeliveries: async ({ workspace_id: id }) => {
      const { seq } = findWorkspace(sandbox, id) ?? sandbox.workspaces.default;
      return store.deliveryQueries.countByStatus(seq, MAX_DELIVERY_COUNT);
    },
    getOverview: async ({ workspace_id: id, period_ms: periodMs = DEFAULT_PERIOD_MS }): Promise<Overview> => {
      const workspace = findWorkspace(sandbox, id) ?? sandbox.workspaces.default;
      const bucketMs = Math.ceil(periodMs / BUCKET_COUNT);
      const endsAt = (Math.floor(sandbox.wall.now() / bucketMs) + 1) * bucketMs;
      const startTimes = Array.from({ length: BUCKET_COUNT }, (_, index) => endsAt - (index + 1) * bucketMs);
      const endpoints = store.webhooks.list(workspace.seq, { limit: MAX_ENDPOINTS, beforeSeq: null });
      return {
        workspace_id: workspace.id,
        bucket_ms: bucketMs,
        ends_at: new Date(endsAt).toISOString(),
        buckets: startTimes.reverse().map((from): AttemptBucket => {
          const period = { workspaceSeq: workspace.seq, from, until: from + bucketMs };
          const counts = store.attempts.countInPeriod(period);
          return { starts_at: new Date(from).toISOString(), ...counts };
        }),
        endpoints: endpoints.rows.map((row) => summarizeEndpoint(sandbox, row)),
        has_more_endpoints: endpoints.hasMore,
        has_deliveries: store.deliveryQueries.hasAny(workspace.seq),
        delivery_counts: store.deliveryQueries.countByStatus(workspace.seq, MAX_DELIVERY_COUNT),
        faults: listActiveFaults(sandbox, workspace).slice(0, MAX_FAULTS),
      };
    },
  } satisfies Partial<ControlHandlers>;
}

function summarizeEndpoint({ store }: Sandbox, { seq, id, url, disabled }: WebhookRow): EndpointSummary {
  const { attempts, succeeded, p50_ms, last_failure_seq } = store.attempts.summarizeNewest(seq);
  const failure = last_failure_seq === null ? undefined : store.attempts.findSummary(last_failure_seq);
  const next = disabled === 1 ? undefined : store.deliveryQueries.findNextDueAt(seq);
  return {
    webhook_id: id,
    url,
    disabled: disabled === 1,
    attempts,
    succeeded,
    p50_ms,
    failing: store.deliveryQueries.isFailing(seq),
    last_failure: failure === undefined ? null : toAttemptSummary(failure),
    next_attempt_at: next === undefined ? null : new Date(next).toISOString(),
  };
}

function listActiveFaults({ store }: Sandbox, workspace: LoadedWorkspace): Fault[] {
  return store.faults
    .listAll()
    .map(toFault)
    .filter((fault) => (fault.workspace_id ?? workspace.id) === workspace.id && isFaultActive(fault));
}
