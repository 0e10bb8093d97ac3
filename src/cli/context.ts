/** The context of a command's `run`: the process, the configuration and the clients of the emulator. */

import type { ApiClient } from '../client/api-client.ts';
import type { Config } from '../config/resolve-config.ts';
import { indentJson } from '../domain/json-text.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import type { Rules } from '../profile/rules.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { assertSecretAllowed, getVerifiedStatus, resolveTarget } from './emulator-target.ts';
import { toJsonIo } from './io.ts';
import type { ProcessContext } from './process-context.ts';

export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly apiKey?: string;
}

export interface Context extends ProcessContext {
  readonly json: boolean;
  /** The usage line of the command, for errors: `svc deliveries get [options] <id>`. */
  readonly usage: string;
  /** @param options those of the command that are settings */
  resolveConfig(options?: object): Promise<Config>;
  /** The rules of the gap register for the configuration with these options. */
  resolveRules(options?: object): Promise<Rules>;
  /** @param name of a signature scheme (default: that of the configured sender). @throws SvcError `validation_failed` for another name */
  resolveScheme(name?: string): Promise<SignatureScheme>;
  /**
   * Connects to the control plane of the emulator.
   * @param signal aborts requests in progress (default: `this.signal`)
   * @throws SvcError `no_emulator` when neither the configuration nor a run file has its address.
   */
  connect(signal?: AbortSignal): Promise<ControlPlane>;
  /** Connects to the public API of the emulator, with the configured key or the one that the emulator created at startup. */
  connectApi(): Promise<ApiClient>;
  /** Path of the self-signed certificate that clients of the emulator must trust; null without one. */
  findCertificate(): Promise<string | null>;
  /** The status of the emulator, requested once. */
  getStatus(): Promise<EmulatorStatus>;
  /** The configured workspace, or the one that the emulator created at startup. */
  getWorkspaceId(): Promise<string>;
  /** A context that remembers nothing of the emulator or the configuration, for a command that outlives them. */
  renew(): Context;
  /** Prints one resource or one page: a JSON document with `--json`, otherwise the text. */
  print(value: unknown, toText: () => string): void;
  /** Like `print`, but writes JSON text unchanged. */
  printJsonText(json: string, toText: () => string): void;
  /** Prints one item of a stream: a line of JSON with `--json`, otherwise the text. */
  printItem(value: unknown, toText: () => string): void;
}

/**
 * @param options.usage the usage line of the command
 * @param options.skipModules skips a configuration file that would have to be executed
 */
export function createContext(
  processContext: ProcessContext,
  globalOptions: GlobalOptions,
  options: { readonly usage?: string; readonly skipModules?: boolean } = {},
): Context {
  const { usage = 'svc', skipModules = false } = options;
  const { cwd, env, signal } = processContext;
  const json = globalOptions.json === true;
  const io = json ? toJsonIo(processContext.io) : processContext.io;

  async function resolveWith(options: object): Promise<Config> {
    const { resolveConfig } = await import('../config/resolve-config.ts');
    return resolveConfig({ options: { ...globalOptions, ...options }, env, cwd, skipModules });
  }

  let configWithoutOptions: Promise<Config> | undefined;
  function resolveConfig(options?: object): Promise<Config> {
    if (options !== undefined) return resolveWith(options);
    configWithoutOptions ??= resolveWith({});
    return configWithoutOptions;
  }

  const findTarget = async () => resolveTarget(await resolveConfig(), processContext);

  let status: EmulatorStatus | null = null;

  async function connect(requestSignal = signal): Promise<ControlPlane> {
    const { controlUrl, ca, token, runFile, noResponseHint } = await findTarget();
    const { createHttpControlClient } = await import('../client/http-client.ts');
    const control = createHttpControlClient({
      controlUrl,
      ca,
      token,
      noResponseHint,
      signal: requestSignal,
      onDisconnect: () => io.note('Connection lost. Reconnecting…'),
      onReconnect: () => io.note('Reconnected.'),
    });
    if (runFile !== null) status ??= await getVerifiedStatus(runFile, control);
    return control;
  }

  async function getStatus(): Promise<EmulatorStatus> {
    const control = await connect();
    status ??= await control.getStatus({});
    return status;
  }

  return {
    ...processContext,
    io,
    json,
    usage,
    resolveConfig,
    connect,
    async resolveRules(options) {
      const { values } = await resolveConfig(options);
      const { resolveRules } = await import('../profile/resolve-rules.ts');
      const { selectSender } = await import('../config/custom-senders.ts');
      const sender = selectSender(values.sender, values.senders);
      return resolveRules(values.profile, values.overrides, values.environment, sender);
    },
    async resolveScheme(name) {
      if (name !== undefined) {
        const { checkSender } = await import('../config/custom-senders.ts');
        const { values } = await resolveConfig();
        // A scheme is named by its sender.
        checkSender(name, values.senders, { path: '--scheme' });
      }
      return (await this.resolveRules({ sender: name })).signature;
    },
    async connectApi() {
      const config = await resolveConfig();
      const { controlUrl, ca, noResponseHint } = await findTarget();
      if (config.values.apiKey !== null) assertSecretAllowed('apiKey', config, controlUrl);
      const apiKey = config.values.apiKey ?? (await getStatus()).api_key;
      const { createApiClient } = await import('../client/api-client.ts');
      return createApiClient({
        // At the address of the control plane: the public address can be slower.
        baseUrl: new URL('v1', controlUrl).href,
        apiKey,
        ca,
        noResponseHint,
        signal,
      });
    },
    renew: () => createContext(processContext, globalOptions, options),
    findCertificate: async () => (await findTarget()).certificatePath,
    getStatus,
    getWorkspaceId: async () =>
      (await resolveConfig()).values.workspaceId ?? (await getStatus()).workspace_id,
    print: (value, toText) => io.write(json ? JSON.stringify(value, null, 2) : toText()),
    printJsonText: (text, toText) => io.write(json ? indentJson(text) : toText()),
    printItem: (value, toText) => io.write(json ? JSON.stringify(value) : toText()),
  };
}
