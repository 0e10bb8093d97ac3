/** The official client, connected to the tools of an emulator. */
import { Client, type ClientOptions, InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createApiClient } from '../../src/client/api-client.ts';
import { processWarningLog } from '../../src/domain/errors.ts';
import { createMcpServer } from '../../src/mcp/mcp-server.ts';
import type { ConnectedEmulator } from '../../src/mcp/tool.ts';
import type { TestEmulator } from '../support/test-emulator.ts';

/** The fields of the results that tests read. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert what they expect.
export type Result = any;

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** The result of a tool. Rejects with the text of an error. */
  call(tool: string, args?: Record<string, unknown>): Promise<Result>;
  /** The error of a tool, as the model reads it. */
  callInvalid(tool: string, args?: Record<string, unknown>): Promise<Result>;
}

export function toConnected({ control, status }: TestEmulator): ConnectedEmulator {
  return {
    control,
    async connectApi() {
      const { base_url: baseUrl, api_key: apiKey } = status();
      return createApiClient({ baseUrl, apiKey });
    },
  };
}

/** Connects to a server in this process, as `svc mcp` does. */
export async function connectMcp(emulator: TestEmulator, options: ClientOptions = {}): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const [transport, serverTransport] = InMemoryTransport.createLinkedPair();
  const server = {
    connect: async () => toConnected(emulator),
    projectFolder: '.',
    internalErrorLog: processWarningLog,
  };
  serveStdio(() => createMcpServer(server), { transport: serverTransport });
  await client.connect(transport);
  return toMcpClient(client);
}

/** @param client connected */
export function toMcpClient(client: Client): McpClient {
  async function request(name: string, args: Record<string, unknown> = {}) {
    const result = await client.callTool({ name, arguments: args });
    const [content] = result.content;
    return { ...result, text: content?.type === 'text' ? content.text : '' };
  }
  return {
    client,
    async call(tool, args) {
      const { isError, structuredContent, text } = await request(tool, args);
      if (isError) throw new Error(text);
      // Clients that read only the text see the same.
      if (JSON.stringify(structuredContent) !== text)
        throw new Error(`${tool} returns two different results.`);
      return structuredContent;
    },
    async callInvalid(tool, args) {
      const { isError, text } = await request(tool, args);
      if (!isError) throw new Error(`${tool} accepts ${JSON.stringify(args)}: ${text}`);
      return JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
