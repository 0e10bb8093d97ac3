/** Serves MCP at `/_svc/mcp`, behind the guard of the control plane. */
import { type H3, HTTPResponse } from 'h3';
import type { InternalErrorLog } from '../errors.ts';
import type { ConnectedEmulator } from '../mcp/connected-emulator.ts';
import type { McpHttpHandler } from '../mcp/serve-http.ts';
import { createDisconnectSignal } from './control-api.ts';
import type { ControlGuard } from './control-guard.ts';
import { CONTROL_BODY_LIMIT_BYTES, readBody } from './read-request.ts';
import { controlErrorResponse, controlHeaders, withErrorBoundary } from './responses.ts';

interface McpEndpointOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly nextRequestId: () => string;
  readonly guard: ControlGuard;
  readonly emulator: ConnectedEmulator;
  readonly projectFolder: string;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function mountMcpEndpoint(app: H3, options: McpEndpointOptions): void {
  const { internalErrorLog, nextRequestId, guard, emulator, projectFolder, closing } = options;
  let handler: McpHttpHandler | undefined;

  /** Loaded on first use, because most emulators serve no MCP client. */
  async function loadHandler(): Promise<McpHttpHandler> {
    const { createMcpHttpHandler } = await import('../mcp/serve-http.ts');
    handler ??= createMcpHttpHandler({ connect: async () => emulator, projectFolder, internalErrorLog });
    return handler;
  }

  app.all('/_svc/mcp', (event) =>
    withErrorBoundary(
      internalErrorLog,
      nextRequestId(),
      async (requestId) => {
        guard.assertAllowed(event);
        const { method, headers } = event.req;
        const body =
          method === 'POST' ? new Uint8Array(await readBody(event, CONTROL_BODY_LIMIT_BYTES)) : null;
        const signal = AbortSignal.any([createDisconnectSignal(event), closing]);
        const { respond } = await loadHandler();
        const response = await respond(new Request(event.url, { method, headers, body, signal }));
        return new HTTPResponse(response.body, {
          status: response.status,
          headers: { ...Object.fromEntries(response.headers), ...controlHeaders, 'Request-Id': requestId },
        });
      },
      controlErrorResponse,
    ),
  );
}
