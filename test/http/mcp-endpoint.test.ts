import { getEventListeners } from 'node:events';
import { H3 } from 'h3';
import { expect, it } from 'vitest';
import { mountMcpEndpoint } from '../../src/http/mcp-endpoint.ts';
import { controlErrorResponse, withErrorBoundary } from '../../src/http/responses.ts';
import type { ConnectedEmulator } from '../../src/mcp/connected-emulator.ts';
import { createLinkedController } from '../../src/platform/abort-signals.ts';

const internalErrorLog = {
  report: (_: string, error: unknown) => expect.unreachable(String(error)),
};

// Like that of the emulator, the signal has any number of listeners.
function mount(closing = createLinkedController([]).signal) {
  const app = new H3();
  mountMcpEndpoint(app, {
    closing,
    serveAllowed: (_, respond) => withErrorBoundary(internalErrorLog, 'req_1', respond, controlErrorResponse),
    internalErrorLog,
    // The list of tools needs none.
    emulator: {} as ConnectedEmulator,
    projectFolder: '.',
  });
  return (method: string) =>
    app.request('/_svc/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    });
}

it('a request to /_svc/mcp removes its listener from the signal of the emulator when its response was read', async () => {
  const closing = new AbortController().signal;
  const send = mount(closing);
  const response = await send('tools/list');
  expect(getEventListeners(closing, 'abort')).toHaveLength(1);
  expect(await response.text()).toContain('"name":"status"');
  expect(getEventListeners(closing, 'abort')).toEqual([]);
});
