/** The tool `status`: where the emulator is, what it can send, and what fails. */
import { EXAMPLE_URL } from '../summarize-delivery.ts';
import { defineTool, formatCall } from '../tool.ts';

const MAX_ENDPOINTS = 20;

export const statusTool = defineTool({
  name: 'status',
  description: 'Show addresses, clock, endpoints, event types, faults and failing deliveries',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('status'),
  fields: {},
  async run(_input, { emulator: { control } }) {
    const [status, clock, overview, webhooks, fixtures] = await Promise.all([
      control.getStatus({}),
      control.getClock({}),
      control.getOverview({}),
      control.listWebhooks({ limit: MAX_ENDPOINTS }),
      control.listFixtures({}),
    ]);
    const { now, speed, next_due_at } = clock;
    const { base_url, version, db, profile, workspace_id, storage_problem } = status;
    const failures = new Map(overview.endpoints.map((each) => [each.webhook_id, each.last_failure]));
    const endpoints = webhooks.data.map(({ id, url, events, disabled }) => {
      const failure = failures.get(id);
      const last_failure = failure && { delivery_id: failure.delivery_id, error: failure.error };
      return { webhook_id: id, url, events, disabled, last_failure };
    });
    const { failing, failed } = overview.delivery_counts;
    const failure = [...failures.values()].find(Boolean);
    return {
      base_url,
      version,
      db,
      profile,
      workspace_id,
      storage_problem,
      // Its query can contain the control token.
      dashboard_url: new URL('/', status.dashboard_url).href,
      clock: { now, speed, next_due_at },
      endpoints,
      has_more_endpoints: webhooks.has_more,
      deliveries: overview.delivery_counts,
      faults: overview.faults,
      event_types: fixtures.data.map(({ type }) => type),
      next:
        endpoints.length === 0
          ? formatCall('receiver', { action: 'register', url: EXAMPLE_URL })
          : failing + failed > 0 && failure
            ? formatCall('explain', { id: failure.delivery_id })
            : formatCall('trigger', { type: status.example_type, wait_seconds: 10 }),
    };
  },
});
