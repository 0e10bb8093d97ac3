import { describe, expect, it } from 'vitest';
import { tail as tailCommand } from '../../../src/cli/commands/logs.ts';
import type { ApiRequest } from '../../../src/contract/resources.ts';
import { createFakeContext, streamOf } from '../fake-context.ts';

const request: ApiRequest = {
  id: 'req_1',
  at: '2026-11-20T12:00:00.123Z',
  method: 'POST',
  path: '/v1/events',
  status: 403,
  error_code: 'permission_denied',
  duration_ms: 1.25,
  api_key_id: 'key_1',
  resource_id: null,
  workspace_id: 'ws_1',
};

async function tail(options: Parameters<typeof tailCommand.run>[0]) {
  const item = { type: 'request', sequence: 1, request };
  const { context, capturedOutput } = createFakeContext({ control: { stream: () => streamOf([item]) } });
  await tailCommand.run(options, context);
  return capturedOutput.out;
}

describe('svc logs tail', () => {
  it('a request is printed on one line', async () => {
    await expect(tail({})).resolves.toBe(
      '12:00:00.123  POST  403  1.3ms  req_1  permission_denied  /v1/events\n',
    );
  });

  it.each([
    [{ method: 'POST', path: '/v1', status: 403, key: 'key_1', request: 'req_1', workspace: 'ws_1' }, true],
    [{ method: 'GET' }, false],
    [{ path: '/v1/webhooks' }, false],
    [{ status: 404 }, false],
    [{ status: '4xx' as const }, true],
    [{ status: '5xx' as const }, false],
    [{ key: 'key_2' }, false],
    [{ request: 'req_2' }, false],
    [{ workspace: 'ws_2' }, false],
    [{ slowerThan: 1.2 }, true],
    [{ slowerThan: 1.4 }, false],
  ])('a request matches the filter %j: %s', async (options, shown) => {
    expect((await tail(options)) !== '').toBe(shown);
  });
});
