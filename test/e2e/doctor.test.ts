/** The built program, asked what is wrong. */
import { expect, it } from 'vitest';
import { ExitCode } from '../../src/errors.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { svc } from './cli-program.ts';
import { createFolder, startEmulatorForTest } from './test-resources.ts';

/** Whether the usual port is free is not ours to say. */
const env = { SVC_PORT: '0' };

it('checks what can be checked where no emulator runs', async () => {
  const { exitCode, stdout, stderr } = await svc(['doctor'], { cwd: createFolder(), env });
  expect({ exitCode, stderr }).toEqual({ exitCode: ExitCode.success, stderr: '' });
  expect(stdout).toMatch(/skipped +Emulator +not running in this folder\n.*svc emulator start/);
  expect(stdout).toMatch(/ok +Database +.*is created at the first start/);
});

it('goes down to the receivers of the emulator that runs', async () => {
  await using receiver = await createReceiver();
  const cwd = createFolder();
  await startEmulatorForTest(cwd, '--db', ':memory:', '--forward-to', receiver.url);
  const careful = await svc(['doctor', '--no-probe', '--json'], { cwd, env });
  expect(careful.exitCode).toBe(ExitCode.success);
  expect(JSON.parse(careful.stdout)).toMatchObject({
    ok: true,
    findings: expect.arrayContaining([
      {
        ...{ id: 'emulator', status: 'ok', title: 'Emulator', detail: expect.any(String), remedy: null },
      },
    ]),
  });
  expect(receiver.requests).toEqual([]);
  const { exitCode, stdout } = await svc(['doctor'], { cwd, env });
  expect(exitCode).toBe(ExitCode.failure);
  expect(stdout).toMatch(/problem +forged delivery to .*anybody can send it events\n.*answer 400/);
  expect(receiver.requests).toHaveLength(2);
});

it('refuses a mistake', async () => {
  expect(await svc(['doctor', 'now'], { cwd: createFolder() })).toMatchObject({
    ...{
      exitCode: ExitCode.usage,
      stdout: '',
      stderr: expect.stringMatching(/^error: Too many arguments: /),
    },
  });
});
