/** The output of `emulator start` when it accepts requests: the ready line, or a banner for people. */
import type { ConfigValues } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { quoteForShell } from '../domain/shell.ts';
import type { Rules } from '../profile/rules.ts';
import type { Context } from './context.ts';
import type { TerminalCapabilities } from './process-context.ts';
import { styleFor } from './render/style.ts';
import { renderFields } from './render/table.ts';

/** The part of the status that the ready line contains. */
export type ReadyStatus = Omit<
  EmulatorStatus,
  'db' | 'started_at' | 'max_attempts' | 'payload_member' | 'deliveries' | 'retention' | 'storage_problem'
> & {
  /** Time from the start until the emulator accepts requests. */
  readonly boot_ms: number;
};

export type ReadyLine = ReadyStatus & { readonly type: 'ready' };

/** The endpoint that is registered on startup, if any. */
type ForwardSettings = Pick<ConfigValues, 'forwardTo' | 'events'>;

/**
 * Prints the ready line with `--json`, otherwise the banner.
 * @param certificate path of the self-signed certificate that clients must trust
 */
export function announceReady(
  status: ReadyStatus,
  certificate: string | null,
  forwarding: ForwardSettings,
  rules: Rules,
  context: Context,
): void {
  if (context.json) context.printItem(toReadyLine(status), () => '');
  else context.io.note(renderBanner(status, certificate, forwarding, rules, context.io.noteCapabilities));
}

export function isReadyLine(message: object | null): message is ReadyLine {
  return message !== null && 'type' in message && message.type === 'ready';
}

/** The fields in the order of the documentation. */
function toReadyLine(status: ReadyStatus): ReadyLine {
  const { control_token, webhook_id, webhook_secret, webhook_previous_url } = status;
  return {
    type: 'ready',
    url: status.url,
    base_url: status.base_url,
    control_url: status.control_url,
    dashboard_url: status.dashboard_url,
    environment: status.environment,
    profile: status.profile,
    workspace_id: status.workspace_id,
    api_key: status.api_key,
    ...(control_token === undefined ? {} : { control_token }),
    ...(webhook_id === undefined ? {} : { webhook_id }),
    ...(webhook_secret === undefined ? {} : { webhook_secret }),
    ...(webhook_previous_url === undefined ? {} : { webhook_previous_url }),
    pid: status.pid,
    version: status.version,
    boot_ms: status.boot_ms,
  };
}

/** Example URLs that the rule for webhook URLs accepts. */
const EXAMPLE_URLS = {
  local: 'http://localhost:3000/webhooks',
  public: 'https://your-receiver.example.com/webhooks',
} as const satisfies Record<Rules['webhookUrl'], string>;

/** Renders the banner after the start: addresses, credentials and the next commands. */
export function renderBanner(
  status: ReadyStatus,
  certificate: string | null,
  { forwardTo, events }: ForwardSettings,
  { payloadField, webhookUrl }: Pick<Rules, 'payloadField' | 'webhookUrl'>,
  capabilities: TerminalCapabilities,
): string {
  const style = styleFor(capabilities);
  const { webhook_previous_url: previousUrl } = status;
  const formerly = previousUrl === undefined ? '' : ` (was ${previousUrl})`;
  const fields = renderFields(
    {
      Dashboard: status.dashboard_url,
      'Base URL': status.base_url,
      'Control URL': status.control_url,
      'Control token': status.control_token ?? null,
      Workspace: status.workspace_id,
      'API key': status.api_key,
      Endpoint: status.webhook_id === undefined ? null : `${status.webhook_id} → ${forwardTo}${formerly}`,
      Secret: status.webhook_secret ?? null,
      Certificate: certificate,
    },
    capabilities,
  );
  const type = events.find((event) => event !== WILDCARD_SUBSCRIPTION) ?? 'order.shipped';
  const body = JSON.stringify({ type, [payloadField]: { order_id: 'ord_1' } });
  // A public URL has a certificate of its own, which clients trust.
  const caOption =
    certificate === null || !status.base_url.startsWith(status.url)
      ? ''
      : `--cacert ${quoteForShell(certificate)} `;
  const nextCommand =
    status.webhook_id === undefined
      ? `svc webhooks create --url ${EXAMPLE_URLS[webhookUrl]} --events ${type}`
      : `svc trigger ${type}`;
  return `
${style.bold('svc emulator')} ${status.version}  ${status.environment}, ${status.profile}

${fields}

Create an event:

  curl ${caOption}${status.base_url}/events \\
    -H 'Authorization: Bearer ${status.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Next: ${style.cyan(nextCommand)}
`;
}
