/** Which emulator the commands talk to, and how they know that it is that one. */
import type { ProjectLocation } from '../config/project-folders.ts';
import type { Config, ValueSource } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { findRunFile, findRunFileAbove, findTrustedRunFile, type RunFile } from '../control/run-file.ts';
import { classifyHost } from '../domain/address.ts';
import { SvcError } from '../errors.ts';
import { readNamedFile } from './read-value.ts';

type SecretSetting = 'controlToken' | 'apiKey';

export interface TargetSettings {
  readonly values: Pick<Config['values'], 'controlUrl' | 'controlToken' | 'ca'>;
  readonly sources: Pick<Config['sources'], 'controlUrl' | SecretSetting>;
}

export interface EmulatorTarget {
  readonly controlUrl: string;
  /** The run file that names it; null where the configuration does. */
  readonly run: RunFile | null;
  /** Path of the certificate of its own making that the emulator of this folder serves; null where it has none. */
  readonly certificate: string | null;
  /** The certificates to trust beside the usual ones, in PEM. */
  readonly ca: string | undefined;
  /** What its control plane asks for, as far as is known. */
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
  // For an address that the user named, the run file only adds a token and a certificate.
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
    hint: `Use the one of ${above.folder}, above this project: --url ${new URL(above.run.control_url).origin}`,
  };
  return new SvcError('no_emulator', 'No emulator runs in this folder.', hint ?? {});
}

/**
 * A configured token or key goes to an address that the user named by an option or a variable, to a loopback address,
 * or to the address in the same file. Otherwise a project from elsewhere could collect the secrets of the environment.
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
    `${sources[secret].name} is not sent to ${origin}: that address comes from ${namedBy}.`,
    { hint: `Name the address yourself to send it: --url ${origin}` },
  );
}

/**
 * The status of the emulator that wrote the run file. The file of one that was killed stays behind, and its process id
 * and its port may be others' by now.
 * @throws SvcError `no_emulator` when none answers, or another one.
 */
export async function getVerifiedStatus(
  run: RunFile,
  control: Pick<ControlPlane, 'getStatus'>,
): Promise<EmulatorStatus> {
  const status = await control.getStatus({});
  if (status.pid === run.pid && status.started_at === run.started_at) return status;
  const message = `The emulator of this folder has ended; another one, process ${status.pid}, answers at ${status.url}.`;
  throw new SvcError('no_emulator', message, {
    hint: `Start one with svc emulator start, or talk to that one with --url ${status.url}`,
  });
}

/** The address of the emulator itself is as good as that of its control plane, and so is the link to its dashboard. */
function parseEmulatorUrl(text: string): { readonly controlUrl: string; readonly token: string | null } {
  const url = new URL(text);
  const token = url.searchParams.get('token');
  url.search = '';
  url.hash = '';
  if (url.pathname === '/') url.pathname = '/_svc';
  return { controlUrl: url.href.replace(/\/$/, ''), token };
}
