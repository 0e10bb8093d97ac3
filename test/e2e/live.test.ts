/** `svc deliveries tail` with real processes: in a pipe, across emulator restarts, and in a terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import type { StreamItem } from '../../src/operations/stream-schemas.ts';
import { findFreePort } from '../support/local-server.ts';
import { hasTerminals, startTerminal, type TerminalOptions } from '../support/test-terminal.ts';
import { cleanEnvironment, runProgram, svcArgs, svcFile, svcInProcess } from './cli-program.ts';
import {
  createFolder,
  killAfterTest,
  startEmulatorForTest,
  startEmulatorProcess,
  startReceiver,
} from './test-resources.ts';

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** Starts an emulator that forwards to a receiver. */
async function startForwarding(cwd: string, port: string) {
  const receiver = await startReceiver();
  const emulator = await startEmulatorProcess(cwd, '--forward-to', receiver.url, '--port', port);
  return { ...emulator, receiver };
}

/** Starts `svc deliveries tail --json` and waits for its ready line. */
async function tail(cwd: string) {
  const subprocess = runProgram(svcFile, [...svcArgs, 'deliveries', 'tail', '--json'], {
    ...{ cwd, buffer: { stdout: false } },
  });
  killAfterTest(subprocess);
  const attempts: AttemptItem[] = [];
  const lines = createInterface(subprocess.stdout);
  await new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => attempts.push(JSON.parse(line)));
  return { attempts, subprocess };
}

/** The ids of all attempts that the emulator stores. */
async function listAttempts(controlUrl: string): Promise<string[]> {
  const control = createHttpControlClient({ controlUrl });
  const { data } = await control.listDeliveries({ limit: 1000 });
  const details = await Promise.all(data.map(({ id }) => control.getDelivery({ id })));
  return details.flatMap(({ attempts }) => attempts.map(({ id }) => id));
}

const idsOf = (attempts: readonly AttemptItem[]) => attempts.map(({ attempt }) => attempt.id);

describe('svc deliveries tail --json', () => {
  it('no attempt is lost or repeated when the emulator is killed and started again', async () => {
    const cwd = createFolder();
    const port = String(await findFreePort());
    const first = await startForwarding(cwd, port);
    const { attempts, subprocess } = await tail(cwd);
    const burst = svcInProcess(['trigger', 'order.shipped', '--count', '300'], { cwd });
    await first.receiver.waitFor(50);
    first.subprocess.kill('SIGKILL');
    await Promise.all([first.subprocess, burst]);

    const { ready, receiver } = await startForwarding(cwd, port);
    await svcInProcess(['trigger', 'order.shipped', '--wait'], { cwd });
    expect(receiver.requests.length).toBeGreaterThan(0);
    const control = createHttpControlClient({ controlUrl: ready.control_url });
    await expect
      .poll(async () => (await control.getStatus({})).deliveries.pending, { timeout: 20_000 })
      .toBe(0);
    const storedIds = await listAttempts(ready.control_url);
    await expect.poll(() => attempts.length, { timeout: 20_000 }).toBe(storedIds.length);
    expect(idsOf(attempts).sort()).toEqual(storedIds.sort());
    subprocess.kill('SIGINT');
    const notes = (await subprocess).stderr.split('\n').map((line) => JSON.parse(line).note.message);
    expect(notes).toEqual(['Connection lost. Reconnecting…', 'Reconnected.']);
  });
});

describe.skipIf(!hasTerminals)('svc deliveries tail in a terminal', () => {
  async function open(command: readonly string[], options: Partial<TerminalOptions> & { cwd: string }) {
    const terminal = await startTerminal(command, {
      env: { ...cleanEnvironment(), LANG: 'C.UTF-8' },
      ...options,
    });
    onTestFinished(terminal.close);
    return terminal;
  }

  const tailCommand = [svcFile, ...svcArgs, 'deliveries', 'tail'];

  it('the process ends without a crash when it prints to a terminal that was closed', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver();
    await startEmulatorForTest(cwd, '--db', ':memory:', '--forward-to', receiver.url);
    const command = tailCommand.map((word) => `'${word}'`).join(' ');
    const terminal = await open(['sh', '-c', `trap '' HUP; ${command}; echo $? > exit-code`], { cwd });
    await terminal.waitFor(/Following delivery attempts/);
    await terminal.close();
    await svcInProcess(['trigger', 'order.shipped'], { cwd });
    const file = join(cwd, 'exit-code');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('130\n');
  });
});
