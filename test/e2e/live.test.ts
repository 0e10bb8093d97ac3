/** `svc deliveries tail` with real processes: in a pipe, across emulator restarts, and in a terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-control-client.ts';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import { ExitCode } from '../../src/errors.ts';
import { findFreePort } from '../support/local-server.ts';
import { hasTerminals, startTerminal, type TerminalOptions } from '../support/test-terminal.ts';
import { cleanEnvironment, runProgram, svcArgs, svcFile, svcInProcess } from './cli-program.ts';
import {
  createFolder,
  killAfterTest,
  startEmulatorForTest,
  startReceiver,
  waitForPid,
} from './test-resources.ts';

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** Starts an emulator that forwards to a receiver. */
async function startForwarding(cwd: string, ...args: string[]) {
  const receiver = await startReceiver();
  return { ...(await startEmulatorForTest(cwd, '--forward-to', receiver.url, ...args)), receiver };
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
  it('each of thousands of attempts is printed once and in order', async () => {
    const COUNT = 2_000;
    const cwd = createFolder();
    await startForwarding(cwd, '--db', ':memory:');
    const { attempts, subprocess } = await tail(cwd);
    await svcInProcess(['trigger', 'order.shipped', '--count', String(COUNT), '--wait'], { cwd });
    await expect.poll(() => attempts.length, { timeout: 60_000 }).toBe(COUNT);
    const sequences = attempts.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    expect(new Set(idsOf(attempts)).size).toBe(COUNT);
    subprocess.kill('SIGINT');
    expect(await subprocess).toMatchObject({ exitCode: ExitCode.interrupted, stderr: '' });
  }, 120_000);

  it('no attempt is lost or repeated when the emulator is killed and started again', async () => {
    const cwd = createFolder();
    const port = String(await findFreePort());
    const first = await startForwarding(cwd, '--port', port);
    const { attempts, subprocess } = await tail(cwd);
    const burst = svcInProcess(['trigger', 'order.shipped', '--count', '300'], { cwd });
    await first.receiver.waitFor(50);
    first.subprocess.kill('SIGKILL');
    await Promise.all([first.subprocess, burst]);

    const { ready, receiver } = await startForwarding(cwd, '--port', port);
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

  /** Replaces ids, times and durations by text of the same width. */
  function normalize(screen: string): string {
    return screen
      .replace(/\b(del|evt|wh)_[0-9A-Z]{26}/g, (_, prefix) => `${prefix}_${'0'.repeat(26)}`)
      .replace(/\d\d:\d\d:\d\d/g, '00:00:00')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
      .replace(/ \d+ms */g, ' 1ms  ')
      .replace(/TOOK +/g, 'TOOK  ')
      .replace(/in (4m \d+s|5m)/g, 'in 4m 59s');
  }

  it('the screen shows attempts, responses and next retries; keys select, replay and show details', async () => {
    const cwd = createFolder();
    const { receiver } = await startForwarding(cwd, '--db', ':memory:');
    receiver.respond([{ status: 503, body: 'not now' }, { status: 200 }]);
    const terminal = await open(tailCommand, { cwd, columns: 76, rows: 10 });
    await terminal.waitFor(/No attempts yet/);
    await svcInProcess(['trigger', 'order.shipped'], { cwd });
    await terminal.waitFor(/← 503/);
    await svcInProcess(['trigger', 'invoice.paid'], { cwd });
    await terminal.waitFor(/← 200/);
    const rows = await terminal.waitFor(/in 4m \d+s/);
    expect(normalize(rows)).toMatchInlineSnapshot(`
      "Following delivery attempts. Press Ctrl-C to stop.
        TIME      EVENT            RESPONSE  TOOK  ATTEMPT  NEXT RETRY
        00:00:00  → order.shipped  ← 503     1ms  1 of 8   in 4m 59s
      ❯ 00:00:00  → invoice.paid   ← 200     1ms  1 of 8





      ↑↓ select  r replay  d details  o open  q quit  ? help"
    `);

    await terminal.press('k', 'r');
    await terminal.waitFor(/2 replay/);
    expect(await terminal.screen()).toMatch(/❯ \S+ +→ order\.shipped/);
    await terminal.press('d');
    await terminal.waitFor(/Delivery +del_/);
    await terminal.press('PageDown');
    await terminal.waitFor(/Attempt 1 .*✗ 503/);
    await terminal.press('End');
    await terminal.waitFor(/line (\d+) of \1$/);
    await terminal.press('q');
    await terminal.waitFor(/2 replay/);
    await terminal.resize(60, 8);
    const narrow = await terminal.waitFor((screen) => screen.split('\n').length === 8);
    expect(Math.max(...narrow.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    await terminal.press('q');
    expect(await terminal.waitForExit()).toBe(ExitCode.success);
    // The newest rows stay visible after the alternate screen is closed.
    expect(await terminal.screen()).toMatch(/→ order\.shipped +← 503.*\n.*→ invoice\.paid +← 200/);
  });

  it('svc deliveries tail reports a lost connection, connects again, and continues', async () => {
    const cwd = createFolder();
    const port = String(await findFreePort());
    const first = await startForwarding(cwd, '--port', port);
    const terminal = await open(tailCommand, { cwd });
    await terminal.waitFor(/No attempts yet/);
    first.subprocess.kill('SIGKILL');
    await terminal.waitFor(/Connection lost\. Reconnecting…/);
    await first.subprocess;
    await startForwarding(cwd, '--port', port);
    await terminal.waitFor(/Reconnected\./, 20_000);
    await svcInProcess(['trigger', 'order.shipped'], { cwd });
    await terminal.waitFor(/→ order\.shipped +← 200/);
  });

  it.each([
    ['q', ExitCode.success],
    ['C-c', ExitCode.interrupted],
    ['SIGTERM', ExitCode.interrupted],
  ])('%s restores the terminal, and the exit code is %i', async (end, exitCode) => {
    const cwd = createFolder();
    await startForwarding(cwd, '--db', ':memory:');
    const terminal = await open(['bash', '--norc'], { cwd });
    const command = tailCommand.map((word) => `'${word}'`).join(' ');
    // exec replaces the shell, so that its process id is that of the command.
    const inProcess = `bash -c 'echo $$ > pid; exec "$@"' - ${command}`;
    await terminal.type(
      `echo what was there; stty -a > before; ${inProcess}; echo "exit $?"; stty -a > after`,
    );
    await terminal.press('Enter');
    await terminal.waitFor(/No attempts yet/);
    if (end === 'SIGTERM') process.kill(await waitForPid(join(cwd, 'pid')), end);
    else await terminal.press(end);
    const screen = await terminal.waitFor(new RegExp(`^exit ${exitCode}$`, 'm'));
    expect(screen).toMatch(/^what was there$/m);
    expect(screen).not.toContain('No attempts yet');
    await terminal.type('exit');
    await terminal.press('Enter');
    await terminal.waitForExit();
    const [before, after] = ['before', 'after'].map((name) => readFileSync(join(cwd, name), 'utf8'));
    expect(after).toBe(before);
  });

  it('the process ends without a crash when the terminal is closed', async () => {
    const cwd = createFolder();
    await startForwarding(cwd, '--db', ':memory:');
    const command = tailCommand.map((word) => `'${word}'`).join(' ');
    const terminal = await open(['sh', '-c', `trap '' HUP; ${command}; echo $? > exit-code`], { cwd });
    await terminal.waitFor(/No attempts yet/);
    await terminal.close();
    const file = join(cwd, 'exit-code');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe('130\n');
  });
});
