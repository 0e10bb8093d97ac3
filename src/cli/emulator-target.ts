/** Finds the emulator that commands use, and verifies its identity. */
import { resolve } from 'node:path';
import type { ProjectLocation } from '../config/project-folders.ts';
import type { Config, ValueSource } from '../config/resolve-config.ts';
import { findRunFile, ignoreUntrusted, type RunFile } from '../config/run-file.ts';
import { type Hint, SvcError } from '../domain/errors.ts';
import { addBrackets, toReachableHost } from '../domain/http-url.ts';
import { classifyHost } from '../domain/network-address.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import { abortAfter } from '../platform/abort-signals.ts';
import { readBytes } from '../platform/read-data-file.ts';

type TargetSettings = Pick<Config, 'values' | 'sources'>;

interface EmulatorTarget {
  readonly controlUrl: string;
  /** The run file that has its address; null when the address is configured. */
  readonly runFile: RunFile | null;
  /** Path of the self-signed certificate of the emulator for this folder; null without one. */
  readonly certificatePath: string | null;
  /** Certificates to trust in addition to the default ones, in PEM, as the `ca` option of Node.js and of the client. */
  readonly ca: string | undefined;
  /** The token of its control plane, if known. */
  readonly token: string | undefined;
  /** What to do if nothing responds; undefined for the usual advice. */
  readonly noResponseHint: Hint | undefined;
}

/**
 * @throws SvcError `no_emulator` when neither the configuration nor a run file has an address; `untrusted_file` when
 *   another user can change the run file that has it; `usage` as {@link assertSecretAllowed}.
 */
export async function resolveTarget(
  settings: TargetSettings,
  location: ProjectLocation,
): Promise<EmulatorTarget> {
  const { values } = settings;
  const configured = values.controlUrl === null ? null : parseEmulatorUrl(values.controlUrl);
  // With a configured address, the run file only adds a token and a certificate.
  const runFile = configured === null ? findRunFile(location) : ignoreUntrusted(() => findRunFile(location));
  const controlUrl = configured?.controlUrl ?? runFile?.control_url;
  if (controlUrl === undefined) throw await createNoEmulatorError(values);
  // The run file of the emulator at this address.
  const matchingRunFile = controlUrl === runFile?.control_url ? runFile : null;
  const certificatePath = matchingRunFile?.certificate ?? null;
  const tokenFromTarget = configured?.token ?? matchingRunFile?.control_token;
  // A token that came with the address needs no check.
  const token = tokenFromTarget ?? values.controlToken ?? undefined;
  if (token !== tokenFromTarget) assertSecretAllowed('controlToken', settings, controlUrl);
  const files = controlUrl.startsWith('https:') ? [certificatePath, values.ca] : [];
  const texts = files.filter((path) => path !== null).map((path) => readBytes(resolve(location.cwd, path)));
  const ca = texts.length === 0 ? undefined : texts.join('\n');
  return {
    controlUrl,
    runFile: configured === null ? runFile : null,
    certificatePath,
    ca,
    token,
    // `eval "$(svc env)"` sets the variable, which then outlives the emulator.
    noResponseHint:
      settings.sources.controlUrl.kind === 'variable'
        ? {
            text: 'Start an emulator at this address, which comes from SVC_CONTROL_URL, or remove the variable',
            command: 'unset SVC_CONTROL_URL',
          }
        : undefined,
  };
}

type Address = Pick<Config['values'], 'host' | 'port'>;

/** Names the emulator that responds on the configured port, if there is one. */
async function createNoEmulatorError(address: Address): Promise<SvcError> {
  const other = await findEmulatorOnPort(address);
  const hint = other && `Use the emulator of ${other.project_folder} with: --url ${other.url}`;
  return new SvcError('no_emulator', 'No emulator is running in this folder.', { hint });
}

const STATUS_TIMEOUT_MS = 1_000;

/** The emulator that listens on the configured port; null for another program. It gets no token, because it can belong to another user. */
export async function findEmulatorOnPort({ host, port }: Address): Promise<EmulatorStatus | null> {
  const { createHttpControlClient } = await import('../client/http-client.ts');
  const controlUrl = `http://${addBrackets(toReachableHost(host))}:${port}/_svc`;
  const control = createHttpControlClient({ controlUrl, signal: abortAfter(STATUS_TIMEOUT_MS) });
  return control.getStatus({}).catch(() => null);
}

/**
 * A configured token or key may be sent to an address from an option or a variable, to a loopback address, or to the
 * address in the same file. Otherwise a downloaded project could collect the secrets of the environment.
 * @throws SvcError `usage`.
 */
export function assertSecretAllowed(
  secret: 'controlToken' | 'apiKey',
  { values, sources }: TargetSettings,
  controlUrl: string,
): void {
  const addressSource: ValueSource['kind'] | null =
    values.controlUrl === null ? null : sources.controlUrl.kind;
  if (addressSource === 'flag' || addressSource === 'variable') return;
  if (addressSource === 'file' && sources[secret].kind === 'file') return;
  const { hostname, origin } = new URL(controlUrl);
  if (classifyHost(hostname).kind === 'loopback') return;
  const sourceName = addressSource === null ? 'the run file in this folder' : sources.controlUrl.name;
  throw new SvcError(
    'usage',
    `${sources[secret].name} was not sent to ${origin}, because that address comes from ${sourceName}.`,
    { hint: `Confirm the address with: --url ${origin}` },
  );
}

/**
 * The status of the emulator that wrote the run file. The file of a killed emulator remains, and another process can have
 * its process ID and port.
 * @throws SvcError `no_emulator` when no emulator responds, or a different one.
 */
export async function getVerifiedStatus(
  runFile: RunFile,
  control: Pick<ControlPlane, 'getStatus'>,
): Promise<EmulatorStatus> {
  const status = await control.getStatus({});
  if (status.pid === runFile.pid && status.started_at === runFile.started_at) return status;
  const message = `The emulator for this folder has stopped. A different emulator (pid ${status.pid}) is running at ${status.url}`;
  throw new SvcError('no_emulator', message, {
    hint: {
      text: `Pass --url ${status.url} to use the running emulator, or start one for this folder`,
      command: 'svc emulator start',
    },
  });
}

/** Accepts the URL of the emulator, of its API, of its control plane, or of its dashboard with the token. */
function parseEmulatorUrl(text: string): { readonly controlUrl: string; readonly token: string | null } {
  const url = new URL(text);
  const token = url.searchParams.get('token');
  url.search = '';
  url.hash = '';
  url.hostname = toReachableHost(url.hostname);
  url.pathname = url.pathname.replace(/^\/(?:v1\/?)?$/, '/_svc');
  return { controlUrl: url.href.replace(/\/$/, ''), token };
}
