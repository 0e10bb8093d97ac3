/** `svc deliveries wait` with a running emulator. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-control-client.ts';
import { ExitCode } from '../../src/errors.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createTempFolder, startEmulator, svcInProcess } from './cli-program.ts';

async function start(script: Parameters<typeof createReceiver>[0] = {}) {
  const { cwd, remove } = createTempFolder();
  const receiver = await createReceiver(script);
  const { subprocess, ready } = await startEmulator(
    cwd,
    '--db',
    ':memory:',
    '--freeze',
    '--forward-to',
    receiver.url,
  );
  onTestFinished(async () => {
    subprocess.kill();
    await Promise.all([subprocess, receiver.close()]);
    remove();
  });
  const control = createHttpControlClient({ controlUrl: ready.control_url });
  const run = (...args: string[]) => svcInProcess(args, { cwd });
  return { run, control, receiver };
}

describe('svc deliveries wait', () => {
  it('a delivery that is created and settled during the wait is counted', async () => {
    const { run } = await start();
    const waiting = run(
      'deliveries',
      'wait',
      '--type',
      'a.b',
      '--count',
      '40',
      '--status',
      'succeeded',
      '--json',
    );
    await run('trigger', 'a.b', '--count', '40');
    const { exitCode, stdout } = await waiting;
    expect(exitCode).toBe(ExitCode.success);
    const statuses = JSON.parse(stdout).data.map(({ status }: { status: string }) => status);
    expect(statuses.filter((status: string) => status === 'succeeded')).toHaveLength(40);
  });

  it('a wait in which no delivery can settle ends at once, and its hint explains why the attempt failed', async () => {
    const { run, receiver } = await start([{ status: 503, body: 'busy' }, {}]);
    await run('trigger', 'a.b');
    const { exitCode, stdout, stderr } = await run('deliveries', 'wait', '--timeout', '1h');
    expect(exitCode).toBe(ExitCode.failure);
    expect(stdout).toMatch(/^ID +STATUS[\s\S]*del_\w+ +↻ failing/);
    expect(stderr).toMatch(
      /^del_\w+ failing after 1 attempt, next attempt in 5m: .*503.*\nerror: 1 delivery cannot settle within 1h: the next attempt is due in 5m, and the clock is frozen\.\nhint: Show why with: svc explain del_\w+\n$/,
    );
    await run('clock', 'advance', '5m');
    expect((await run('deliveries', 'wait', '--status', 'succeeded')).exitCode).toBe(ExitCode.success);
    expect(receiver.requests).toHaveLength(2);
  });

  it('--keep-waiting waits for an attempt that another command sends', async () => {
    const { run, control } = await start([{ status: 503 }, {}]);
    await run('trigger', 'a.b', '--wait');
    const waiting = run('deliveries', 'wait', '--status', 'succeeded', '--timeout', '1m', '--keep-waiting');
    await control.advanceClock({ ms: 5 * 60_000 });
    expect((await waiting).exitCode).toBe(ExitCode.success);
  });

  it('the wait ends when a delivery is canceled with its endpoint', async () => {
    const { run, control } = await start({ status: 503 });
    await run('trigger', 'a.b');
    const { data } = await control.listWebhooks({});
    // The result does not depend on which of the two runs first.
    const [{ exitCode, stderr }] = await Promise.all([
      run('deliveries', 'wait', '--status', 'succeeded', '--keep-waiting'),
      control.deleteWebhook({ id: data[0]?.id ?? '' }),
    ]);
    expect(exitCode).toBe(ExitCode.failure);
    expect(stderr).toMatch(/^del_\w+ canceled after 1 attempt, the endpoint was deleted/);
  });
});
