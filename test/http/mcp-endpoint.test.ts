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

it('at most 64 requests to /_svc/mcp run at the same time, and one whose response was read makes room', async () => {
  const send = mount();
  const responses = await Promise.all(Array.from({ length: 64 }, () => send('tools/list')));
  expect(responses.map(({ status }) => status)).toEqual(Array(64).fill(200));
  const refused = await send('tools/list');
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    429,
    '1',
    { error: { code: 'rate_limited', message: 'At most 64 MCP requests can run at the same time.' } },
  ]);
  await responses[0]?.text();
  const [admitted, tooMany] = [await send('tools/list'), await send('tools/list')];
  expect([admitted.status, tooMany.status]).toEqual([200, 429]);
});

it('a request to /_svc/mcp removes its listener from the signal of the emulator when its response was read', async () => {
  const closing = new AbortController().signal;
  const send = mount(closing);
  const response = await send('tools/list');
  expect(getEventListeners(closing, 'abort')).toHaveLength(1);
  expect(await response.text()).toContain('"name":"status"');
  expect(getEventListeners(closing, 'abort')).toEqual([]);
});
