/** The output of `emulator start` when it accepts requests: the ready line, or a banner for people. */

import { join } from 'node:path';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { quoteForShell } from '../domain/shell.ts';
import { type ControlPlane, listAll } from '../operations/control-plane.ts';
import type { ClockState, EmulatorStatus } from '../operations/emulator-schemas.ts';
import type { Rules } from '../profile/rules.ts';
import type { WebhookDetail } from '../resources/endpoint.ts';
import type { Context } from './context.ts';
import type { TerminalCapabilities } from './process-context.ts';
import { describeClock, isWallTime } from './render/format.ts';
import { styleFor } from './render/style.ts';
import { renderFields } from './render/table.ts';

/** The fields of the status that the ready line does not contain. */
const omittedFields = [
  'db',
  'project_folder',
  'started_at',
  'sender',
  'example_type',
  'payload_field',
  'workspace_parameter',
  'deliveries',
  'storage_problem',
] as const satisfies readonly (keyof EmulatorStatus)[];

type ReadyStatus = Omit<EmulatorStatus, (typeof omittedFields)[number]>;

export type ReadyLine = ReadyStatus & { readonly type: 'ready' };

interface ReadyDetails {
  /** Path of the self-signed certificate that clients must trust; null without one. */
  readonly certificate: string | null;
  readonly rules: Pick<Rules, 'payloadField' | 'webhookUrl'>;
}

type BannerEndpoint = Pick<WebhookDetail, 'id' | 'url' | 'events'>;

interface BannerDetails extends ReadyDetails {
  /** The enabled ones. */
  readonly endpoints: readonly BannerEndpoint[];
  /** That of the default workspace. */
  readonly clock: ClockState;
  /** How users run svc. */
  readonly program: string;
}

/** Prints the ready line with `--json`, otherwise the banner. */
export async function announceReady(
  status: EmulatorStatus,
  control: Pick<ControlPlane, 'listWebhooks' | 'getClock'>,
  details: ReadyDetails,
  context: Context,
): Promise<void> {
  if (context.json) {
    const ready: ReadyLine = { type: 'ready', ...toReadyFields(status) };
    return context.printItem(ready, () => '');
  }
  const endpoints = await listAll((page) => control.listWebhooks(page));
  const enabled = endpoints.filter(({ disabled }) => !disabled);
  const clock = await control.getClock({ workspace_id: status.workspace_id });
  const shown = { ...details, endpoints: enabled, clock, program: nameProgram(context) };
  context.io.write(renderBanner(status, shown, context.io));
}

const LISTED_ENDPOINTS = 5;

export function toReadyFields(status: EmulatorStatus): ReadyStatus {
  const omitted = new Set<string>(omittedFields);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !omitted.has(name))) as ReadyStatus;
}

const PUBLIC_EXAMPLE_URL = 'https://your-receiver.example.com/webhooks';

/** `svc`, or in the folder of a clone, which installs no command, `node bin/svc.js`. */
function nameProgram({ commandLine, cwd }: Pick<Context, 'commandLine' | 'cwd'>): string {
  return commandLine.includes(join(cwd, 'bin', 'svc.js')) ? 'node bin/svc.js' : 'svc';
}

/** The first event type of subscriptions, or an example if they are only the wildcard. */
export function findType(events: readonly string[], example: string): string {
  return events.find((event) => event !== WILDCARD_SUBSCRIPTION) ?? example;
}

/** Renders the banner after the start: addresses, credentials, what an earlier run left behind, and the next commands. */
export function renderBanner(
  status: EmulatorStatus,
  { endpoints, clock, program, certificate, rules: { payloadField, webhookUrl } }: BannerDetails,
  capabilities: TerminalCapabilities,
): string {
  const style = styleFor(capabilities);
  const isOwn = ({ id }: BannerEndpoint) => id === status.webhook_id;
  const ordered = [...endpoints.filter(isOwn), ...endpoints.filter((endpoint) => !isOwn(endpoint))];
  const ofEndpoint = endpoints.length > 1 ? ` (${status.webhook_id})` : '';
  const fields = renderFields(
    {
      Dashboard: status.dashboard_url,
      'Base URL': status.base_url,
      'Control URL': status.control_url,
      'Control token': status.control_token ?? null,
      Workspace: status.workspace_id,
      'API key': status.api_key,
      [ordered.length > 1 ? 'Endpoints' : 'Endpoint']: renderEndpoints(ordered),
      Secret: status.webhook_secret === undefined ? null : status.webhook_secret + ofEndpoint,
      Certificate: certificate,
      Database: describeDatabase(status),
      Deliveries: status.deliveries.pending === 0 ? null : `${status.deliveries.pending} pending`,
      Clock: isWallTime(clock) ? null : describeClock(clock),
    },
    capabilities,
  );
  const events = ordered[0]?.events ?? [];
  const type = findType(events, status.example_type);
  const body = JSON.stringify({ type, [payloadField]: { order_id: 'ord_1' } });
  // A public URL has a certificate of its own, which clients trust.
  const caOption =
    certificate === null || !status.base_url.startsWith(status.url)
      ? ''
      : `--cacert ${quoteForShell(certificate)} `;
  const registerCommand =
    webhookUrl === 'local'
      ? `${program} listen`
      : `${program} webhooks create --url ${PUBLIC_EXAMPLE_URL} --events ${type}`;
  const nextCommand = ordered.length === 0 ? registerCommand : `${program} trigger ${type}`;
  return `
${style.bold('svc emulator')} ${status.version}  ${status.environment}, ${status.profile}${status.sender === 'svc' ? '' : `, ${status.sender}`}

${fields}

Create an event:

  curl ${caOption}${status.base_url}/events \\
    -H 'Authorization: Bearer ${status.api_key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

Next: ${style.cyan(nextCommand)}
`;
}

export function describeDatabase({ db }: Pick<EmulatorStatus, 'db'>): string {
  return db === ':memory:' ? 'in memory' : db;
}

function renderEndpoints(endpoints: readonly BannerEndpoint[]): string | null {
  if (endpoints.length === 0) return null;
  const lines = endpoints.slice(0, LISTED_ENDPOINTS).map(({ id, url }) => `${id} → ${url}`);
  const rest = endpoints.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more: svc webhooks list`] : [])].join('\n');
}
