import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/duration.ts';
import {
  Idempotency,
  type OperationResponse,
  parseIdempotencyKey,
} from '../../../src/emulator/service/idempotency.ts';
import type { LoadedWorkspace } from '../../../src/emulator/service/workspace-registry.ts';
import type { Overrides } from '../../../src/profile/resolve-rules.ts';
import { createCaller, openSandbox } from './open-sandbox.ts';

describe('parseIdempotencyKey', () => {
  it.each([
    ['a', 'a'],
    ['"a"', 'a'],
    ['!~', '!~'],
    ['"a"b', '"a"b'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('the header %j is the key %j [idempotency.scope]', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it('a request without the header has no key', () => {
    expect(parseIdempotencyKey(null)).toBeNull();
  });

  it.each(['', '""', ' ', 'a b', 'a, b', 'ü', 'a\n', '\u007f', 'x'.repeat(256)])(
    'the header %j is refused [idempotency.scope]',
    (header) => {
      expect(() => parseIdempotencyKey(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );
});

describe('Idempotency', () => {
  function open(overrides?: Overrides) {
    const { sandbox, addWorkspace } = openSandbox(overrides);
    const workspaces = ['First', 'Second'].map((name) => addWorkspace(name)) as [
      LoadedWorkspace,
      LoadedWorkspace,
    ];
    const idempotency = new Idempotency(sandbox);
    let executions = 0;
    const create = (): OperationResponse => {
      const id = `evt_${++executions}`;
      return { status: 201, text: `{"id":"${id}"}`, resourceId: id };
    };
    /** Sends a request, which creates an event unless a response is stored. */
    const send = (
      workspace: LoadedWorkspace,
      {
        key = 'key',
        body = 'body',
        path = '/v1/events',
        method = 'POST',
        keyId = 'key_1',
        operation = create,
      } = {},
    ) =>
      idempotency.run(
        { caller: { ...createCaller(null), keyId }, method, path, key, body: Buffer.from(body) },
        workspace,
        operation,
      );
    return { sandbox, workspaces, send, executions: () => executions };
  }

  it('a repeated request gets the stored response, and the operation runs once [idempotency.replay]', async () => {
    const { workspaces, send, executions } = open();
    const first = await send(workspaces[0]);
    expect(first).toEqual({ status: 201, text: '{"id":"evt_1"}', resourceId: 'evt_1' });
    expect(await send(workspaces[0])).toEqual({ ...first, isReplayed: true });
    expect(executions()).toBe(1);
  });

  it('the same key with another body is refused, and the first response stays stored [idempotency.conflict]', async () => {
    const { workspaces, send, executions } = open();
    await send(workspaces[0]);
    await expect(send(workspaces[0], { body: 'other' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await send(workspaces[0])).toMatchObject({ text: '{"id":"evt_1"}', isReplayed: true });
    expect(executions()).toBe(1);
  });

  it('a request while the first one is running is refused, however often [§4.3, idempotency.conflict]', async () => {
    const { workspaces, send, executions } = open();
    const [first, second, third, other] = await Promise.allSettled([
      send(workspaces[0]),
      send(workspaces[0]),
      send(workspaces[0]),
      send(workspaces[0], { key: 'other' }),
    ]);
    const refused = { code: 'idempotency_in_progress', headers: { 'Retry-After': '1' } };
    expect([second, third]).toMatchObject([{ reason: refused }, { reason: refused }]);
    expect([first, other]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(executions()).toBe(2);
    expect(await send(workspaces[0])).toMatchObject({ isReplayed: true });
  });

  it('an error is not stored, so the request can be repeated', async () => {
    const { workspaces, send } = open();
    const operation = vi.fn(() => {
      throw new Error('disk on fire');
    });
    await expect(send(workspaces[0], { operation })).rejects.toThrow('disk on fire');
    expect(await send(workspaces[0])).toEqual({ status: 201, text: '{"id":"evt_1"}', resourceId: 'evt_1' });
  });

  it.each([
    ['API key', { keyId: 'key_2' }],
    ['Idempotency-Key', { key: 'other' }],
    ['method', { method: 'PUT' }],
    ['path', { path: '/v1/webhooks' }],
  ])('a request with another %s is another request [idempotency.scope]', async (_, change) => {
    const { workspaces, send, executions } = open();
    await send(workspaces[0]);
    await send(workspaces[0], change);
    expect(executions()).toBe(2);
  });

  it('a key can be for all operations of an API key, and for another time [idempotency.scope]', async () => {
    const { sandbox, workspaces, send, executions } = open({
      'idempotency.scope': { unique_within: 'api_key', retention: '90s' },
    });
    await send(workspaces[0]);
    await send(workspaces[0], { path: '/v1/webhooks', method: 'PUT' });
    expect(executions()).toBe(1);
    await send(workspaces[0], { keyId: 'key_2' });
    expect(executions()).toBe(2);
    sandbox.wall.advance(90_000);
    await send(workspaces[0]);
    expect(executions()).toBe(3);
  });

  it('a response expires after 24 hours of its own workspace, whatever the clock of another [§4.3]', async () => {
    const { sandbox, workspaces, send, executions } = open();
    const [first, second] = workspaces;
    await send(first);
    const createdAt = first.clock.now();
    second.clock.moveTo(createdAt + 25 * HOUR_MS);
    // This deletes what has expired in the second workspace.
    await send(second, { key: 'second' });
    expect(await send(first)).toMatchObject({ isReplayed: true });
    // The response of the first workspace is repeated even if the key names the second one.
    expect(await send(second)).toMatchObject({ text: '{"id":"evt_1"}', isReplayed: true });
    expect(executions()).toBe(2);
    sandbox.wall.advance(DAY_MS - 1 - (first.clock.now() - createdAt));
    expect(await send(first)).toMatchObject({ isReplayed: true });
    sandbox.wall.advance(1);
    expect(await send(first)).toEqual({ status: 201, text: '{"id":"evt_3"}', resourceId: 'evt_3' });
    expect(await send(first)).toMatchObject({ text: '{"id":"evt_3"}', isReplayed: true });
  });
  it('a new response deletes those that have expired in its workspace', async () => {
    const { sandbox, workspaces, send } = open();
    const hashScope = (key: string) =>
      createHash('sha256').update(['key_1', key, 'POST', '/v1/events'].join('\n')).digest();
    const countStored = () =>
      ['first', 'other', 'new'].filter((key) => sandbox.store.idempotency.find(hashScope(key))).length;
    await send(workspaces[0], { key: 'first' });
    await send(workspaces[1], { key: 'other' });
    sandbox.wall.advance(DAY_MS);
    expect(countStored()).toBe(2);
    await send(workspaces[0], { key: 'new' });
    expect(countStored()).toBe(2);
    expect(sandbox.store.idempotency.find(hashScope('first'))).toBeUndefined();
  });
});
