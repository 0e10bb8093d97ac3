import { describe, expect, it } from 'vitest';
import type { IdKind } from '../../../src/domain/ids.ts';
import {
  authenticate,
  createApiKey,
  createNotFoundError,
  RateLimiter,
  requireScope,
  resolveWorkspace,
} from '../../../src/emulator/service/access.ts';
import type { Rules } from '../../../src/profile/rules.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { createCaller, openSandbox } from './open-sandbox.ts';

const createdAt = createTestWallClock().now();

function openKeys() {
  const { sandbox, addWorkspace } = openSandbox();
  const workspaces = ['First', 'Second'].map((name) => addWorkspace(name));
  const [workspace = null, other] = workspaces;
  const scopes = ['events:read'] as const;
  const [bound, global] = sandbox.store.writeNow(
    () =>
      [
        createApiKey(sandbox, { scopes, workspace }),
        createApiKey(sandbox, { name: 'Global', scopes, workspace: null, key: 'svc_test_given' }),
      ] as const,
  );
  return { sandbox, workspace, other, bound, global };
}

it('a key is for one workspace or for all, and its name is by default its end', () => {
  const { workspace, bound, global } = openKeys();
  expect(bound).toEqual({
    ...{
      id: bound.id,
      name: `…${bound.key.slice(-4)}`,
      scopes: ['events:read'],
      workspace_id: workspace?.id,
    },
    ...{ last4: bound.key.slice(-4), created_at: new Date(createdAt).toISOString(), revoked_at: null },
    key: expect.stringMatching(/^svc_test_\w{20,}$/),
  });
  expect(global).toMatchObject({
    name: 'Global',
    workspace_id: null,
    last4: 'iven',
    key: 'svc_test_given',
  });
});

describe('authenticate', () => {
  it.each(['Bearer KEY', 'bearer   KEY', 'BEARER KEY  '])('the header %j is accepted [§5.1]', (form) => {
    const { sandbox, workspace, bound } = openKeys();
    expect(authenticate(sandbox, form.replace('KEY', bound.key))).toEqual({
      keySeq: expect.any(Number),
      keyId: bound.id,
      workspaceSeq: workspace?.seq,
      scopes: ['events:read'],
    });
  });

  it.each([
    [null, 'no Authorization header'],
    ['', 'does not have the form'],
    ['svc_test_given', 'does not have the form'],
    ['xBearer svc_test_given', 'does not have the form'],
    ['Bearer svc_test_given x', 'does not have the form'],
    ['Basic svc_test_given', 'does not have the form'],
    ['Bearer', 'does not have the form'],
    ['Bearer other', 'neither svc_test_ nor svc_live_'],
    ['Bearer svc_live_given', 'is for the production environment, but this emulator runs as sandbox'],
    ['Bearer svc_test_other', 'does not exist'],
  ])(
    'the header %j is refused with a message that contains %j [§5.1, §5.2, §7.401, key.environment]',
    (header, message) => {
      const { sandbox } = openKeys();
      expect(() => authenticate(sandbox, header)).toThrow(
        expect.objectContaining({
          code: 'unauthenticated',
          message: expect.stringContaining(message),
          headers: { 'WWW-Authenticate': 'Bearer' },
        }),
      );
    },
  );

  it('a revoked key is refused', () => {
    const { sandbox, bound, global } = openKeys();
    const { seq = 0 } = sandbox.store.apiKeys.find(bound.id) ?? {};
    sandbox.store.writeNow(() => sandbox.store.apiKeys.revoke(seq, createdAt));
    const revoked = expect.objectContaining({
      code: 'unauthenticated',
      message: 'The API key has been revoked.',
    });
    expect(() => authenticate(sandbox, `Bearer ${bound.key}`)).toThrow(revoked);
    expect(authenticate(sandbox, `Bearer ${global.key}`).workspaceSeq).toBeNull();
  });
});

describe('requireScope', () => {
  it.each([
    ['required', ['events:read'], 'events:read', true],
    ['required', [], 'events:read', false],
    ['not_required', [], 'events:read', true],
    ['not_required', [], 'events:write', false],
    ['not_required', ['events:read'], 'events:write', false],
    ['required', ['events:write'], 'events:write', true],
  ] as const)(
    'with read scopes %s, a key with the scopes %j has %s: %s [§5.4, key.scopes]',
    (readScopes, scopes, scope, isAllowed) => {
      const check = () => requireScope({ rules: { readScopes } as Rules }, createCaller(null, scopes), scope);
      if (isAllowed) expect(check()).toBeUndefined();
      else
        expect(check).toThrow(
          expect.objectContaining({
            code: 'permission_denied',
            message: `The API key lacks the scope ${scope}.`,
          }),
        );
    },
  );
});

describe('resolveWorkspace', () => {
  const ifMissing = { field: 'workspace_id', code: 'validation_failed' } as const;

  it('a request uses the workspace that it names, or that of its key', () => {
    const { sandbox, workspace, other } = openKeys();
    const resolve = (keyWorkspace: typeof workspace, id?: string) =>
      resolveWorkspace(sandbox, createCaller(keyWorkspace), id, ifMissing);
    expect(resolve(workspace)).toBe(workspace);
    expect(resolve(workspace, workspace?.id)).toBe(workspace);
    expect(resolve(null, other?.id)).toBe(other);
  });
});

it.each<[IdKind, string, string, string]>([
  ['event', 'evt_x', 'Event evt_x does not exist.', 'svc events list'],
  ['apiKey', 'key_x', 'API key key_x does not exist.', 'svc keys list'],
  ['event', 'wh_x', 'wh_x is an endpoint ID; event IDs start with evt_.', 'svc events list'],
])('the error for the %s %s is %j with a command that lists them', (kind, id, message, hint) => {
  const error = createNotFoundError(kind, id);
  expect(error).toMatchObject({ code: 'not_found', message });
  expect(error.hint?.command).toBe(hint);
});

it('each key has its own tokens, which are refilled with time and by a reset [rate.limit, rate.headers]', () => {
  const wall = createTestWallClock();
  const limiter = new RateLimiter({ perSecond: 2, burst: 3 }, wall);
  const policy = { 'RateLimit-Policy': '"api-key";q=3;w=2' };
  const remaining = (r: number, t: number) => ({ ...policy, RateLimit: `"api-key";r=${r};t=${t}` });
  expect([limiter.take(1), limiter.take(1), limiter.take(1)]).toEqual([
    ...[remaining(2, 1), remaining(1, 1), remaining(0, 2)],
  ]);
  expect(() => limiter.take(1)).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      message: 'The API key is limited to 2 requests per second.',
      headers: { ...remaining(0, 2), 'Retry-After': '1' },
    }),
  );
  expect(limiter.take(2)).toEqual(remaining(2, 1));
  wall.advance(499);
  expect(() => limiter.take(1)).toThrow(
    expect.objectContaining({ headers: expect.objectContaining(remaining(0, 2)) }),
  );
  wall.advance(1);
  expect(limiter.take(1)).toEqual(remaining(0, 2));
  limiter.reset();
  expect(limiter.take(1)).toEqual(remaining(2, 1));
});
