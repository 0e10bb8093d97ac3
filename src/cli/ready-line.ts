/** The output of `emulator start` when it accepts requests. */
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { Rules } from '../profile/rules.ts';
import type { Context } from './context.ts';
import { type ForwardSettings, renderBanner } from './render/banner.ts';

/** The status of an emulator after boot; `boot_ms` is the time from its start until it accepts requests. */
export type ReadyStatus = Omit<
  EmulatorStatus,
  'db' | 'started_at' | 'max_attempts' | 'payload_member' | 'deliveries' | 'retention' | 'storage_problem'
> & {
  readonly boot_ms: number;
};
export type ReadyLine = ReadyStatus & { readonly type: 'ready' };

/**
 * Prints the ready line with `--json`, otherwise the banner.
 * @param certificate path of the self-signed certificate that clients must trust
 * @param forwarding the endpoint that is registered at boot
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
  const { url, base_url, control_url, dashboard_url, environment, profile, workspace_id, api_key } = status;
  const { control_token, webhook_id, webhook_secret, pid, version, boot_ms } = status;
  return {
    type: 'ready',
    ...{ url, base_url, control_url, dashboard_url, environment, profile, workspace_id, api_key },
    ...(control_token === undefined ? {} : { control_token }),
    ...(webhook_id === undefined ? {} : { webhook_id }),
    ...(webhook_secret === undefined ? {} : { webhook_secret }),
    ...{ pid, version, boot_ms },
  };
}
