import { once } from 'node:events';
/** Child processes of svc and its scripts end with their parent, even when the parent is killed. */
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quoteForShell } from '../../src/domain/shell.ts';
import { hasTerminals, startTerminal } from '../support/test-terminal.ts';
import { cleanEnvironment, runProgram, svcArgs, svcFile, temporaryFilesIn } from './cli-program.ts';
import { canListProcesses, expectNoProcessIn, listProcessesIn } from './list-processes.ts';
import {
  createFolder,
  killAfterTest,
  runJsonOk,
  startEmulatorForTest,
  startReceiver,
} from './test-resources.ts';

const root = join(import.meta.dirname, '../..');
const demo = join(root, 'scripts/demo.mjs');

describe.skipIf(!canListProcesses)('child processes', () => {
  it('npm run demo ends its emulator and removes its folder when nothing reads its output anymore', async () => {
    const cwd = createFolder();
    const command = `"${process.execPath}" "${demo}" | head -n 2`;
    const shell = await runProgram('sh', ['-c', command], { cwd, env: temporaryFilesIn(cwd) });
    expect(shell.stdout).toContain('Start the emulator');
    expect(shell.stderr).toBe('');
    await expectNoProcessIn(cwd);
    await expect.poll(() => readdirSync(cwd)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'npm run demo leaves no process behind after %s',
    async (signal) => {
      const cwd = createFolder();
      const subprocess = runProgram(process.execPath, [demo], { cwd, env: temporaryFilesIn(cwd) });
      killAfterTest(subprocess);
      await expect.poll(() => listProcessesIn(cwd).join()).toContain('webhooks create');
      subprocess.kill(signal);
      await subprocess;
      await expectNoProcessIn(cwd);
      await expect.poll(() => readdirSync(cwd)).toEqual([]);
    },
  );

  it('svc emulator start --tunnel ends cloudflared when svc is killed', async () => {
    const cwd = createFolder();
    const connected = 'INF |  https://a.example  |\\nINF Registered tunnel connection connIndex=0\\n';
    writeFileSync(
      join(cwd, 'cloudflared'),
      `#!${process.execPath}\nprocess.stderr.write('${connected}'); setInterval(() => {}, 1000);`,
    );
    chmodSync(join(cwd, 'cloudflared'), 0o755);
    const command = [
      ...svcArgs,
      'emulator',
      'start',
      '--port',
      '0',
      '--tunnel',
      '--db',
      ':memory:',
      '--json',
    ];
    const env = { PATH: `${cwd}:${process.env.PATH}`, TMPDIR: cwd };
    const subprocess = runProgram(svcFile, command, { cwd, env });
    killAfterTest(subprocess);
    // Before the ready line, svc may not have told the watchdog the process ID yet.
    await once(createInterface(subprocess.stdout), 'line');
    expect(listProcessesIn(cwd).join()).toContain('cloudflared tunnel');
    subprocess.kill('SIGKILL');
    await expectNoProcessIn(cwd);
  });

  // In a process group of its own: the watchdog also terminates the orphans of other tests in the group of svc.
  it('svc receiver check ends the command of --observe and its descendants when svc is killed', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver();
    const check = ['receiver', 'check', receiver.url, '--secret', 'whsec_c2VjcmV0LW9mLWEtdGVzdA'];
    const command = [...svcArgs, ...check, '--observe', 'sleep 60 | cat'];
    const subprocess = runProgram(svcFile, command, { cwd, detached: true });
    killAfterTest(subprocess);
    await expect.poll(() => listProcessesIn(cwd)).toContain('sleep 60 ');
    subprocess.kill('SIGKILL');
    await expectNoProcessIn(cwd);
  });

  it('svc receiver fuzz ends the command of --restart-command and its descendants when svc is killed', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver();
    const fuzz = ['receiver', 'fuzz', receiver.url, '--secret', 'whsec_c2VjcmV0LW9mLWEtdGVzdA'];
    const options = [
      '--random-seed',
      '1',
      '--only',
      'duplicate,restart',
      '--restart-command',
      'sleep 60 | cat',
    ];
    const subprocess = runProgram(svcFile, [...svcArgs, ...fuzz, ...options], { cwd, detached: true });
    killAfterTest(subprocess);
    await expect.poll(() => listProcessesIn(cwd)).toContain('sleep 60 ');
    subprocess.kill('SIGKILL');
    await expectNoProcessIn(cwd);
  });

  it('a child process in the group of svc ends when svc is killed before it knows the process ID', async () => {
    const cwd = createFolder();
    const input = join(root, 'src/watchdog/process-guard.ts');
    const { output } = await build({ input, platform: 'node', write: false });
    const script = `${output[0].code}
      const guard = await createProcessGuard(process.env);
      guard.start('shared', () => {
        spawn('sleep', ['60'], { cwd: ${JSON.stringify(cwd)}, stdio: 'ignore' });
        process.kill(process.pid, 'SIGKILL');
      });`;
    const args = ['--input-type=module', '--eval', script];
    const { signal } = await runProgram(process.execPath, args, { cwd: root, detached: true });
    expect(signal).toBe('SIGKILL');
    await expectNoProcessIn(cwd);
  });

  it.skipIf(!hasTerminals)(
    'the editor of --edit reads the keyboard and handles Ctrl-C, and svc waits for it',
    async () => {
      const [cwd, elsewhere] = [createFolder(), createFolder()];
      const receiver = await startReceiver();
      const { ready } = await startEmulatorForTest(
        elsewhere,
        '--db',
        ':memory:',
        '--forward-to',
        receiver.url,
      );
      const { deliveries } = await runJsonOk(elsewhere, 'trigger', 'order.shipped', '--wait');
      const program = [
        `trap 'echo interrupted > /dev/tty' INT`,
        'echo ready > /dev/tty; read line < /dev/tty; echo "read $line" > /dev/tty',
        // A signal ends `wait`.
        'sleep 60 & wait $!; kill $!',
        'read line < /dev/tty; echo "then $line" > /dev/tty',
      ];
      writeFileSync(join(cwd, 'interactive'), program.join('\n'));
      const command = ['deliveries', 'replay', '--edit', deliveries[0].id, '--url', ready.url];
      const line = [svcFile, ...svcArgs, ...command].map(quoteForShell).join(' ');
      const terminal = await startTerminal(
        ['sh', '-c', `trap : INT; ${line}; echo exit $?; sleep 600; true`],
        {
          ...{
            cwd,
            rows: 8,
            env: { ...cleanEnvironment(), ...temporaryFilesIn(cwd), VISUAL: 'sh ./interactive' },
          },
        },
      );
      onTestFinished(terminal.close);
      await terminal.waitFor(/ready/);
      await terminal.type('abc');
      await terminal.press('Enter');
      await terminal.waitFor(/read abc/);
      await terminal.press('C-c');
      await terminal.waitFor(/interrupted/);
      await terminal.type('def');
      await terminal.press('Enter');
      await terminal.waitFor(/then def\n[\s\S]*exit \d$/);
      await expect
        .poll(() => listProcessesIn(cwd).sort())
        .toEqual([expect.stringMatching(/^sh -c /), 'sleep 600 ']);
    },
  );
});
