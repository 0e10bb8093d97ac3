/** Serves MCP at `/_svc/mcp`, behind the guard of the control plane. */

import { RequestLimit } from '../control/request-limit.ts';
import type { InternalErrorLog } from '../errors.ts';
import type { ConnectedEmulator } from '../mcp/connected-emulator.ts';
import type { McpHttpHandler } from '../mcp/serve-http.ts';
import { abortAtEnd, createLinkedController } from '../timers.ts';
import { createDisconnectSignal } from './control-api.ts';
import type { ControlGuard } from './control-guard.ts';
import { CONTROL_BODY_LIMIT_BYTES, readBody } from './read-request.ts';
import { controlErrorResponse, controlHeaders, HttpResponse, withErrorBoundary } from './responses.ts';
import type { Router } from './router.ts';

/** Maximum number of requests at the same time. Each of them creates a server with all tools, which takes about 2 ms. */
const MAX_REQUESTS = 64;

interface McpEndpointOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly nextRequestId: () => string;
  readonly guard: ControlGuard;
  readonly emulator: ConnectedEmulator;
  readonly projectFolder: string;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function mountMcpEndpoint(app: Router, options: McpEndpointOptions): void {
  const { internalErrorLog, nextRequestId, guard, emulator, projectFolder, closing } = options;
  let handler: McpHttpHandler | undefined;
  const limit = new RequestLimit(MAX_REQUESTS, 'MCP requests');

  /** Loaded on first use, because most emulators serve no MCP client. */
  async function loadHandler(): Promise<McpHttpHandler> {
    const { createMcpHttpHandler } = await import('../mcp/serve-http.ts');
    handler ??= createMcpHttpHandler({ connect: async () => emulator, projectFolder, internalErrorLog });
    return handler;
  }

  app.on(null, '/_svc/mcp', (incoming) =>
    withErrorBoundary(
      internalErrorLog,
      nextRequestId(),
      async (requestId) => {
        guard.assertAllowed(incoming);
        const { method, headers } = incoming;
        const body =
          method === 'POST' ? new Uint8Array(await readBody(incoming, CONTROL_BODY_LIMIT_BYTES)) : null;
        const { respond } = await loadHandler();
        const leave = limit.enter();
        const ended = createLinkedController([createDisconnectSignal(incoming), closing]);
        ended.signal.addEventListener('abort', leave, { once: true });
        if (ended.signal.aborted) leave();
        const init = { method, headers: [...headers] as [string, string][], body, signal: ended.signal };
        const request = new Request(incoming.url, init);
        const response = await respond(request).catch((error) => {
          ended.abort();
          throw error;
        });
        if (response.body === null) ended.abort();
        const { ReadableStream } = await import('node:stream/web');
        const chunks = response.body && ReadableStream.from(abortAtEnd(response.body, ended));
        // The types of a stream in Node.js and in a browser differ.
        return new HttpResponse(chunks as unknown as HttpResponse['body'], {
          status: response.status,
          headers: { ...Object.fromEntries(response.headers), ...controlHeaders, 'Request-Id': requestId },
        });
      },
      controlErrorResponse,
    ),
  );
}
