/** Serves MCP over standard input and output. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';

interface StdioOptions extends McpServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

/** Serves one client until it closes the input, or until the signal. Calls in progress are then aborted. */
export async function serveMcpOverStdio({ input, output, signal, ...options }: StdioOptions): Promise<void> {
  const left = new AbortController();
  for (const event of ['end', 'close', 'error']) input.once(event, () => left.abort());
  const connection = serveStdio(() => createMcpServer(options), {
    transport: new StdioServerTransport(input, output),
  });
  const end = AbortSignal.any([signal, left.signal]);
  if (!end.aborted) await once(end, 'abort');
  await connection.close();
}
