/** The tool `status`: where the emulator is, what it can send, and what fails. */
import * as v from 'valibot';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { listScripts } from '../../fixtures/script-fixtures.ts';
import { EXAMPLE_TYPE, EXAMPLE_URL } from '../summarize-delivery.ts';
import { defineTool, formatCall } from '../tool.ts';

const MAX_ENDPOINTS = 20;

export const statusTool = defineTool({
  name: 'status',
  description: 'Show addresses, clock, endpoints, event types, scripts, faults and failing deliveries',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('status'),
  input: v.strictObject({}),
  output: { base_url: 'string', clock: 'object', endpoints: 'array', deliveries: 'object' },
  async run(_input, { emulator: { control }, projectFolder }) {
    const [status, clock, overview, webhooks, fixtures] = await Promise.all([
      control.getStatus({}),
      control.getClock({}),
      control.getOverview({}),
      control.listWebhooks({ limit: MAX_ENDPOINTS }),
      control.listFixtures({}),
    ]);
    const { now, speed, next_due_at } = clock;
    const endpoints = webhooks.data.map(({ id, url, events, disabled }) => {
      const { last_failure: failure = null } =
        overview.endpoints.find((item) => item.webhook_id === id) ?? {};
      return {
        webhook_id: id,
        url,
        events,
        ...(disabled && { disabled }),
        ...(failure && { last_failure: { delivery_id: failure.delivery_id, error: failure.error } }),
      };
    });
    const { failing, failed } = overview.delivery_counts;
    const failure = overview.endpoints.find(({ last_failure }) => last_failure !== null)?.last_failure;
    return {
      base_url: status.base_url,
      // Its query can contain the control token.
      dashboard_url: new URL('/', status.dashboard_url).href,
      version: status.version,
      db: status.db,
      profile: status.profile,
      workspace_id: status.workspace_id,
      clock: { now, speed, next_due_at },
      endpoints,
      ...(webhooks.has_more && { has_more_endpoints: true }),
      deliveries: overview.delivery_counts,
      faults: overview.faults.map(({ id, on, kind, status, count, applied_count }) => ({
        id,
        on,
        kind,
        status,
        count,
        applied_count,
      })),
      event_types: fixtures.data.map(({ type }) => type),
      scripts: listScripts(fixtureFolders(projectFolder)).map(({ name }) => name),
      ...(status.storage_problem && { storage_problem: status.storage_problem }),
      next:
        endpoints.length === 0
          ? formatCall('receiver', { action: 'register', url: EXAMPLE_URL })
          : failing + failed > 0 && failure
            ? formatCall('explain', { id: failure.delivery_id })
            : formatCall('trigger', { type: EXAMPLE_TYPE, wait_seconds: 10 }),
    };
  },
});
