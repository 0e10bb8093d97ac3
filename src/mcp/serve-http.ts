/** Serves MCP over streamable HTTP. A request needs no session: it names its protocol version, or gets that of 2025. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';

export interface McpHttpHandler {
  /** The signal of the request ends the calls that it started. */
  readonly respond: (request: Request) => Promise<Response>;
}

export function createMcpHttpHandler(options: McpServerOptions): McpHttpHandler {
  const { fetch: respond } = createMcpHandler(() => createMcpServer(options));
  return { respond };
}
