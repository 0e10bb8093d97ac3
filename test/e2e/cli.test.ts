/**
 * Runs every command with the cases of `command-cases.ts`: the text output with the built program, and the rest in this process, because a
 * process for each case would take half a minute.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';
import { createTempFolder, startEmulator, svc, svcInProcess } from './cli-program.ts';
import {
  type CommandCase,
  type CommandFixture,
  commandCases,
  environmentDependentCommands,
  processCommands,
  serviceCommands,
  stateReplacingCommands,
  streamingCommands,
  UNKNOWN_ID,
} from './command-cases.ts';

const emulatorFolder = createTempFolder();
const emptyFolder = createTempFolder();

let emulator: Awaited<ReturnType<typeof startEmulator>>;
let receiver: Receiver;
let commandFixture: CommandFixture;

beforeAll(async () => {
  receiver = await createReceiver();
  emulator = await startEmulator(
    emulatorFolder.cwd,
    '--db',
    ':memory:',
    '--freeze',
    '--forward-to',
    receiver.url,
  );
  const { control_url: controlUrl, workspace_id, webhook_id, webhook_secret } = emulator.ready;
  const control = createHttpControlClient({ controlUrl });
  const { event, deliveries } = await runJson('trigger', ['order.shipped', '--wait']);
  let webhookCount = 0;
  commandFixture = {
    ...{ event: event.id, delivery: deliveries[0].id, webhook: webhook_id, secret: webhook_secret },
    ...{ workspace: workspace_id, receiver: receiver.url },
    request: (await runJson('logs list', ['--method', 'POST'])).data[0].id,
    createKey: async () => (await control.createKey({ scopes: ['events:read'] })).id,
    createWebhook: async () =>
      (await runJson('webhooks create', ['--url', `${receiver.url}/${++webhookCount}`, '--events', 'a.b']))
        .id,
  };
});

afterAll(async () => {
  emulator.subprocess.kill();
  await Promise.all([emulator.subprocess, receiver.close()]);
  emulatorFolder.remove();
  emptyFolder.remove();
});

function run(name: string, args: readonly string[], cwd = emulatorFolder.cwd, env = {}) {
  return svcInProcess([...name.split(' '), ...args], { cwd, env });
}

function runProcess(name: string, args: readonly string[]) {
  return svc([...name.split(' '), ...args], { cwd: emulatorFolder.cwd });
}

async function runJson(name: string, args: readonly string[]) {
  return JSON.parse((await run(name, [...args, '--json'])).stdout);
}

async function argsOf({ args = [] }: CommandCase): Promise<readonly string[]> {
  return typeof args === 'function' ? args(commandFixture) : args;
}

it('the table of cases has every command', () => {
  expect(
    [
      ...Object.keys(commandCases),
      ...streamingCommands,
      ...processCommands,
      ...serviceCommands,
      ...stateReplacingCommands,
      ...environmentDependentCommands,
    ].sort(),
  ).toEqual(Object.keys(commandsByName).sort());
});

describe.each(Object.entries(commandCases))('svc %s', (name, row) => {
  it('text output describes the result', async () => {
    const { exitCode, stdout, stderr } = await runProcess(name, await argsOf(row));
    expect(stdout).toMatch(row.stdout);
    expect(stderr.trimEnd()).toMatch(row.stderr ?? /^$/);
    expect(exitCode).toBe(ExitCode.success);
  });

  it('--json prints one JSON document', async () => {
    const { exitCode, stdout } = await run(name, [...(await argsOf(row)), '--json']);
    expect(Object.keys(JSON.parse(stdout))).toEqual(expect.arrayContaining([...row.jsonFields]));
    expect(exitCode).toBe(ExitCode.success);
  });

  it('invalid arguments are an error on standard error only', async () => {
    const [args, error] = row.invalid;
    const { exitCode, stdout, stderr } = await run(name, args);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr.startsWith(`error: ${error}`), stderr).toBe(true);
  });

  it('a missing emulator is an error, unless the command needs none', async () => {
    // Nobody listens on this port, so the error names no other emulator.
    const { exitCode, stdout, stderr } = await run(name, await argsOf(row), emptyFolder.cwd, {
      SVC_PORT: '9',
    });
    if (row.needsNoEmulator) {
      expect(exitCode).toBe(ExitCode.success);
      expect(stderr.trimEnd()).toMatch(row.stderr ?? /^$/);
    } else {
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.noEmulator, stdout: '' });
      expect(stderr).toMatch(/^error: No emulator is running in this folder\.\nhint: .*svc emulator start/);
    }
  });
});

describe('a resource that does not exist', () => {
  const casesWithMissingId = Object.entries(commandCases).flatMap(([name, { notFound }]) =>
    notFound ? [{ name, args: notFound }] : [],
  );

  it.each(casesWithMissingId)(
    'svc $name exits with 4 and names the missing resource',
    async ({ name, args }) => {
      const { exitCode, stdout, stderr } = await run(name, args);
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.notFound, stdout: '' });
      expect(stderr).toContain(UNKNOWN_ID);
      expect(stderr).toMatch(/hint: List (the|its) .* with: svc \w+ list/);
    },
  );

  it('a missing resource is a JSON error with --json', async () => {
    const { stderr } = await run('events get', [`evt_${UNKNOWN_ID}`, '--json']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'not_found',
        message: expect.stringContaining(UNKNOWN_ID),
        hint: { text: 'List the events', command: 'svc events list' },
      },
    });
  });
});

describe.each(streamingCommands)('svc %s', (name) => {
  it('the stream prints a ready line and one object per line, and exits with 130 when it is interrupted', async () => {
    const tail = runProcess(name, ['--since', '1h', '--json']);
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

  it('invalid arguments and a missing emulator are errors', async () => {
    expect(await run(name, ['--since', 'then'])).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
    expect(await run(name, [], emptyFolder.cwd)).toMatchObject({ exitCode: ExitCode.noEmulator, stdout: '' });
  });
});
