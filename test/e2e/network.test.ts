/** Commands of an emulator that other machines can reach. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
import { startEmulator, svc, svcArgs, svcFile, svcInProcess } from './cli-program.ts';
import { createFolder, startEmulatorForTest } from './test-resources.ts';

const onEveryAddress = ['--host', '0.0.0.0', '--db', ':memory:'];

it('commands need the token outside the folder of the emulator, and not inside', async () => {
  const cwd = createFolder();
  const {
    url,
    control_token: token = '',
    dashboard_url,
  } = await startEmulatorForTest(cwd, ...onEveryAddress);
  expect(token).toMatch(/^[\w-]{32}$/);
  expect([new URL(url).hostname, dashboard_url]).toEqual(['127.0.0.1', `${url}/?token=${token}`]);

  expect((await svcInProcess(['trigger', 'order.shipped'], { cwd })).exitCode).toBe(ExitCode.success);
  const runFile = join(cwd, '.svc/run.json');
  expect(JSON.parse(readFileSync(runFile, 'utf8')).control_token).toBe(token);
  if (process.platform !== 'win32') expect(statSync(runFile).mode & 0o777).toBe(0o600);

  const elsewhere = createFolder();
  const list = (address: string, env = {}) =>
    svcInProcess(['deliveries', 'list', '--url', address], { cwd: elsewhere, env });
  expect(await list(url)).toMatchObject({
    exitCode: ExitCode.usage,
    stderr: expect.stringMatching(/requires a token\.\n.*SVC_CONTROL_TOKEN/),
  });
  expect((await list(url, { SVC_CONTROL_TOKEN: `${token}x` })).exitCode).toBe(ExitCode.usage);
  expect((await list(url, { SVC_CONTROL_TOKEN: token })).exitCode).toBe(ExitCode.success);
  expect((await list(dashboard_url)).exitCode).toBe(ExitCode.success);

  const { stdout } = await svcInProcess(['env', '--format', 'json'], { cwd });
  const variables = JSON.parse(stdout);
  expect(variables.SVC_CONTROL_TOKEN).toBe(token);
  expect((await svcInProcess(['emulator', 'stop'], { cwd: elsewhere, env: variables })).exitCode).toBe(
    ExitCode.success,
  );
});

it('svc emulator exec gives its command the token, and svc open prints a link with the token', async () => {
  const cwd = createFolder();
  const command = [svcFile, ...svcArgs, 'deliveries', 'list'];
  const { exitCode, stderr } = await svc(['emulator', 'exec', ...onEveryAddress, '--', ...command], { cwd });
  expect([exitCode, stderr]).toEqual([ExitCode.success, expect.not.stringContaining('error')]);

  const token = 'a-token.of_mine~0123';
  const env = { SVC_CONTROL_TOKEN: token };
  const { ready, stop } = await startEmulator(cwd, onEveryAddress, env);
  onTestFinished(stop);
  expect(ready.dashboard_url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/\\?token=${token}$`));
  expect((await svcInProcess(['open', '--print'], { cwd })).stdout).toContain(`/?token=${token}`);
});
