import type { EmulatorStatus } from '../../contract/emulator-schemas.ts';
import { formatCount } from '../../domain/format-count.ts';
import type { Context } from '../context.ts';
import { formatTime } from './format.ts';
import { renderFields } from './table.ts';

/** Renders the status of an emulator. */
export function renderStatus(status: EmulatorStatus, { io, now }: Pick<Context, 'io' | 'now'>): string {
  return renderFields(
    {
      'Base URL': status.base_url,
      'Control URL': status.control_url,
      Environment: `${status.environment}, ${status.profile}`,
      Workspace: status.workspace_id,
      'API key': status.api_key,
      Endpoint: status.webhook_id ?? null,
      Database: status.db,
      Retention: describeLimits(status.retention),
      'Database problem': status.storage_problem?.message ?? null,
      'What to do': status.storage_problem?.hint ?? null,
      Process: `${status.pid}, version ${status.version}`,
      Started: formatTime(status.started_at, now()),
      Deliveries: `${status.deliveries.pending} pending, ${status.deliveries.in_flight} in flight`,
    },
    io,
  );
}

function describeLimits({ days, requests, megabytes }: EmulatorStatus['retention']): string {
  const limits = [
    ...(days === null ? [] : [formatCount(days, 'day')]),
    ...(requests === null ? [] : [formatCount(requests, 'logged request')]),
    ...(megabytes === null ? [] : [`${megabytes} MB`]),
  ];
  return limits.length === 0 ? 'no limits' : `${limits.join(', ')}; pending deliveries are always kept`;
}
