/** The processes that svc and its scripts start end with them, also when they are killed. */
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment, createPlace, program, temporaryFilesIn } from './cli-program.ts';
import { endWithTest } from './for-one-test.ts';
import { expectNobodyIn, listProcessesIn, showsProcesses } from './processes-in.ts';

const demo = join(import.meta.dirname, '../../scripts/demo.mjs');

function place(): string {
  const { cwd, remove } = createPlace();
  onTestFinished(remove);
  return cwd;
}

describe.skipIf(!showsProcesses)('child processes', () => {
  it('npm run demo ends its emulator and removes its folder when nothing reads its output any more', async () => {
    const cwd = place();
    const shell = await execa('sh', ['-c', `"${process.execPath}" "${demo}" | head -n 2`], {
      ...{ cwd, env: { ...cleanEnvironment(), ...temporaryFilesIn(cwd) }, extendEnv: false, stdin: 'ignore' },
    });
    expect(shell.stdout).toContain('Boot the emulator');
    expect(shell.stderr).toBe('');
    await expectNobodyIn(cwd);
    await expect.poll(() => readdirSync(cwd)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'npm run demo leaves no process behind after %s',
    async (signal) => {
      const cwd = place();
      const subprocess = execa(process.execPath, [demo], {
        ...{
          cwd,
          env: { ...cleanEnvironment(), ...temporaryFilesIn(cwd) },
          extendEnv: false,
          stdin: 'ignore',
          reject: false,
        },
      });
      endWithTest(subprocess);
      await expect.poll(() => listProcessesIn(cwd).join(), { timeout: 15_000 }).toContain('webhooks create');
      subprocess.kill(signal);
      await subprocess;
      await expectNobodyIn(cwd);
      await expect.poll(() => readdirSync(cwd)).toEqual([]);
    },
  );

  it('svc emulator start --tunnel ends cloudflared also when it is killed', async () => {
    const cwd = place();
    const connected = 'INF |  https://a.example  |\\nINF Registered tunnel connection connIndex=0\\n';
    writeFileSync(
      join(cwd, 'cloudflared'),
      `#!${process.execPath}\nprocess.stderr.write('${connected}'); setInterval(() => {}, 1000);`,
    );
    chmodSync(join(cwd, 'cloudflared'), 0o755);
    const subprocess = execa(
      process.execPath,
      [program, 'emulator', 'start', '--port', '0', '--tunnel', '--db', ':memory:'],
      {
        ...{ cwd, stdin: 'ignore', reject: false, extendEnv: false },
        env: { ...cleanEnvironment(), PATH: `${cwd}:${process.env.PATH}`, TMPDIR: cwd },
      },
    );
    endWithTest(subprocess);
    await expect.poll(() => listProcessesIn(cwd).join(), { timeout: 15_000 }).toContain('cloudflared tunnel');
    subprocess.kill('SIGKILL');
    await expectNobodyIn(cwd);
  });
});
