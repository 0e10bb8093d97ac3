/** The official client, connected to the MCP endpoint of an emulator. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

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

/** @param controlUrl of the emulator */
export async function connectOverHttp(
  controlUrl: string,
  options: ClientOptions = {},
  token?: string,
): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const url = new URL(`${controlUrl}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
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
