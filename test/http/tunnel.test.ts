import { getEventListeners } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTunnel } from '../../src/http/tunnel.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { isRunning } from '../support/is-running.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

const onEnd = vi.fn();
let folder: string;

beforeEach(() => {
  folder = createTemporaryFolder();
  onEnd.mockClear();
  vi.stubEnv('PATH', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Output of cloudflared, copied from its log. */
const LOG = `
2026-11-20T09:56:33Z INF Thank you for trying Cloudflare Tunnel.
2026-11-20T09:56:33Z INF Requesting new quick Tunnel on trycloudflare.com...
2026-11-20T09:56:36Z INF +------------------------------------------------------------+
2026-11-20T09:56:36Z INF |  Your quick Tunnel has been created! Visit it at:          |
2026-11-20T09:56:36Z INF |  https://four-plain-words.trycloudflare.com               |
2026-11-20T09:56:36Z INF +------------------------------------------------------------+
2026-11-20T09:56:37Z INF Registered tunnel connection connIndex=0 location=ams01 protocol=quic
`;

/** Puts a program with the name cloudflared on the PATH. It writes its arguments to a file. */
function install(script: string): string {
  const path = join(folder, 'cloudflared');
  const argumentsFile = join(folder, 'arguments.json');
  writeFileSync(
    path,
    `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(argumentsFile)}, JSON.stringify(process.argv.slice(2)));
${script}`,
  );
  chmodSync(path, 0o755);
  return argumentsFile;
}

/** Ends by itself, in case a failed test does not end it. */
const stay = `process.stderr.write(${JSON.stringify(LOG)}); setTimeout(() => {}, 60_000);`;

describe.skipIf(process.platform === 'win32')('a tunnel', () => {
  it('a tunnel is open when it forwards requests, and ends with the emulator', async () => {
    const argumentsFile = install(stay);
    const emulator = await startTestEmulator({ tunnel: true });
    const { url, base_url, control_url } = emulator.status();
    expect({ base_url, control_url }).toEqual({
      base_url: 'https://four-plain-words.trycloudflare.com/v1',
      control_url: `${url}/_svc`,
    });
    const { default: args } = await import(argumentsFile, { with: { type: 'json' } });
    expect(args.slice(0, 3)).toEqual(['tunnel', '--url', url]);
    await emulator.close();
  });

  it('a tunnel needs an installed program, and a start without it leaves no database', async () => {
    const db = join(folder, 'sandbox.db');
    const forwardTo = { url: 'http://127.0.0.1:3000', events: ['*'] };
    await expect(startTestEmulator({ tunnel: true, db, forwardTo })).rejects.toMatchObject({
      code: 'no_tunnel',
      message: 'A tunnel needs the program cloudflared, which is not on the PATH.',
      hint: { text: expect.stringMatching(/Install it .*--public-url/) },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('an emulator that cannot start closes its tunnel', async () => {
    const pidFile = join(folder, 'pid');
    install(`require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${stay}`);
    await expect(startTestEmulator({ tunnel: true, db: folder })).rejects.toMatchObject({
      code: 'database_unusable',
    });
    expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('an unexpected end of the tunnel is reported, and a close is not', async () => {
    install(stay);
    const closed = await openTunnel('http://127.0.0.1:1', onEnd);
    await closed.close();
    expect(onEnd).not.toHaveBeenCalled();

    install(`process.stderr.write(${JSON.stringify(LOG)}); process.exitCode = 1;`);
    const ending = await openTunnel('http://127.0.0.1:1', onEnd);
    const message = 'cloudflared exited with code 1, so the tunnel is closed.';
    await expect
      .poll(() => onEnd.mock.calls)
      .toEqual([[expect.objectContaining({ code: 'no_tunnel', message })]]);
    await ending.close();
  });

  /** Opens a tunnel to a port on which nothing listens. */
  const open = () => openTunnel('http://127.0.0.1:1', onEnd);

  it('a tunnel that was killed is reported with the signal', async () => {
    install(`process.stderr.write(${JSON.stringify(LOG)}, () => process.kill(process.pid, 'SIGKILL'));`);
    const tunnel = await open();
    const message = 'cloudflared was terminated by SIGKILL, so the tunnel is closed.';
    await expect.poll(() => onEnd.mock.calls).toEqual([[expect.objectContaining({ message })]]);
    await tunnel.close();
  });

  it('an open tunnel has no timer and no abort listener, and closing it ends cloudflared and leaves no timer', async () => {
    const pidFile = join(folder, 'pid');
    install(`require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${stay}`);
    useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { signal } = new AbortController();
    const tunnel = await openTunnel('http://127.0.0.1:1', onEnd, signal);
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []]);
    await tunnel.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('an interruption ends a start that waits for its tunnel, and ends cloudflared', async () => {
    const pidFile = join(folder, 'pid');
    install(`require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      setInterval(() => {}, 1000);`);
    const interruption = new AbortController();
    const { signal } = interruption;
    const start = expect(startTestEmulator({ tunnel: true, signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
    const readPid = () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8'));
    const pid = Number(await vi.waitUntil(readPid));
    interruption.abort();
    await start;
    expect(isRunning(pid)).toBe(false);
    await expect(openTunnel('http://127.0.0.1:1', onEnd, signal)).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('a tunnel that does not open in 20 seconds fails', async () => {
    const argumentsFile = install('setInterval(() => {}, 1000);');
    useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opening = expect(open()).rejects.toMatchObject({
      message: 'cloudflared could not open a tunnel within 20 seconds: it printed nothing.',
    });
    await vi.waitUntil(() => existsSync(argumentsFile));
    await vi.advanceTimersByTimeAsync(20_000);
    await opening;
  });

  it.each([
    ['a URL without a connection', LOG.slice(0, LOG.indexOf('2026-11-20T09:56:37Z')), '\\+-+\\+'],
    ['a connection without a URL', LOG.slice(LOG.indexOf('2026-11-20T09:56:37Z')), 'Registered tunnel .*'],
    ['an empty line at the end', '2026-11-20T09:56:33Z ERR no network\n \n', 'no network'],
  ])('a tunnel fails if the program ends after %s', async (_, log, lastLine) => {
    install(`process.stderr.write(${JSON.stringify(log)});`);
    const message = expect.stringMatching(
      new RegExp(`^cloudflared could not open a tunnel: ${lastLine}\\.$`),
    );
    await expect(open()).rejects.toMatchObject({ code: 'no_tunnel', message });
  });

  it('an error says why the program cannot be run', async () => {
    writeFileSync(join(folder, 'cloudflared'), '');
    await expect(open()).rejects.toMatchObject({
      code: 'no_tunnel',
      message: expect.stringMatching(/^cloudflared cannot be run: .*EACCES/),
    });
  });
});
