/** Runs short commands of the shell. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../src/cli/exec/run-command.ts';
import type { SignalHandler } from '../../../src/cli/process-context.ts';
import { isRunning } from '../../support/is-running.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createFakeHost } from '../fake-context.ts';

interface Setup {
  readonly env?: Record<string, string>;
  readonly variables?: Record<string, string>;
  readonly isStdinTerminal?: boolean;
}

const PATH = process.env.PATH ?? '';

/** Starts a command in an empty folder. */
function start(words: readonly string[], { env = {}, variables = {}, isStdinTerminal = false }: Setup = {}) {
  const cwd = createTemporaryFolder();
  const { host } = createFakeHost({ cwd, env: { PATH, ...env } });
  let handler: SignalHandler | null = null;
  const result = runCommand(words, variables, {
    ...host,
    io: { ...host.io, isStdinTerminal },
    handleSignals(newHandler) {
      handler = newHandler;
      return () => {
        handler = null;
      };
    },
  });
  return {
    ...{ cwd, result },
    send: (signal: Parameters<SignalHandler>[0]) => handler?.(signal),
    isHandlingSignals: () => handler !== null,
    /** Resolves when the command has created the file `ready`. */
    ready: () => expect.poll(() => readText(join(cwd, 'ready'))).toBe(''),
  };
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const shell = (script: string) => ['sh', '-c', script];

/**
 * A command that exits with a code on SIGINT. Not `trap` in a shell, which first waits for its `sleep`: a process can miss a signal
 * between its fork and its exec.
 */
function onInterrupt(exitCode: number): string[] {
  const script = `process.on('SIGINT', () => process.exit(${exitCode})); setInterval(() => {}, 1000);`;
  return [process.execPath, '-e', `${script} require('node:fs').writeFileSync('ready', '');`];
}

describe.skipIf(process.platform === 'win32')('runCommand', () => {
  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
  ])('runCommand returns the exit code of "%s" as a shell does', async (script, exitCode) => {
    const { result, isHandlingSignals } = start(shell(script));
    expect(await result).toEqual({ exitCode, wasInterrupted: false });
    expect(isHandlingSignals()).toBe(false);
  });

  it('runCommand runs the command in the working folder, with only the variables of the context and the emulator', async () => {
    const setup = { env: { A: 'context', B: 'context' }, variables: { B: 'emulator' } };
    vi.stubEnv('SVC_FOREIGN', 'x');
    const { result, cwd } = start(shell('echo "$A $B $SVC_FOREIGN" > out'), setup);
    await result;
    vi.unstubAllEnvs();
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('context emulator \n');
  });

  it.each([
    ['a file that does not exist', 'no-such-program', 'the program does not exist'],
    ['a file that is not executable', './data', 'the file is not executable'],
    ['an empty word', '', 'Command failed with ERR_INVALID_ARG_VALUE'],
  ])('runCommand refuses %s', async (_, program, reason) => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/data'), '', { mode: 0o644 });
    const { result, isHandlingSignals } = start([program.replace('.', `${folder}/bin`)]);
    await expect(result).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(new RegExp(`^Cannot run the command .*: .*${reason}`)),
    });
    expect(isHandlingSignals()).toBe(false);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s terminates the command and its descendants', async (signal) => {
    const { result, ready, send, cwd } = start(shell('sleep 60 & echo $! > pid; touch ready; wait'));
    await ready();
    send(signal);
    expect(await result).toEqual({ exitCode: 143, wasInterrupted: true });
    expect(isRunning(Number(readText(join(cwd, 'pid'))))).toBe(false);
  });

  it('a process that the command leaves running ends with the command', async () => {
    const { result, cwd } = start(shell('sleep 60 & echo $! > pid; exit 4'));
    expect(await result).toEqual({ exitCode: 4, wasInterrupted: false });
    expect(isRunning(Number(readText(join(cwd, 'pid'))))).toBe(false);
  });

  it('SIGINT is sent to the group of the command, which can handle it and exit with 0', async () => {
    const { result, ready, send } = start(onInterrupt(0));
    await ready();
    send('SIGINT');
    expect(await result).toEqual({ exitCode: 0, wasInterrupted: true });
  });

  it('SIGINT is not sent to a command that shares the terminal, which sends it itself', async () => {
    const { result, ready, send } = start(onInterrupt(5), { isStdinTerminal: true });
    await ready();
    send('SIGINT');
    send('SIGTERM');
    expect(await result).toEqual({ exitCode: 143, wasInterrupted: true });
  });
});
