/** Serves MCP over standard input and output. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createLinkedController } from '../abort-signals.ts';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';
import { MAX_LINE_BYTES, splitMessageLines } from './message-lines.ts';

interface StdioOptions extends McpServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the session. */
  readonly signal: AbortSignal;
}

const refusals = {
  too_long: {
    code: ProtocolErrorCode.InvalidRequest,
    message: `The message is longer than ${MAX_LINE_BYTES} bytes. Pass less data in a call.`,
  },
  not_json: {
    code: ProtocolErrorCode.ParseError,
    message: 'The line is not JSON. Send each message as JSON in one line.',
  },
} as const;

/** Serves one client until it closes the input, or until the signal. Calls in progress are then aborted. */
export async function serveMcpOverStdio({ input, output, signal, ...options }: StdioOptions): Promise<void> {
  const ended = createLinkedController([signal]);
  for (const event of ['end', 'close', 'error']) input.once(event, () => ended.abort());
  const lines = splitMessageLines((reason) => {
    // The ID of the message was not read. JSON-RPC demands null then.
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: refusals[reason] })}\n`);
  });
  const connection = serveStdio(() => createMcpServer(options), {
    // The buffer of the transport ends the session when it is full.
    transport: new StdioServerTransport(input.pipe(lines), output, { maxBufferSize: MAX_LINE_BYTES }),
  });
  if (!ended.signal.aborted) await once(ended.signal, 'abort');
  await connection.close();
  input.unpipe(lines).pause();
}
