import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createRunFile } from '../../../src/config/run-file.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { callOf, initializeSession } from '../../mcp/stdio-session.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { type FakeOptions, runLine } from '../fake-context.ts';

/** Starts `svc mcp`. */
async function start(options: FakeOptions) {
  const protocol = { input: new PassThrough(), output: new PassThrough() };
  const ended = runLine(['mcp'], { ...options, protocol });
  const { send, receive } = await initializeSession(protocol);
  async function readStatus() {
    send(callOf(1, 'status', '{}'));
    return (await receive()).result;
  }
  const end = () => {
    protocol.input.end();
    return ended;
  };
  return { readStatus, end };
}

it('svc mcp starts one emulator for two calls, another one after svc emulator stop, and stops it at its end', async () => {
  const cwd = createTemporaryFolder();
  const { readStatus, end } = await start({ cwd });
  const [first, second] = [readStatus(), readStatus()];
  const url = (await first).structuredContent.base_url;
  expect((await second).structuredContent.base_url).toBe(url);
  expect((await runLine(['emulator', 'stop'], { cwd })).exitCode).toBe(ExitCode.success);
  expect((await readStatus()).structuredContent.base_url).not.toBe(url);
  const err = expect.stringMatching(/^Started an emulator at http:/);
  expect(await end()).toMatchObject({ exitCode: ExitCode.success, out: '', err });
  expect(existsSync(join(cwd, '.svc/run.json'))).toBe(false);
});

it('svc mcp uses the emulator of the folder, also one that starts later, and does not stop it', async () => {
  const cwd = createTemporaryFolder();
  const { readStatus, end } = await start({ cwd });
  await using emulator = await startTestEmulator();
  const { url, base_url } = emulator.status();
  createRunFile(cwd, emulator.status(), {});
  expect((await readStatus()).structuredContent).toMatchObject({ base_url });
  expect(await end()).toEqual({ exitCode: ExitCode.success, out: '', err: '' });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

it('svc mcp does not start an emulator if an address is configured', async () => {
  const env = { SVC_CONTROL_URL: 'http://127.0.0.1:9' };
  const { readStatus, end } = await start({ cwd: createTemporaryFolder(), env });
  const { error, next } = JSON.parse((await readStatus()).content[0].text);
  expect([error.code, next]).toEqual(['no_emulator', expect.stringContaining('svc emulator start')]);
  expect(await end()).toMatchObject({ err: '' });
});
