import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { assertNoneRunning, findEmulatorOnPort, suggestForBusyPort } from '../../src/cli/running-emulator.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { createRunFile } from '../../src/config/run-file.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { findFreePort, listenDuringTest } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createFakeHost } from './fake-context.ts';

async function findAt(port: number) {
  const cwd = import.meta.dirname;
  const config = await resolveConfig({ options: { port: String(port) }, env: {}, cwd });
  return findEmulatorOnPort(config, { cwd, env: {} });
}

it.each(['{"ok":true}', 'null', '[]', '{}', '<h1>Hello</h1>'])(
  'a server that responds to everything with %s is not reported as an emulator',
  async (body) => {
    const server = createServer((_, response) => response.end(body));
    const port = await listenDuringTest(server);
    expect(await findAt(port)).toBeNull();
    const { text, command } = suggestForBusyPort(null, port);
    expect(`${text} with: ${command}`).toContain(`find the program on port ${port} with: lsof`);
  },
);

it('an emulator on the port is found with its URL and process id', async () => {
  await using emulator = await startTestEmulator();
  const { url, pid } = emulator.status();
  expect(await findAt(Number(new URL(url).port))).toMatchObject({ url, pid });
});

it('the hint for a busy port has a command to copy, without a period after it', async () => {
  await using emulator = await startTestEmulator();
  const status = emulator.status();
  expect(suggestForBusyPort(status, 4777).command).toBe(`svc emulator stop --url ${status.url}`);
});

it.each([
  ['', ''],
  ['http://127.0.0.1:1', ' --url URL'],
])(
  'the command that stops the emulator of the folder works while SVC_CONTROL_URL is "%s"',
  async (address, options) => {
    await using emulator = await startTestEmulator();
    const { url } = emulator.status();
    const cwd = createTemporaryFolder();
    createRunFile(cwd, emulator.status(), {});
    const env = { SVC_CONTROL_URL: address };
    await expect(
      assertNoneRunning(await resolveConfig({ options: {}, env, cwd }), { env }),
    ).rejects.toMatchObject({
      code: 'already_running',
      hint: { command: `svc emulator stop${options.replace('URL', url)}` },
    });
  },
);

it('a command in a folder without an emulator names the one that responds on the configured port, and its folder', async () => {
  await using emulator = await startTestEmulator();
  const { url, project_folder } = emulator.status();
  const cwd = createTemporaryFolder();
  const run = async (port: string) => {
    const { host, capturedOutput } = createFakeHost({ cwd, env: { SVC_PORT: port } });
    expect(await runCommandLine(['emulator', 'status'], host)).toBe(ExitCode.noEmulator);
    return capturedOutput.err;
  };
  expect(await run(new URL(url).port)).toBe(
    `error: No emulator is running in this folder.\nhint: Use the emulator of ${project_folder} with: --url ${url}\n`,
  );
  expect(await run(String(await findFreePort()))).toContain('or start one with: svc emulator start');
});
