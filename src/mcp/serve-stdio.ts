/** Serves MCP over standard input and output. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createLinkedController } from '../platform/abort-signals.ts';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';

interface StdioOptions extends McpServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

/** Serves one client until it closes the input, or until the signal. Calls in progress are then aborted. */
export async function serveMcpOverStdio({ input, output, signal, ...options }: StdioOptions): Promise<void> {
  const ended = createLinkedController([signal]);
  for (const event of ['end', 'close', 'error']) input.once(event, () => ended.abort());
  const connection = serveStdio(() => createMcpServer(options), {
    // The API limits the size of a payload with an error. The limit of the transport would end the session.
    transport: new StdioServerTransport(input, output, { maxBufferSize: Number.POSITIVE_INFINITY }),
  });
  if (!ended.signal.aborted) await once(ended.signal, 'abort');
  await connection.close();
  input.pause();
}
