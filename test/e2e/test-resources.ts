import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, vi } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';
import {
  binary,
  createTempFolder,
  type Ready,
  runProgram,
  startEmulator,
  svcArgs,
  svcFile,
  svcInProcess,
} from './cli-program.ts';

/** Creates an empty folder. */
export function createFolder(): string {
  const { cwd, remove } = createTempFolder();
  onTestFinished(remove);
  return cwd;
}

/** Kills a process at the end of the test. */
export function killAfterTest(subprocess: PromiseLike<unknown> & { kill(signal: 'SIGKILL'): unknown }): void {
  onTestFinished(async () => {
    subprocess.kill('SIGKILL');
    await subprocess;
  });
}

/**
 * Waits until a process has written its ID to a file, and returns the ID. A new file can be empty. `Number('')` is 0, and
 * `process.kill(0)` kills the process group of the tests.
 */
export function waitForPid(file: string): Promise<number> {
  return vi.waitFor(() => {
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^[1-9]\d*\n?$/);
    return Number(text);
  }, 30_000);
}

/** Starts an emulator on a free port in this process, or with the executable that is tested. */
export async function startEmulatorForTest(cwd: string, ...args: string[]): Promise<Ready> {
  if (binary !== null) return (await startEmulatorProcess(cwd, ...args)).ready;
  const { ready, stop } = await startEmulator(cwd, args);
  onTestFinished(stop);
  return ready;
}

/** Starts an emulator on a free port with the built program. */
export async function startEmulatorProcess(cwd: string, ...args: string[]) {
  const command = [...svcArgs, 'emulator', 'start', '--port', '0', '--json', ...args];
  const subprocess = runProgram(svcFile, command, { cwd });
  killAfterTest(subprocess);
  const failed = subprocess.then(({ stderr }) => {
    throw new Error(`The emulator did not start: ${stderr}`);
  });
  const [line] = await Promise.race([once(createInterface(subprocess.stdout), 'line'), failed]);
  return { ready: JSON.parse(line) as Ready, subprocess };
}

export async function startReceiver(...input: Parameters<typeof createReceiver>): Promise<Receiver> {
  const receiver = await createReceiver(...input);
  onTestFinished(receiver.close);
  return receiver;
}

/** Runs a command with --json in this process. @returns its document and its exit code */
export async function runJson(cwd: string, ...args: string[]) {
  const { stdout, exitCode } = await svcInProcess([...args, '--json'], { cwd });
  return { ...JSON.parse(stdout), exitCode };
}

/** Runs a command that must succeed with --json in this process. @returns its document */
export async function runJsonOk(cwd: string, ...args: string[]) {
  const { stdout, stderr, exitCode } = await svcInProcess([...args, '--json'], { cwd });
  expect(exitCode, stderr).toBe(ExitCode.success);
  return JSON.parse(stdout);
}
