/** The token of the control plane and the dashboard when other machines can reach the emulator. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { sendRequest } from '../support/raw-request.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const TOKEN = 'a-token.of_mine~0123';

const dashboardFolder = createTemporaryFolder({ onTestFinished: afterAll });
let emulator: TestEmulator;
let url: string;
let port: string;
beforeAll(async () => {
  mkdirSync(join(dashboardFolder, 'assets'));
  writeFileSync(join(dashboardFolder, 'index.html'), 'the page');
  writeFileSync(join(dashboardFolder, 'assets/index-a1b2.js'), 'the script');
  emulator = await startTestEmulator({ host: '0.0.0.0', controlToken: TOKEN, dashboardFolder });
  ({ port } = new URL(emulator.status().url));
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => emulator.close());

const ask = (path: string, headers?: Record<string, string>, method?: string) =>
  sendRequest(url + path, headers, method);

const guarded = [
  ...['/', '/assets/index-a1b2.js', '/assets/nothing.js', '/_svc', '/_svc/status', '/_svc/stream'],
  ...['/_svc/openapi.json', '/_svc/nothing', '/openapi.json'],
];
const bearer = { authorization: `Bearer ${TOKEN}` };

describe('a request without the token', () => {
  it.each(guarded)('GET %s without the token returns 401 [control.token]', async (path) => {
    const { status, headers, text } = await ask(path);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="svc control plane"');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(emulator.status().api_key);
    expect(text).not.toContain('the page');
  });

  it('the error of the control plane says where to find the token', async () => {
    expect(JSON.parse((await ask('/_svc/status')).text)).toEqual({
      error: {
        code: 'token_required',
        message: '/_svc/status requires a token.',
        request_id: expect.stringMatching(/^req_/),
        hint: { text: expect.stringMatching(/printed when it started.*SVC_CONTROL_TOKEN/) },
      },
    });
  });

  it('GET / without the token returns a page that says where to find it', async () => {
    const { headers, text } = await ask('/');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(text).toContain('printed when it started');
  });

  it.each<[string, Record<string, string>]>([
    ['with another value', { authorization: `Bearer ${TOKEN}x` }],
    ['that is cut off', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['in another case', { authorization: `Bearer ${TOKEN.toUpperCase()}` }],
    ['that is empty', { authorization: 'Bearer ' }],
    ['of another scheme', { authorization: `Basic ${TOKEN}` }],
    ['in a cookie of another emulator', { cookie: `svc_token_1=${TOKEN}` }],
    ['in a cookie whose name only ends the same', { cookie: `x_svc_token_1=${TOKEN}` }],
  ])('every path returns 401 to a token %s', async (_, headers) => {
    for (const path of guarded) expect((await ask(path, headers)).status, path).toBe(401);
  });

  it('an API key is not a token, and only the page accepts a token in its query [control.api-key]', async () => {
    const { api_key } = emulator.status();
    expect((await ask('/_svc/status', { authorization: `Bearer ${api_key}` })).status).toBe(401);
    expect((await ask(`/_svc/status?token=${TOKEN}`)).status).toBe(401);
    expect((await ask(`/assets/index-a1b2.js?token=${TOKEN}`)).status).toBe(401);
  });

  it('the API responds to its keys without the token, and so does /healthz', async () => {
    const { api_key } = emulator.status();
    expect((await ask('/v1/events', { authorization: `Bearer ${api_key}` })).status).toBe(200);
    expect((await ask('/v1/events', bearer)).status).toBe(401);
    expect((await ask('/healthz')).status).toBe(200);
  });
});

describe('a request with the token', () => {
  it.each([
    ['/', 200],
    ['/assets/index-a1b2.js', 200],
    ['/_svc/status', 200],
    ['/_svc/stream', 200],
    ['/_svc/openapi.json', 200],
    ['/_svc/nothing', 404],
  ])('%s responds with %i to programs and to browsers', async (path, status) => {
    expect((await ask(path, bearer)).status).toBe(status);
    expect((await ask(path, { authorization: `bearer  ${TOKEN}` })).status).toBe(status);
    expect((await ask(path, { cookie: `a=b; svc_token_${port}=${TOKEN}; c=d` })).status).toBe(status);
  });

  it('the page moves the token of its link to a cookie that scripts cannot read [control.cookie]', async () => {
    const link = new URL(emulator.status().dashboard_url);
    expect(link.search).toBe(`?token=${TOKEN}`);
    const { status, headers, text } = await ask(link.pathname + link.search);
    expect([status, headers.location, text]).toEqual([303, './', '']);
    const shared = await ask(`/?ws=ws_1&token=${TOKEN}`);
    expect(shared.headers.location).toBe('./?ws=ws_1');
    expect(headers['set-cookie']).toEqual([`svc_token_${port}=${TOKEN}; HttpOnly; SameSite=Lax; Path=/`]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const [cookie = ''] = (headers['set-cookie']?.[0] ?? '').split(';');
    expect(await ask('/', { cookie })).toMatchObject({ status: 200, text: 'the page' });
  });

  it('a request of another origin or with a foreign host gets 403, even with the token', async () => {
    const foreign = { ...bearer, origin: 'http://evil.example' };
    expect((await ask('/_svc/status', foreign)).status).toBe(403);
    expect((await ask('/_svc/status', { ...bearer, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask(`/?token=${TOKEN}`, { host: `evil.example:${port}` })).status).toBe(403);
  });
});

describe('token requirement', () => {
  const local = { host: '127.0.0.1', publicUrl: null };

  it.each([
    ['on the loopback address', local, false],
    ['on every address', { ...local, host: '0.0.0.0' }, true],
    ['at a public name', { ...local, publicUrl: 'https://svc.example.com' }, true],
    ['with a configured token', { ...local, controlToken: TOKEN }, true],
  ])('an emulator %s (%j) requires a token: %s [control.token]', async (_, options, isAsked) => {
    await using started = await startTestEmulator(options);
    const { url, control_token, control_url, dashboard_url } = started.status();
    expect(control_token !== undefined).toBe(isAsked);
    expect(new URL(dashboard_url).searchParams.get('token')).toBe(control_token ?? null);
    expect((await fetch(`${url}/_svc/status`)).status, control_url).toBe(isAsked ? 401 : 200);
  });

  it('the token differs in every run, even with the same seed [control.random-token]', async () => {
    const tokens = new Set<string | undefined>();
    for (let run = 0; run < 3; run++) {
      await using started = await startTestEmulator({ host: '0.0.0.0', randomSeed: 7 });
      tokens.add(started.status().control_token);
      expect(started.status().control_token).toMatch(/^[\w-]{32}$/);
    }
    expect(tokens.size).toBe(3);
  });

  it.each(['short', 'with spaces in it, 16 of', 'semicolon;0123456789', 'ümlaut-0123456789'])(
    'the configured token %j is rejected, because a cookie cannot carry it or it can be guessed [control.weak-token]',
    (controlToken) => {
      expect(v.is(settings.controlToken.schema, controlToken)).toBe(false);
    },
  );
});
