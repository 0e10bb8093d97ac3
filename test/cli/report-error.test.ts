import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { findHint } from '../../src/cli/report-error.ts';
import { createApiClient } from '../../src/client/api-client.ts';
import { SvcError } from '../../src/domain/errors.ts';
import { listenDuringTest } from '../support/local-server.ts';

/** The error of a request, given the response of the API. */
async function failWith(status: number, code: string): Promise<unknown> {
  const server = createServer((_, response) =>
    response.writeHead(status).end(JSON.stringify({ error: { code, message: 'No.' } })),
  );
  const port = await listenDuringTest(server);
  const client = createApiClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'k' });
  return client.getEvent('evt_1').catch((error: unknown) => error);
}

it.each([
  [503, 'internal_error', { code: 'api_failure', exitCode: 1 }],
  [429, 'rate_limited', { code: 'rate_limited', exitCode: 1 }],
  [404, 'not_found', { code: 'not_found', hint: { text: 'List the events', command: 'svc events list' } }],
])('a %d response of the API with %s is an error with its message', async (status, code, expected) => {
  expect(await failWith(status, code)).toMatchObject({ message: 'No.', ...expected });
});

it.each([
  ['unauthenticated', undefined, 'eval "$(svc env)"'],
  ['no_emulator', undefined, 'svc emulator start'],
  ['no_emulator', { text: 'Check the emulator', command: 'svc emulator status' }, 'svc emulator status'],
  ['not_found', undefined, undefined],
  ['storage_unavailable', undefined, 'svc doctor'],
] as const)('the hint of the error %s with the own hint %j has the command %j', (code, hint, command) => {
  expect(findHint(new SvcError(code, 'No.', { hint }))?.command).toBe(command);
});
