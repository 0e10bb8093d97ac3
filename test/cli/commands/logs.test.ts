import { describe, expect, it, vi } from 'vitest';
import { command as logs, tail as tailCommand } from '../../../src/cli/commands/logs.ts';
import type { ApiRequest, ApiRequestDetail } from '../../../src/resources/request.ts';
import { createFakeContext, streamOf } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';

const request: ApiRequest = {
  id: 'req_1',
  at: '2026-11-20T12:00:00.123Z',
  method: 'POST',
  path: '/v1/events',
  status: 403,
  error_code: 'permission_denied',
  error_message: 'The API key lacks the scope events:write.',
  duration_ms: 1.25,
  api_key_id: 'key_1',
  api_key_name: 'Checkout',
  resource_id: null,
  workspace_id: 'ws_1',
  user_agent: 'curl/8.14.1',
  fault: { id: 'flt_1', kind: 'status' },
};

async function tail(options: Parameters<typeof tailCommand.run>[0]) {
  const item = { type: 'request', sequence: 1, request };
  const stream = vi.fn(() => streamOf([item]));
  const { context, capturedOutput } = createFakeContext({ control: { stream } });
  await tailCommand.run(options, context);
  return { out: capturedOutput.out, input: stream.mock.calls[0]?.at(0) };
}

describe('svc logs tail', () => {
  it('a request is printed on one line', async () => {
    const { out } = await tail({});
    expect(out).toBe('12:00:00.123Z  POST  403  1.3ms  req_1  permission_denied  fault status  /v1/events\n');
  });

  it('the emulator gets the filter, with a key by its ID or its name', async () => {
    const filter = { method: 'POST', status: '4xx', min_duration_ms: 100, since: '1h' } as const;
    expect((await tail({ ...filter, key: 'key_1' })).input).toEqual({
      ...{ types: 'request', ...filter, api_key_id: 'key_1' },
    });
    expect((await tail({ key: 'Checkout' })).input).toEqual({ types: 'request', api_key_name: 'Checkout' });
  });
});

const detail: ApiRequestDetail = {
  ...request,
  request: {
    headers: {
      authorization: 'Bearer svc_test_…9fQx',
      'content-type': 'application/json',
      cookie: '[removed]',
    },
    body: '{"type":"it\'s.new"}',
    encoding: 'utf8',
    size_bytes: 19,
    truncated: false,
  },
  response: {
    headers: { 'request-id': 'req_1' },
    body: '{"error":{}}',
    encoding: 'utf8',
    size_bytes: 70_000,
    truncated: true,
  },
};

describe('svc logs get', () => {
  it('a request is printed with its error, its client, and the headers and bodies', async () => {
    const { context, capturedOutput } = createFakeContext({ control: { getRequest: async () => detail } });
    await logs.commands.get.run({ id: 'req_1' }, context);
    await expectGolden('logs-get', { 'logs get': capturedOutput.out });
  });

  it.each([
    ['(the body was not read)', { 'content-length': '12' }],
    ['(the body was not read)', { 'transfer-encoding': 'chunked' }],
    ['(no body)', { 'content-length': '0' }],
    ['(no body)', {}],
  ])('svc logs get shows %s for a request with no stored body and the headers %j', async (note, headers) => {
    const message = { ...detail.request, headers, body: null } as ApiRequestDetail['request'];
    const getRequest = async () => ({ ...detail, request: message, response: null });
    const { context, capturedOutput } = createFakeContext({ control: { getRequest } });
    await logs.commands.get.run({ id: 'req_1' }, context);
    expect(capturedOutput.out).toContain(note);
    expect(capturedOutput.out).not.toContain('Response');
  });

  it('--curl says why the command does not send the same request', async () => {
    const { context, capturedOutput } = createFakeContext({
      control: {
        getRequest: async () => ({ ...detail, request: { ...detail.request, truncated: true } }),
        getStatus: async () => ({ url: 'http://127.0.0.1:4777' }) as never,
      },
    });
    await logs.commands.get.run({ id: 'req_1', curl: true }, context);
    expect(capturedOutput.err).toBe(
      'The command does not send the same request, because only a part of it is stored.\n',
    );
  });
});
