/** `svc mcp`: serves coding agents over standard input and output, with the emulator of the folder or one in this process. */
import { inspect } from 'node:util';
import type { ConnectedEmulator } from '../../mcp/tool.ts';
import { TEMPORARY_SETTINGS } from '../boot-emulator.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { canStart, type ForegroundEmulator, startInForeground } from '../foreground-emulator.ts';

const NOTES = `
The client starts this command, and ends it by closing standard input. Standard output contains only the protocol. The
tools use the emulator of this folder. If none is running, the first call starts one in memory, which stops with this
command.`;

export const command = defineCommand({
  notes: NOTES,
  examples: [['Serve the emulator of this folder to a coding agent', 'mcp']],
  async run(_options, context) {
    const { io, signal } = context;
    // The tools work with an emulator that this command can start, and need a protocol library.
    const { serveMcpOverStdio } = await import('../../mcp/serve-stdio.ts');
    const { projectFolder } = await context.resolveConfig();
    const emulator = new FolderEmulator(context);
    try {
      await serveMcpOverStdio({
        ...io.protocol,
        signal,
        projectFolder,
        connect: () => emulator.connect(),
        internalErrorLog: {
          report: (where, error) => io.note(`Internal error in svc (${where}): ${inspect(error)}`),
        },
      });
    } finally {
      await emulator.close();
    }
  },
});

/** The emulator of the folder: the one that runs, or otherwise one that this process starts. */
class FolderEmulator {
  readonly #context: Context;
  #started: Promise<ForegroundEmulator> | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Looks for the emulator at each call, because it can be started and stopped meanwhile.
   * @throws SvcError `no_emulator` if its address is configured, but it does not respond.
   */
  async connect(): Promise<ConnectedEmulator> {
    if (this.#started !== null) return this.#connectToOwn();
    const config = await this.#context.resolveConfig();
    return this.#connectToRunning().catch((error: unknown) => {
      if (canStart(error, config)) return this.#connectToOwn();
      throw error;
    });
  }

  /** Closes the emulator if this process started it. */
  async close(): Promise<void> {
    await (await this.#started?.catch(() => null))?.emulator.close();
  }

  async #connectToRunning(): Promise<ConnectedEmulator> {
    const context = this.#context.renew();
    const control = await context.connect();
    // Also checks that one responds at a configured address.
    await control.getStatus({});
    return { control, connectApi: () => context.connectApi() };
  }

  async #connectToOwn(): Promise<ConnectedEmulator> {
    // Another call can have started it meanwhile.
    this.#started ??= this.#start().catch((error) => {
      this.#started = null;
      throw error;
    });
    const { control, certificate, status } = (await this.#started).emulator;
    const { createApiClient } = await import('../../client/api-client.ts');
    const { url, api_key: apiKey } = status();
    const api = createApiClient({ baseUrl: `${url}/v1`, apiKey, ca: certificate ?? undefined });
    return { control, connectApi: async () => api };
  }

  async #start(): Promise<ForegroundEmulator> {
    const context = this.#context;
    const foreground = await startInForeground(context, TEMPORARY_SETTINGS);
    const { closed, status } = foreground.emulator;
    // For example with `svc emulator stop`. The next call finds or starts another one.
    void closed.then(() => {
      this.#started = null;
    });
    context.io.note(`Started an emulator at ${status().url}`);
    return foreground;
  }
}
