import type { ConfigValues } from '../../config.ts';
import { WILDCARD_SUBSCRIPTION } from '../../domain/event.ts';
import { quoteForShell } from '../../domain/shell.ts';
import type { Rules } from '../../profile/rules.ts';
import type { TerminalCapabilities } from '../io.ts';
import type { ReadyStatus } from '../ready-line.ts';
import { renderFields } from './fields.ts';
import { styleFor } from './style.ts';

/** Example URLs that the rule for webhook URLs accepts. */
const EXAMPLE_URLS = {
  local: 'http://localhost:3000/webhooks',
  public: 'https://your-receiver.example.com/webhooks',
} as const satisfies Record<Rules['webhookUrl'], string>;

/** The endpoint that is registered at boot, if any. */
export type ForwardSettings = Pick<ConfigValues, 'forwardTo' | 'events'>;

/** Renders the banner after the start: addresses, credentials and the next commands. */
export function renderBanner(
  status: ReadyStatus,
  certificate: string | null,
  { forwardTo, events }: ForwardSettings,
  { payloadMember, webhookUrl }: Pick<Rules, 'payloadMember' | 'webhookUrl'>,
  terminalCapabilities: TerminalCapabilities,
): string {
  const style = styleFor(terminalCapabilities);
  const places = renderFields(
    {
      Dashboard: status.dashboard_url,
      'Base URL': status.base_url,
      'Control URL': status.control_url,
      'Control token': status.control_token ?? null,
      Workspace: status.workspace_id,
      'API key': status.api_key,
      Endpoint: status.webhook_id === undefined ? null : `${status.webhook_id} → ${forwardTo}`,
      Secret: status.webhook_secret ?? null,
      Certificate: certificate,
    },
    terminalCapabilities,
  );
  const type = events.find((each) => each !== WILDCARD_SUBSCRIPTION) ?? 'order.shipped';
  const body = JSON.stringify({ type, [payloadMember]: { order_id: 'ord_1' } });
  // A public URL has a certificate of its own, which clients trust.
  const trust =
    certificate === null || !status.base_url.startsWith(status.url)
      ? ''
      : `--cacert ${quoteForShell(certificate)} `;
  const next =
    status.webhook_id === undefined
      ? `svc webhooks create --url ${EXAMPLE_URLS[webhookUrl]} --events ${type}`
      : `svc trigger ${type}`;
  return `
${style.bold('svc emulator')} ${status.version}  ${status.environment}, ${status.profile}

${places}

Create an event:

  curl ${trust}${status.base_url}/events \\
    -H 'Authorization: Bearer ${status.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Next: ${style.cyan(next)}
`;
}
