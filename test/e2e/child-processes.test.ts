/** Child processes of svc and its scripts end with their parent. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'npm run demo leaves no process behind after %s',
    async (signal) => {
      const cwd = createFolder();
      const subprocess = runProgram(process.execPath, [demo], { cwd, env: temporaryFilesIn(cwd) });
      killAfterTest(subprocess);
      await expect.poll(() => listProcessesIn(cwd).join()).toContain('trigger order.shipped');
      subprocess.kill(signal);
      await subprocess;
      await expectNoProcessIn(cwd);
      await expect.poll(() => readdirSync(cwd)).toEqual([]);
    },
  );

  it.skipIf(!hasTerminals)(
    'the editor of --edit reads the keyboard and handles Ctrl-C, and svc waits for it',
    async () => {
      const [cwd, elsewhere] = [createFolder(), createFolder()];
      const receiver = await startReceiver();
      const { url } = await startEmulatorForTest(elsewhere, '--db', ':memory:', '--forward-to', receiver.url);
      const { deliveries } = await runJsonOk(elsewhere, 'trigger', 'order.shipped', '--wait');
      const program = [
        `trap 'echo interrupted > /dev/tty' INT`,
        'echo ready > /dev/tty; read line < /dev/tty; echo "read $line" > /dev/tty',
        // A signal ends `wait`.
        'sleep 60 & wait $!; kill $!',
        'read line < /dev/tty; echo "then $line" > /dev/tty',
      ];
      writeFileSync(join(cwd, 'interactive'), program.join('\n'));
      const command = ['deliveries', 'replay', '--edit', deliveries[0].id, '--url', url];
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
