/** Drives every command of the built program to each of the ends that `cli-table.ts` lists. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpControlPlane } from '../../src/control/http-client.ts';
import { ExitCode } from '../../src/errors.ts';
import { leaves } from '../support/command-line.ts';
import { createReceiver, type Receiver } from '../support/receiver.ts';
import { createPlace, startEmulator, svc } from './cli-program.ts';
import { checks, NOBODY, type Row, replacing, rows, type Scene, startAndStop, streams } from './cli-table.ts';

const inhabited = createPlace();
const empty = createPlace();

let emulator: Awaited<ReturnType<typeof startEmulator>>;
let receiver: Receiver;
let scene: Scene;

beforeAll(async () => {
  receiver = await createReceiver();
  emulator = await startEmulator(inhabited.cwd, '--db', ':memory:', '--freeze', '--forward-to', receiver.url);
  const { control_url: controlUrl, workspace_id, webhook_id, webhook_secret } = emulator.ready;
  const control = createHttpControlPlane({ controlUrl });
  const { event, deliveries } = await runJson('trigger', ['order.shipped', '--wait']);
  scene = {
    ...{ event: event.id, delivery: deliveries[0].id, webhook: webhook_id, secret: webhook_secret },
    ...{ workspace: workspace_id, receiver: receiver.url },
    createKey: async () => (await control.createKey({ scopes: ['events:read'] })).id,
    createWebhook: async () =>
      (await runJson('webhooks create', ['--url', receiver.url, '--events', 'a.b'])).id,
  };
});

afterAll(async () => {
  emulator.subprocess.kill();
  await Promise.all([emulator.subprocess, receiver.close()]);
  inhabited.remove();
  empty.remove();
});

function run(name: string, args: readonly string[], cwd = inhabited.cwd) {
  return svc([...name.split(' '), ...args], { cwd });
}

async function runJson(name: string, args: readonly string[]) {
  return JSON.parse((await run(name, [...args, '--json'])).stdout);
}

async function argsOf({ args = [] }: Row): Promise<readonly string[]> {
  return typeof args === 'function' ? args(scene) : args;
}

it('knows every command', () => {
  expect([...Object.keys(rows), ...streams, ...startAndStop, ...replacing, ...checks].sort()).toEqual(
    Object.keys(leaves).sort(),
  );
});

describe.each(Object.entries(rows))('svc %s', (name, row) => {
  it('prints for people what it found or did', async () => {
    const { exitCode, stdout, stderr } = await run(name, await argsOf(row));
    expect(stdout).toMatch(row.shows);
    expect(stderr.trimEnd()).toMatch(row.notes ?? /^$/);
    expect(exitCode).toBe(ExitCode.done);
  });

  it('prints one JSON document with --json', async () => {
    const { exitCode, stdout } = await run(name, [...(await argsOf(row)), '--json']);
    expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining([...row.members]));
    expect(exitCode).toBe(ExitCode.done);
  });

  it('refuses a mistake on standard error alone', async () => {
    const [args, error] = row.mistake;
    const { exitCode, stdout, stderr } = await run(name, args);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr.startsWith(`error: ${error}`), stderr).toBe(true);
  });

  it('says so where no emulator runs, or does without', async () => {
    const { exitCode, stdout, stderr } = await run(name, await argsOf(row), empty.cwd);
    if (row.alone) {
      expect({ exitCode, stderr }).toEqual({ exitCode: ExitCode.done, stderr: '' });
    } else {
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.noEmulator, stdout: '' });
      expect(stderr).toMatch(/^error: No emulator runs in this folder\.\nhint: .*svc emulator start/);
    }
  });
});

describe('what does not exist', () => {
  const asked = Object.entries(rows).flatMap(([name, { nobody }]) => (nobody ? [{ name, nobody }] : []));

  it.each(asked)('ends svc $name with 4 and its name', async ({ name, nobody }) => {
    const { exitCode, stdout, stderr } = await run(name, nobody);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.notFound, stdout: '' });
    expect(stderr).toContain(NOBODY);
  });

  it('is told as JSON with --json', async () => {
    const { stderr } = await run('events get', [`evt_${NOBODY}`, '--json']);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'not_found', message: expect.stringContaining(NOBODY) },
    });
  });
});

describe.each(streams)('svc %s', (name) => {
  it('prints a ready line and one object a line, and ends with 130 when it is interrupted', async () => {
    const tail = run(name, ['--since', '1h', '--json']);
    const lines: { type: string; sequence?: number }[] = [];
    for await (const line of tail) {
      lines.push(JSON.parse(line));
      if (lines.length === 2) tail.kill('SIGINT');
    }
    expect(await tail).toMatchObject({ exitCode: ExitCode.interrupted, stderr: '' });
    expect(lines[0]).toEqual({ type: 'ready' });
    expect(lines[1]).toEqual(
      expect.objectContaining({ type: expect.any(String), sequence: expect.any(Number) }),
    );
  });

  it('refuses a mistake, and says where no emulator runs', async () => {
    expect(await run(name, ['--since', 'then'])).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
    expect(await run(name, [], empty.cwd)).toMatchObject({ exitCode: ExitCode.noEmulator, stdout: '' });
  });
});
