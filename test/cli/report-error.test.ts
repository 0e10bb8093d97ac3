import { createServer, type RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { explainApiError, findHint } from '../../src/cli/report-error.ts';
import { createApiClient } from '../../src/client/api-client.ts';
import { SvcError } from '../../src/domain/errors.ts';
import { ApiRequest } from '../../src/resources/request.ts';
import { createExample } from '../support/create-example.ts';
import { listenDuringTest } from '../support/local-server.ts';

const HINT = { text: 'List the faults', command: 'svc faults list' };
const fault: NonNullable<ApiRequest['fault']> = { id: 'flt_1', kind: 'status' };

/** The error of a request, given the response of the API and the newest entry of the request log. */
async function failWith(respond: RequestListener, newest: Partial<ApiRequest> | null): Promise<unknown> {
  const server = createServer(respond);
  const port = await listenDuringTest(server);
  const data = newest === null ? [] : [{ ...createExample(ApiRequest), ...newest }];
  const control = {
    listRequests: async () => ({ data, has_more: false, end_cursor: null }),
  };
  const client = createApiClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'k',
    explainError: (error) => explainApiError(error, async () => control),
  });
  return client.getEvent('evt_1').catch((error: unknown) => error);
}

const drop: RequestListener = (request) => void request.socket.destroy();
const respond =
  (status: number, code: string, message = 'No.'): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify({ error: { code, message } }));

it('the error for a connection that a fault closed names the fault instead of a missing emulator', async () => {
  expect(await failWith(drop, { status: 0, fault: { id: 'flt_1', kind: 'drop-before' } })).toMatchObject({
    code: 'api_failure',
    exitCode: 1,
    message: 'The API closed the connection without a response because of the injected fault flt_1.',
    hint: HINT,
  });
});

it.each([
  [503, 'internal_error', 'api_failure'],
  [429, 'rate_limited', 'rate_limited'],
])('an injected %d response with %s is the error %s', async (status, code, expected) => {
  expect(await failWith(respond(status, code), { status, fault })).toMatchObject({
    code: expected,
    exitCode: 1,
    message: `The API responded with ${status} because of the injected fault flt_1.`,
    hint: HINT,
  });
});

it('the error for an event that does not exist says where to look', async () => {
  expect(await failWith(respond(404, 'not_found'), null)).toMatchObject({
    code: 'not_found',
    message: 'No.',
    hint: { text: 'List the events', command: 'svc events list' },
  });
  expect(await failWith(respond(404, 'not_found'), { status: 404, fault })).toMatchObject({ hint: HINT });
});

it('an error without an injected fault is unchanged', async () => {
  expect(await failWith(respond(404, 'not_found'), { status: 404 })).toMatchObject({
    code: 'not_found',
    message: 'No.',
  });
});

it('an error is unchanged when the control plane does not respond', async () => {
  const error = new Error('lost');
  const connect = () => Promise.reject(error);
  expect(await explainApiError(error, connect)).toBe(error);
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
