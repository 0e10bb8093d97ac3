/** Serves MCP at `/_svc/mcp`, behind the guard of the control plane. */
import { ReadableStream } from 'node:stream/web';
import { type H3, HTTPResponse } from 'h3';
import type { InternalErrorLog } from '../domain/errors.ts';
import type { ConnectedEmulator } from '../mcp/connected-emulator.ts';
import { abortAtEnd, createLinkedController } from '../platform/abort-signals.ts';
import { createDisconnectSignal } from './disconnect-signal.ts';
import { rejectMethod } from './mount-operations.ts';
import { CONTROL_BODY_LIMIT_BYTES, readBody } from './read-request.ts';
import type { ServeAllowed } from './request-guard.ts';
import { controlHeaders } from './responses.ts';

interface McpEndpointOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly serveAllowed: ServeAllowed;
  readonly emulator: ConnectedEmulator;
  readonly projectFolder: string;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function mountMcpEndpoint(app: H3, options: McpEndpointOptions): void {
  const { internalErrorLog, serveAllowed, emulator, projectFolder, closing } = options;
  let handler: ((request: Request) => Promise<Response>) | undefined;

  /** Loaded on first use, because most emulators serve no MCP client. */
  async function loadHandler(): Promise<(request: Request) => Promise<Response>> {
    const { createMcpHttpHandler } = await import('../mcp/mcp-server.ts');
    handler ??= createMcpHttpHandler({ connect: async () => emulator, projectFolder, internalErrorLog });
    return handler;
  }

  app.all('/_svc/mcp', (event) =>
    serveAllowed(event, async (requestId) => {
      const { method, headers } = event.req;
      // Clients use GET and DELETE only for sessions, which this server does not have. `Request` rejects TRACE.
      if (method !== 'POST') rejectMethod(event, ['POST']);
      const body = new Uint8Array(await readBody(event, CONTROL_BODY_LIMIT_BYTES));
      const respond = await loadHandler();
      const ended = createLinkedController([createDisconnectSignal(event), closing]);
      const request = new Request(event.url, { method, headers, body, signal: ended.signal });
      const response = await respond(request).catch((error) => {
        ended.abort();
        throw error;
      });
      if (response.body === null) ended.abort();
      const chunks = response.body && ReadableStream.from(abortAtEnd(response.body, ended));
      // The types of a stream in Node.js and in a browser differ.
      return new HTTPResponse(chunks as unknown as Response['body'], {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...controlHeaders, 'Request-Id': requestId },
      });
    }),
  );
}
