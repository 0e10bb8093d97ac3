import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { renderFields } from '../../render/fields.ts';
import { formatTime } from '../../render/time.ts';

export const command: CommandDefinition<object> = {
  examples: ['emulator status', 'emulator status --json'],
  run,
};

/** Exits with 3 when none runs, as every command does that finds none. */
async function run(_options: object, context: Context): Promise<void> {
  const control = await context.connect();
  const status = await control.getStatus({});
  context.print(status, () =>
    renderFields(
      {
        'Base URL': status.base_url,
        'Control URL': status.control_url,
        Environment: `${status.environment}, ${status.profile}`,
        Workspace: status.workspace_id,
        'API key': status.api_key,
        Endpoint: status.webhook_id ?? null,
        Database: status.db,
        Process: `${status.pid}, version ${status.version}`,
        Started: formatTime(status.started_at, context.now()),
        Deliveries: `${status.deliveries.pending} pending, ${status.deliveries.in_flight} in flight`,
      },
      context.io,
    ),
  );
}
