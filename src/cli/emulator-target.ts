/** Resolves the emulator that commands use, and verifies its identity. */
import type { ProjectLocation } from '../config/project-folders.ts';
import type { Config, ValueSource } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { findRunFile, findRunFileAbove, findTrustedRunFile, type RunFile } from '../control/run-file.ts';
import { classifyHost } from '../domain/address.ts';
import { SvcError } from '../errors.ts';
import { readNamedFile } from './file-access.ts';

type SecretSetting = 'controlToken' | 'apiKey';

export interface TargetSettings {
  readonly values: Pick<Config['values'], 'controlUrl' | 'controlToken' | 'ca'>;
  readonly sources: Pick<Config['sources'], 'controlUrl' | SecretSetting>;
}

export interface EmulatorTarget {
  readonly controlUrl: string;
  /** The run file that names it; null when the configuration does. */
  readonly run: RunFile | null;
  /** Path of the self-signed certificate of the emulator of this folder; null without one. */
  readonly certificate: string | null;
  /** Certificates to trust in addition to the default ones, in PEM. */
  readonly ca: string | undefined;
  /** The token of its control plane, if known. */
  readonly token: string | undefined;
}

/**
 * @throws SvcError `no_emulator` when neither the configuration nor a run file names an emulator; `untrusted_file` when
 *   another user can change the run file that names it; `usage` as {@link assertSecretAllowed}.
 */
export async function resolveTarget(
  settings: TargetSettings,
  location: ProjectLocation,
): Promise<EmulatorTarget> {
  const { values } = settings;
  const named = values.controlUrl === null ? null : parseEmulatorUrl(values.controlUrl);
  // With an address of the user, the run file only adds a token and a certificate.
  const run = named === null ? findRunFile(location) : findTrustedRunFile(() => findRunFile(location));
  const controlUrl = named?.controlUrl ?? run?.control_url;
  if (controlUrl === undefined) throw noEmulator(location);
  const own = controlUrl === run?.control_url ? run : null;
  const certificate = own?.certificate ?? null;
  const known = named?.token ?? own?.control_token;
  const token = known ?? values.controlToken ?? undefined;
  if (token !== known) assertSecretAllowed('controlToken', settings, controlUrl);
  const files = controlUrl.startsWith('https:') ? [certificate, values.ca] : [];
  const texts = files.filter((path) => path !== null).map((path) => readNamedFile(path, location.cwd));
  const ca = texts.length === 0 ? undefined : (await Promise.all(texts)).join('\n');
  return { controlUrl, run: named === null ? run : null, certificate, ca, token };
}

function noEmulator(location: ProjectLocation): SvcError {
  const above = findRunFileAbove(location);
  const hint = above && {
    hint: `Use the emulator of the parent folder ${above.folder} with: --url ${new URL(above.run.control_url).origin}`,
  };
  return new SvcError('no_emulator', 'No emulator runs in this folder.', hint ?? {});
}

/**
 * A configured token or key may be sent to an address from an option or a variable, to a loopback address, or to the
 * address in the same file. Otherwise a downloaded project could collect the secrets of the environment.
 * @throws SvcError `usage`.
 */
export function assertSecretAllowed(
  secret: SecretSetting,
  { values, sources }: TargetSettings,
  controlUrl: string,
): void {
  const address: ValueSource['kind'] | null = values.controlUrl === null ? null : sources.controlUrl.kind;
  if (address === 'flag' || address === 'variable') return;
  if (address === 'file' && sources[secret].kind === 'file') return;
  const { hostname, origin } = new URL(controlUrl);
  if (classifyHost(hostname).kind === 'loopback') return;
  const namedBy = address === null ? 'the run file of this folder' : sources.controlUrl.name;
  throw new SvcError(
    'usage',
    `${sources[secret].name} was not sent to ${origin}, because that address comes from ${namedBy}.`,
    { hint: `Pass the address to send it: --url ${origin}` },
  );
}

/**
 * The status of the emulator that wrote the run file. The file of a killed emulator remains, and another process can have
 * its process id and port.
 * @throws SvcError `no_emulator` when no emulator responds, or a different one.
 */
export async function getVerifiedStatus(
  run: RunFile,
  control: Pick<ControlPlane, 'getStatus'>,
): Promise<EmulatorStatus> {
  const status = await control.getStatus({});
  if (status.pid === run.pid && status.started_at === run.started_at) return status;
  const message = `The emulator of this folder has ended. A different one (pid ${status.pid}) runs at ${status.url}.`;
  throw new SvcError('no_emulator', message, {
    hint: `Start one with: svc emulator start. Or use the running one with --url ${status.url}`,
  });
}

/** Accepts the URL of the emulator, of its control plane, or of its dashboard with the token. */
function parseEmulatorUrl(text: string): { readonly controlUrl: string; readonly token: string | null } {
  const url = new URL(text);
  const token = url.searchParams.get('token');
  url.search = '';
  url.hash = '';
  if (url.pathname === '/') url.pathname = '/_svc';
  return { controlUrl: url.href.replace(/\/$/, ''), token };
}
