import { getEventListeners } from 'node:events';
import { H3 } from 'h3';
import { expect, it } from 'vitest';
import { mountMcpEndpoint } from '../../src/http/mcp-endpoint.ts';
import type { ConnectedEmulator } from '../../src/mcp/connected-emulator.ts';

it('a request to /_svc/mcp removes its listener from the signal of the emulator when its response was read', async () => {
  const app = new H3();
  const closing = new AbortController().signal;
  mountMcpEndpoint(app, {
    closing,
    guard: { assertAllowed: () => {}, assertCanOpenPage: () => {} },
    internalErrorLog: { report: (_, error) => expect.unreachable(String(error)) },
    nextRequestId: () => 'req_1',
    // The list of tools needs none.
    emulator: {} as ConnectedEmulator,
    projectFolder: '.',
  });
  const send = (method: string) =>
    app.request('/_svc/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    });
  const response = await send('tools/list');
  expect(getEventListeners(closing, 'abort')).toHaveLength(1);
  expect(await response.text()).toContain('"name":"status"');
  expect(getEventListeners(closing, 'abort')).toEqual([]);
});
