/** The handlers of the overview and the schedule: aggregates of the deliveries and attempts of a workspace. */

import { MAX_DELIVERY_COUNT } from '../../domain/delivery.ts';
import { isFaultActive } from '../../domain/fault.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import type { EndpointSummary, Overview, Schedule } from '../../operations/overview-schemas.ts';
import type { Fault } from '../../resources/fault.ts';
import { toAttemptSummary } from '../../store/attempts.ts';
import { toFault } from '../../store/faults.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import { findWorkspace } from './to-condition.ts';

const MAX_ENDPOINTS = 100;
const MAX_FAULTS = 20;

export function createOverviewHandlers(sandbox: Sandbox) {
  const { store } = sandbox;
  const listEndpoints = ({ seq }: LoadedWorkspace) =>
    store.webhooks.list(seq, { limit: MAX_ENDPOINTS, beforeSeq: null });
  return {
    countDeliveries: async ({ workspace_id: id }) => {
      const { seq } = findWorkspace(sandbox, id) ?? sandbox.workspaces.default;
      return store.deliveryQueries.countByStatus(seq, MAX_DELIVERY_COUNT);
    },
    getOverview: async ({ workspace_id: id }): Promise<Overview> => {
      const workspace = findWorkspace(sandbox, id) ?? sandbox.workspaces.default;
      const endpoints = listEndpoints(workspace);
      return {
        workspace_id: workspace.id,
        endpoints: endpoints.rows.map((row) => summarizeEndpoint(sandbox, row)),
        has_more_endpoints: endpoints.hasMore,
        has_deliveries: store.deliveryQueries.hasAny(workspace.seq),
        delivery_counts: store.deliveryQueries.countByStatus(workspace.seq, MAX_DELIVERY_COUNT),
        faults: listActiveFaults(sandbox, workspace).slice(0, MAX_FAULTS),
      };
    },
    getSchedule: async ({ workspace_id: workspaceId, at: time }): Promise<Schedule> => {
      const workspace = findWorkspace(sandbox, workspaceId) ?? sandbox.workspaces.default;
      const at = time === undefined ? workspace.clock.now() : Date.parse(time);
      return {
        workspace_id: workspace.id,
        at: new Date(at).toISOString(),
        marks: listEndpoints(workspace).rows.flatMap(({ seq, id }) =>
          store.deliveryQueries.listMarks(seq, at).map(({ first_at, last_at, ...counts }) => ({
            webhook_id: id,
            first_at: new Date(first_at).toISOString(),
            last_at: new Date(last_at).toISOString(),
            ...counts,
          })),
        ),
      };
    },
  } satisfies Partial<ControlHandlers>;
}

function summarizeEndpoint({ store }: Sandbox, { seq, id, url, disabled }: WebhookRow): EndpointSummary {
  const { attempts, succeeded, p50_ms, last_failure_seq } = store.attempts.summarizeNewest(seq);
  const failure = last_failure_seq === null ? undefined : store.attempts.findSummary(last_failure_seq);
  return {
    webhook_id: id,
    url,
    disabled: disabled === 1,
    attempts,
    succeeded,
    p50_ms,
    failing: store.deliveryQueries.isFailing(seq),
    last_failure: failure === undefined ? null : toAttemptSummary(failure),
  };
}

function listActiveFaults({ store }: Sandbox, workspace: LoadedWorkspace): Fault[] {
  return store.faults
    .listAll()
    .map(toFault)
    .filter((fault) => (fault.workspace_id ?? workspace.id) === workspace.id && isFaultActive(fault));
}
