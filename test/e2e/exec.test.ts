/** `svc emulator exec` with real processes: exit codes, signals, logs and cleanup. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
import { hasTerminals, startTerminal } from '../support/test-terminal.ts';
import {
  cleanEnvironment,
  createTempFolder,
  type RunOptions,
  runProgram,
  svc,
  svcArgs,
  svcFile,
  svcInProcess,
  temporaryFilesIn,
} from './cli-program.ts';
import { canListProcesses, expectNoProcessIn } from './list-processes.ts';
import { killAfterTest, startReceiver } from './test-resources.ts';

const hasSignals = process.platform !== 'win32';

/** Creates an empty folder. The command uses it for temporary files too. The test fails if a process still uses it at the end. */
function createWatchedFolder(): string {
  const { cwd, remove } = createTempFolder();
  onTestFinished(async () => {
    try {
      if (canListProcesses) await expectNoProcessIn(cwd);
    } finally {
      remove();
    }
  });
  return cwd;
}

/** Runs `svc emulator exec` until it ends. */
function exec(args: readonly string[], { cwd, env, ...rest }: RunOptions) {
  return svc(['emulator', 'exec', ...args], { cwd, env: { ...temporaryFilesIn(cwd), ...env }, ...rest });
}

/** The arguments of a command that runs `script` in Node.js. */
function node(script: string): string[] {
  return ['--', process.execPath, '--input-type=module', '-e', script];
}

/** Starts `svc emulator exec` and waits until the command has written `ready` to standard output. */
async function start(cwd: string, words: readonly string[]) {
  const subprocess = runProgram(svcFile, [...svcArgs, 'emulator', 'exec', ...words], {
    ...{ cwd, env: temporaryFilesIn(cwd), timeout: 30_000, forceKillAfterDelay: false },
  });
  killAfterTest(subprocess);
  let out = '';
  subprocess.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await expect.poll(() => out).toContain('ready');
  return { subprocess, output: () => out };
}

const trigger = ['--', svcFile, ...svcArgs, 'trigger', 'order.shipped'];
/** A script that runs until a signal ends it. */
const stayScript = 'setInterval(() => {}, 1000);';
const readyScript = `process.stdout.write('ready\\n');`;

describe('the command of svc emulator exec', () => {
  it('the command receives the environment variables that svc env prints and standard input, and owns standard output', async () => {
    const receiver = await startReceiver();
    const script = `
      const { SVC_BASE_URL, SVC_API_KEY, SVC_WORKSPACE_ID, SVC_CONTROL_URL, SVC_WEBHOOK_SECRET } = process.env;
      const response = await fetch(SVC_BASE_URL + '/workspaces/' + SVC_WORKSPACE_ID, {
        headers: { authorization: 'Bearer ' + SVC_API_KEY },
      });
      const status = await (await fetch(SVC_CONTROL_URL + '/status')).json();
      const input = (await process.stdin.toArray()).join('');
      console.log([response.status, status.db, status.webhook_secret === SVC_WEBHOOK_SECRET, input].join(' '));`;
    const options = { cwd: createWatchedFolder(), input: 'input' };
    expect(await exec(['--forward-to', receiver.url, ...node(script)], options)).toMatchObject({
      ...{ exitCode: ExitCode.success, stdout: '200 :memory: true input\n', stderr: '' },
    });
  });

  it('the command trusts the certificate of an emulator that serves HTTPS, which leaves no file behind', async () => {
    const script = `
      const response = await fetch(new URL('/healthz', process.env.SVC_BASE_URL));
      console.log(new URL(response.url).protocol, response.status);`;
    const cwd = createWatchedFolder();
    expect(await exec(['--https', ...node(script)], { cwd })).toMatchObject({
      ...{ exitCode: ExitCode.success, stdout: 'https: 200\n' },
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('the command receives its own options, also --json and --port, with and without --', async () => {
    const script = `fs.writeFileSync('words', process.argv.slice(1).join(' '))`;
    const words = [process.execPath, '-e', script, 'a', '--json', '--', '--port', 'x'];
    for (const line of [['--', ...words], words]) {
      const cwd = createWatchedFolder();
      const { exitCode } = await svcInProcess(['emulator', 'exec', ...line], { cwd });
      expect([exitCode, readFileSync(join(cwd, 'words'), 'utf8')]).toEqual([0, 'a --json -- --port x']);
    }
  });
});

describe('the exit code of svc emulator exec', () => {
  it('the exit code is that of the command, even when the command closed its output', async () => {
    const script = `fs.closeSync(1); fs.closeSync(2); process.exit(7);`;
    expect(
      await exec(node(`import fs from 'node:fs'; ${script}`), { cwd: createWatchedFolder() }),
    ).toMatchObject({
      ...{ exitCode: 7, stdout: '', stderr: '' },
    });
  });

  it.each([
    ['the database cannot be written', ['--db', '/dev/null/a.db', ...trigger], '/dev/null/a.db'],
    ['the log cannot be written', ['--log', '/dev/null/a.log', ...trigger], 'log'],
    ['the seed is a device', ['--seed', '/dev/null', ...trigger], 'is empty'],
  ])('the exit code is 2 and the command does not run when %s', async (_, args, error) => {
    const cwd = createWatchedFolder();
    vi.stubEnv('TMPDIR', cwd);
    const { exitCode, stdout, stderr } = await svcInProcess(['emulator', 'exec', ...args], { cwd });
    expect({ exitCode, stdout, left: readdirSync(cwd) }).toEqual({
      exitCode: ExitCode.usage,
      stdout: '',
      left: [],
    });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(error);
  });
});

describe.skipIf(!hasSignals)('signals to svc emulator exec', () => {
  it('SIGINT is passed to the command, which decides on the exit code', async () => {
    const script = `process.on('SIGINT', () => { process.stdout.write('received '); process.exitCode = 9; clearInterval(timer); });
      const timer = setInterval(() => {}, 1000); ${readyScript}`;
    const { subprocess, output } = await start(createWatchedFolder(), node(script));
    subprocess.kill('SIGINT');
    expect(await subprocess).toMatchObject({ exitCode: 9, stderr: '' });
    expect(output()).toBe('ready\nreceived ');
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s sends the command one SIGTERM', async (signal) => {
    const script = `process.on('SIGTERM', () => { process.stdout.write('received '); setTimeout(() => process.exit(8), 200); });
      ${stayScript} ${readyScript}`;
    const { subprocess, output } = await start(createWatchedFolder(), node(script));
    subprocess.kill(signal);
    expect(await subprocess).toMatchObject({ exitCode: 8, stderr: '' });
    expect(output()).toBe('ready\nreceived ');
  });

  it('SIGTERM kills a command that ignores it, and its descendants, after five seconds', async () => {
    const ignoreSigterm = `process.on('SIGTERM', () => {}); ${stayScript}`;
    const script = `import { spawn } from 'node:child_process'; ${ignoreSigterm}
      spawn(process.execPath, ['-e', ${JSON.stringify(`${ignoreSigterm} ${readyScript}`)}], { stdio: 'inherit' });`;
    const { subprocess } = await start(createWatchedFolder(), node(script));
    const startedAt = performance.now();
    subprocess.kill('SIGTERM');
    expect(await subprocess).toMatchObject({ exitCode: 137 });
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
  });
});

describe.skipIf(!hasTerminals || !canListProcesses)('svc emulator exec in a terminal', () => {
  const shell = (line: string, cwd: string) =>
    startTerminal(['bash', '--norc', '-c', line], {
      cwd,
      env: { ...cleanEnvironment(), TMPDIR: cwd, PS1: '$ ' },
    });
  const words = (list: readonly string[]) =>
    list.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const line = (script: string) => words([svcFile, ...svcArgs, 'emulator', 'exec', ...node(script)]);

  it('the command reads the keyboard, and receives Ctrl-C once', async () => {
    const cwd = createWatchedFolder();
    const script = `process.on('SIGINT', () => console.log('received'));
      process.stdin.once('data', (text) => { console.log('read ' + text); process.stdin.pause(); process.removeAllListeners('SIGINT'); });
      console.log('ready');`;
    const terminal = await shell(`${line(script)}; echo "exit $?"`, cwd);
    await using _ = terminal;
    await terminal.waitFor(/ready/);
    await terminal.press('C-c');
    await terminal.waitFor(/received/);
    await terminal.type('words');
    await terminal.press('Enter');
    const screen = await terminal.waitFor(/exit/);
    expect(screen.match(/received/g)).toHaveLength(1);
    expect(screen).toMatch(/read words\n[\s\S]*exit 0/);
  });
});
