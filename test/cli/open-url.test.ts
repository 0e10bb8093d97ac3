import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOpener, openUrl } from '../../src/cli/open-url.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const url = 'http://127.0.0.1:4777/#/deliveries/del_1';

it.each<[NodeJS.Platform, Record<string, string>, readonly string[] | null]>([
  ['linux', { DISPLAY: ':0' }, ['xdg-open', url]],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open', url]],
  ['linux', {}, null],
  ['linux', { BROWSER: '' }, null],
  ['darwin', {}, ['open', url]],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', url]],
  ['linux', { BROWSER: 'w3m' }, ['w3m', url]],
  ['darwin', { BROWSER: 'firefox --new-tab %s:lynx' }, ['firefox', '--new-tab', url]],
])('the opener on %s with %o is %j', (platform, env, opener) => {
  expect(findOpener(url, env, platform)).toEqual(opener);
});

describe('openUrl', () => {
  it('openUrl runs the program in BROWSER with the URL', async () => {
    const folder = createTemporaryFolder();
    const script = join(folder, 'browser.cjs');
    writeFileSync(script, `require('node:fs').writeFileSync(process.argv[3], process.argv[2])`);
    const env = { BROWSER: `${process.execPath} ${script} %s ${join(folder, 'opened')}` };
    await expect(openUrl(url, { env })).resolves.toBe(true);
    expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe(url);
  });

  it.each([
    ['does not exist', { BROWSER: '/nowhere/browser' }],
    ['fails', { BROWSER: `${process.execPath} /nowhere/script.cjs` }],
  ])('openUrl returns false if the browser %s', async (_, env) => {
    await expect(openUrl(url, { env })).resolves.toBe(false);
  });
});
