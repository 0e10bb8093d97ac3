import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpControlClient } from '../../src/control/http-control-client.ts';
import { openTunnel } from '../../src/http/tunnel.ts';
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

const stay = `process.stderr.write(${JSON.stringify(LOG)}); setInterval(() => {}, 1000);`;

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

  it('an emulator whose tunnel is not open yet has a status and can be stopped', async () => {
    const argumentsFile = install('setInterval(() => {}, 1000);');
    const token = '0123456789abcdef';
    const start = startTestEmulator({ tunnel: true, controlToken: token });
    const end = start.catch((error: unknown) => error);
    const findUrl = () => JSON.parse(readFileSync(argumentsFile, 'utf8'))[2];
    await expect.poll(async () => findUrl()).toMatch(/^http/);
    const url = findUrl();
    const control = createHttpControlClient({ controlUrl: `${url}/_svc`, token });
    expect(await control.getStatus({})).toMatchObject({ url, base_url: `${url}/v1` });
    expect(await control.stop({})).toEqual({ stopping: true });
    expect(await end).toMatchObject({
      code: 'interrupted',
      message: 'The emulator was stopped before its tunnel was open.',
    });
    await expect(control.getStatus({})).rejects.toMatchObject({ code: 'no_emulator' });
  });

  it('a tunnel needs an installed program', async () => {
    await expect(startTestEmulator({ tunnel: true })).rejects.toMatchObject({
      code: 'no_tunnel',
      message: 'A tunnel needs the program cloudflared, which is not on the PATH.',
      hint: expect.stringMatching(/Install it .*--public-url/),
    });
  });

  it('the error contains the last line of cloudflared if the tunnel does not open', async () => {
    install(`process.stderr.write('2026-11-20T09:56:33Z ERR failed to request quick Tunnel: no such host\\n');
      process.exitCode = 1;`);
    await expect(openTunnel('http://127.0.0.1:1', new AbortController().signal, onEnd)).rejects.toMatchObject(
      {
        code: 'no_tunnel',
        message: 'cloudflared could not open a tunnel: failed to request quick Tunnel: no such host.',
        hint: expect.stringContaining('--public-url'),
      },
    );
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('an unexpected end of the tunnel is reported, and a close is not', async () => {
    install(stay);
    const closed = await openTunnel('http://127.0.0.1:1', new AbortController().signal, onEnd);
    await closed.close();
    expect(onEnd).not.toHaveBeenCalled();

    install(`process.stderr.write(${JSON.stringify(LOG)}); process.exitCode = 1;`);
    const ending = await openTunnel('http://127.0.0.1:1', new AbortController().signal, onEnd);
    const message = 'cloudflared exited with code 1, so the tunnel is closed.';
    await expect
      .poll(() => onEnd.mock.calls)
      .toEqual([[expect.objectContaining({ code: 'no_tunnel', message })]]);
    await ending.close();
  });
});
