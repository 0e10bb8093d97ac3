/** The emulator of a folder for a long-running command: the one that runs, or otherwise one that this process starts. */
import type { Config } from '../config.ts';
import { SvcError } from '../errors.ts';
import { type ConnectedEmulator, connectInProcess } from '../mcp/connected-emulator.ts';
import { addOwnUrl } from '../network/own-addresses.ts';
import { bootEmulator } from './boot-emulator.ts';
import type { Context } from './context.ts';
import { assertSecretAllowed, getVerifiedStatus, resolveTarget } from './emulator-target.ts';
import { registerEmulator } from './register-emulator.ts';

/** An emulator that this process starts: in memory and on a free port, so that it leaves nothing behind. */
const START_SETTINGS = { port: '0', db: ':memory:' };

interface StartedEmulator {
  readonly connection: ConnectedEmulator;
  readonly close: () => Promise<void>;
}

export class FolderEmulator {
  readonly #context: Context;
  #started: Promise<StartedEmulator> | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Looks for the emulator at each call, because it can be started and stopped meanwhile.
   * @throws SvcError `no_emulator` if its address is configured, but it does not respond.
   */
  async connect(): Promise<ConnectedEmulator> {
    if (this.#started === null) {
      const config = await this.#context.resolveConfig();
      try {
        return await this.#connectToRunning(config);
      } catch (error) {
        const isMissing = error instanceof SvcError && error.code === 'no_emulator';
        if (!isMissing || config.values.controlUrl !== null) throw error;
      }
    }
    // Another call can have started it meanwhile.
    this.#started ??= this.#start().catch((error) => {
      this.#started = null;
      throw error;
    });
    return (await this.#started).connection;
  }

  /** Closes the emulator if this process started it. */
  async close(): Promise<void> {
    await (await this.#started?.catch(() => null))?.close();
  }

  async #connectToRunning(config: Config): Promise<ConnectedEmulator> {
    const { signal } = this.#context;
    const { controlUrl, ca, token, runFile } = await resolveTarget(config, this.#context);
    if (config.values.apiKey !== null) assertSecretAllowed('apiKey', config, controlUrl);
    addOwnUrl(controlUrl);
    const { createHttpControlClient } = await import('../client/http-control-client.ts');
    const { createApiClient } = await import('../client/api-client.ts');
    const control = createHttpControlClient({ controlUrl, ca, token, signal });
    const status = runFile === null ? await control.getStatus({}) : await getVerifiedStatus(runFile, control);
    return {
      control,
      rules: await this.#context.resolveRules(),
      now: this.#context.now,
      connectApi: async () =>
        createApiClient({
          baseUrl: new URL('v1', controlUrl).href,
          apiKey: config.values.apiKey ?? status.api_key,
          ca,
          signal,
        }),
    };
  }

  async #start(): Promise<StartedEmulator> {
    const context = this.#context;
    const config = await context.resolveConfig(START_SETTINGS);
    const rules = await context.resolveRules(START_SETTINGS);
    const emulator = await bootEmulator(config, rules, context);
    const { remove } = registerEmulator(emulator, config.projectFolder, context);
    // For example with `svc emulator stop`. The next call finds or starts another one.
    void emulator.closed.then(() => {
      this.#started = null;
    });
    context.io.note(`Started an emulator at ${emulator.status().url}`);
    const { control, fetch } = emulator;
    return {
      async close() {
        remove();
        await emulator.close();
      },
      connection: connectInProcess({ control, fetch, rules, now: context.now }),
    };
  }
}
