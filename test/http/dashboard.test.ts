import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRawRequest, sendRequest } from '../support/raw-request.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const PAGE = '<!doctype html><script type="module" src="/assets/index-a1b2.js"></script>';
const SCRIPT = `document.title = ${JSON.stringify('x'.repeat(2_000))};`;
const SECRET = 'not to be served';

const folder = createTemporaryFolder({ onTestFinished: afterAll });
let emulator: TestEmulator;
beforeAll(async () => {
  const built = join(folder, 'dashboard');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), PAGE);
  writeFileSync(join(built, 'assets/index-a1b2.js'), SCRIPT);
  writeFileSync(join(built, 'assets/icon-c3d4.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(built, 'assets/data-e5f6.bin'), SECRET.slice(0, 3));
  for (const place of [folder, built]) writeFileSync(join(place, 'secret.txt'), SECRET);
  emulator = await startTestEmulator({ dashboardFolder: built });
});
afterAll(() => emulator.close());

const ask = (path: string, headers?: Record<string, string>, method?: string) =>
  sendRequest(emulator.status().url + path, headers, method);

describe('the page', () => {
  it('the page is served at / and is revalidated each time', async () => {
    const { status, headers, body } = await ask('/');
    expect([status, body.toString()]).toEqual([200, PAGE]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(PAGE.length),
      'cache-control': 'no-cache',
      'request-id': expect.stringMatching(/^req_/),
    });
  });

  it('the page can only run its own files, and cannot be embedded [dashboard.content-policy]', async () => {
    const { headers } = await ask('/');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'] as string;
    expect(policy.split('; ')).toEqual([
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"],
      ...["connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"],
      "require-trusted-types-for 'script'",
    ]);
  });

  it('the page can be opened by a link on another site, but no other path can', async () => {
    const foreign = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask('/', foreign)).status).toBe(200);
    expect((await ask('/', { origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask('/assets/index-a1b2.js', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('GET / with a foreign Host returns 403 and a page that names the host', async () => {
    const { status, headers, body } = await ask('/', { host: 'evil.example' });
    expect([status, headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(body.toString()).toContain('evil.example');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect((await ask('/assets/index-a1b2.js', { host: 'evil.example' })).status).toBe(403);
  });

  it('the page says how to build the dashboard if it has not been built', async () => {
    const later = join(folder, 'later');
    await using unbuilt = await startTestEmulator({ dashboardFolder: later });
    const before = await fetch(unbuilt.status().url);
    expect([before.status, await before.text()]).toEqual([404, expect.stringContaining('npm run build')]);
    mkdirSync(later);
    writeFileSync(join(later, 'index.html'), PAGE);
    expect((await fetch(unbuilt.status().url)).status).toBe(200);
  });
});

describe('files of the page', () => {
  it.each([
    ['index-a1b2.js', 'text/javascript; charset=utf-8'],
    ['icon-c3d4.svg', 'image/svg+xml'],
    ['data-e5f6.bin', 'application/octet-stream'],
  ])('the asset %s is served as %s and cached forever', async (name, type) => {
    const { status, headers } = await ask(`/assets/${name}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('an asset is sent as it was built', async () => {
    expect((await ask('/assets/index-a1b2.js')).body.toString()).toBe(SCRIPT);
  });

  it.each(['/', '/assets/index-a1b2.js'])(
    'HEAD %s returns the headers of GET without the body',
    async (path) => {
      const [whole, head] = [await ask(path), await ask(path, {}, 'HEAD')];
      const { 'request-id': _, date: __, ...stableHeaders } = head.headers;
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(whole.headers).toMatchObject(stableHeaders);
      expect(stableHeaders['content-length']).toBe(String(whole.body.length));
    },
  );
});

it.each([
  '/assets/../secret.txt',
  '/assets/../../secret.txt',
  '/assets/%2e%2e/secret.txt',
  '/assets/%2E%2E%2Fsecret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%252e%252e%252fsecret.txt',
  '/assets/..\\..\\secret.txt',
  '/assets/..%5c..%5csecret.txt',
  '/assets/index-a1b2.js%00.txt',
  '/assets/....//secret.txt',
  '/assets//etc/passwd',
  '/assets/%2fetc%2fpasswd',
  '/../secret.txt',
  '//secret.txt',
  '/secret.txt',
  '/index.html',
  '/assets',
  '/assets/',
  '/assets/.',
  '/assets/__proto__',
  '/assets/constructor',
  'http://localhost/assets/../../secret.txt',
  'file:///etc/passwd',
])('GET %j does not read a file outside of the dashboard [dashboard.files]', async (path) => {
  const response = await sendRawRequest(
    emulator.status().url,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  expect(response).toMatch(/^HTTP\/1\.1 (?:404|400|403) /);
  expect(response).not.toContain(SECRET);
  expect(response.toLowerCase()).toContain('x-content-type-options: nosniff');
});

it('the files are read once, and served while they are replaced', async () => {
  const changing = join(folder, 'changing');
  mkdirSync(changing);
  writeFileSync(join(changing, 'index.html'), 'first');
  await using serving = await startTestEmulator({ dashboardFolder: changing });
  const read = async () => (await fetch(serving.status().url)).text();
  expect(await read()).toBe('first');
  writeFileSync(join(changing, 'index.html'), 'second');
  expect(await read()).toBe('first');
});
