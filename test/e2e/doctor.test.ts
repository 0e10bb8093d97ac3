/** `svc doctor` of the built program. */
import { expect, it } from 'vitest';
import { ExitCode } from '../../src/errors.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { svc } from './cli-program.ts';
import { createFolder, startEmulatorForTest } from './test-resources.ts';

/** The default port can be in use on this machine. */
const env = { SVC_PORT: '0' };

it('svc doctor succeeds without an emulator, and skips its checks', async () => {
  const { exitCode, stdout, stderr } = await svc(['doctor'], { cwd: createFolder(), env });
  expect({ exitCode, stderr }).toEqual({ exitCode: ExitCode.success, stderr: '' });
  expect(stdout).toMatch(/skipped +Emulator +not running in this folder\n.*svc emulator start/);
  expect(stdout).toMatch(/ok +Database +.*will be created when the emulator first starts/);
});

it('svc doctor probes the receivers of the running emulator, unless --no-probe is given', async () => {
  await using receiver = await createReceiver();
  const cwd = createFolder();
  await startEmulatorForTest(cwd, '--db', ':memory:', '--forward-to', receiver.url);
  const withoutProbe = await svc(['doctor', '--no-probe', '--json'], { cwd, env });
  expect(withoutProbe.exitCode).toBe(ExitCode.success);
  expect(JSON.parse(withoutProbe.stdout)).toMatchObject({
    ok: true,
    findings: expect.arrayContaining([
      {
        ...{ id: 'emulator', status: 'ok', title: 'Emulator', detail: expect.any(String), hint: null },
      },
    ]),
  });
  expect(receiver.requests).toEqual([]);
  const { exitCode, stdout } = await svc(['doctor'], { cwd, env });
  expect(exitCode).toBe(ExitCode.failure);
  expect(stdout).toMatch(
    /problem +forged delivery to .*anyone can send events to this endpoint\n.*respond with 400/,
  );
  expect(receiver.requests).toHaveLength(2);
});
