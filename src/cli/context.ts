/** The context of a command's `run`: the process, the configuration and the clients of the emulator. */
import type { Config } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ApiClient } from '../control/api-client.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { indentJson } from '../domain/json.ts';
import type { Rules } from '../profile/rules.ts';
import { assertSecretAllowed, getVerifiedStatus, resolveTarget } from './emulator-target.ts';
import type { Io } from './io.ts';
import { toJsonIo } from './json-io.ts';
import { linkIds } from './render/links.ts';

/** The signals that end a process. */
export const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type SignalHandler = (signal: (typeof interruptSignals)[number]) => void;

/** What the process provides. Tests provide their own. */
export interface Host {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** Passes interruption signals to `handler` until the returned function is called. */
  readonly redirectSignals: (handler: SignalHandler) => () => void;
  /** The command line of this process, program first, to start the same command again. */
  readonly invocation: readonly string[];
}

/** Options that every command accepts. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly apiKey?: string;
}

export interface Context extends Host {
  readonly json: boolean;
  /** The configuration, including the options of the command that are settings. */
  config(flags?: object): Promise<Config>;
  /** The rules of the gap register for that configuration. */
  rules(flags?: object): Promise<Rules>;
  /**
   * @param signal aborts requests in progress (default: the signal of the host)
   * @throws SvcError `no_emulator` when neither the configuration nor a run file names an emulator.
   */
  connect(signal?: AbortSignal): Promise<ControlPlane>;
  /** The public API of that emulator, with the configured key or the one created at the start. */
  api(): Promise<ApiClient>;
  /** Path of the self-signed certificate that clients of that emulator must trust; null without one. */
  certificate(): Promise<string | null>;
  /** The configured workspace, or the one created at the start. */
  workspaceId(): Promise<string>;
  /** Prints one resource or one page: a JSON document with `--json`, otherwise the text. */
  print(value: unknown, toText: () => string): void;
  /** Like `print`, with a pager for a text longer than the terminal. `usesPager` is false with `--no-pager`. */
  printLong(value: unknown, toText: () => string, usesPager: boolean): Promise<void>;
  /** Like `print`, for JSON whose text must not change. */
  printJsonText(json: string, toText: () => string): void;
  /** Prints one item of a stream: a line of JSON with `--json`, otherwise the text. */
  printItem(value: unknown, toText: () => string): void;
}

export interface ContextOptions {
  /** Skips a configuration file that would have to be executed. */
  readonly skipsModules?: boolean;
}

export function createContext(
  host: Host,
  options: GlobalOptions,
  { skipsModules = false }: ContextOptions = {},
): Context {
  const { signal } = host;
  const json = options.json === true;
  const io = json ? toJsonIo(host.io) : host.io;

  async function resolve(flags: object): Promise<Config> {
    const { resolveConfig } = await import('../config.ts');
    return resolveConfig({
      flags: { ...options, ...flags },
      env: host.env,
      cwd: host.cwd,
      skipModules: skipsModules,
    });
  }

  let resolved: Promise<Config> | undefined;
  /** Read once. */
  function config(flags?: object): Promise<Config> {
    if (flags !== undefined) return resolve(flags);
    resolved ??= resolve({});
    return resolved;
  }

  // Known after the first request. Output before that contains no ids.
  let dashboardUrl: string | null = null;
  const link = (text: string) => (io.links && dashboardUrl !== null ? linkIds(text, dashboardUrl) : text);
  const write = (text: string) => io.write(link(text));

  const target = async () => resolveTarget(await config(), host);

  // The status of the emulator, after its first response.
  let known: EmulatorStatus | null = null;

  async function connect(signal = host.signal): Promise<ControlPlane> {
    const { controlUrl, ca, token, run } = await target();
    dashboardUrl = new URL('/', controlUrl).href;
    const { createHttpControlClient } = await import('../control/http-control-client.ts');
    const control = createHttpControlClient({
      ...{ controlUrl, ca, token, signal },
      onDisconnect: () => io.note('The connection was lost; connecting again.'),
      onReconnect: () => io.note('Connected again.'),
    });
    if (run !== null) known ??= await getVerifiedStatus(run, control);
    return control;
  }

  async function findFacts(): Promise<Pick<EmulatorStatus, 'api_key' | 'workspace_id'>> {
    const control = await connect();
    known ??= await control.getStatus({});
    return known;
  }

  return {
    ...host,
    ...{ io, json },
    config,
    connect,
    async rules(flags) {
      const { values } = await config(flags);
      const { resolveRules } = await import('../profile/resolve-rules.ts');
      const { selectedScheme } = await import('../config/custom-schemes.ts');
      return resolveRules(values.profile, values.overrides, values.environment, selectedScheme(values));
    },
    async api() {
      const settings = await config();
      const { controlUrl, ca } = await target();
      if (settings.values.apiKey !== null) assertSecretAllowed('apiKey', settings, controlUrl);
      const apiKey = settings.values.apiKey ?? (await findFacts()).api_key;
      const { createApiClient } = await import('../control/api-client.ts');
      return createApiClient({
        // At the address of the control plane: the public address can be slower.
        baseUrl: new URL('v1', controlUrl).href,
        apiKey,
        ca,
        explainError: async (error) => {
          const { explainApiError } = await import('./explain-api-error.ts');
          return explainApiError(error, connect);
        },
        signal,
      });
    },
    certificate: async () => (await target()).certificate,
    async workspaceId() {
      const { workspaceId } = (await config()).values;
      return workspaceId ?? (await findFacts()).workspace_id;
    },
    async printLong(value, toText, usesPager) {
      if (json) return io.write(JSON.stringify(value, null, 2));
      const text = toText();
      const { showInPager } = await import('./pager.ts');
      if (!usesPager || !(await showInPager(link(text), host))) write(text);
    },
    print: (value, toText) => (json ? io.write(JSON.stringify(value, null, 2)) : write(toText())),
    printJsonText: (text, toText) => (json ? io.write(indentJson(text)) : write(toText())),
    printItem: (value, toText) => (json ? io.write(JSON.stringify(value)) : write(toText())),
  };
}
