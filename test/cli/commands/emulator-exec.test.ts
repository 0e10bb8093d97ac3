/** The outcome of a run of `svc emulator exec` with an emulator in this process. A function of the test takes the place of the command. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { command } from '../../../src/cli/commands/emulator-exec.ts';
import type { EnvVariables } from '../../../src/cli/env-variables.ts';
import type { CommandResult } from '../../../src/cli/exec/run-command.ts';
import * as runCommandModule from '../../../src/cli/exec/run-command.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { findFreePort } from '../../support/local-server.ts';
import { replaceExports } from '../../support/replace-exports.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createReceiver, type ReceiverResponses } from '../../support/test-receiver.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

type Script = (variables: EnvVariables) => Promise<Partial<CommandResult>>;

/** Creates one event, which has a delivery if there is an endpoint. */
const trigger: Script = async ({
  SVC_BASE_URL: baseUrl = '',
  SVC_API_KEY: apiKey = '',
  SVC_WORKSPACE_ID,
}) => {
  const event = { type: 'order.shipped', workspace_id: SVC_WORKSPACE_ID, payload: {} };
  await createApiClient({ baseUrl, apiKey }).createEvent(JSON.stringify(event));
  return {};
};

/** Moves the clock past the last retry. */
const settle: Script = async ({ SVC_CONTROL_URL: controlUrl = '' }) => {
  await createHttpControlClient({ controlUrl }).settleClock({});
  return {};
};

const both: Script = async (variables) => {
  await trigger(variables);
  return settle(variables);
};

/** Runs `script` as the command. `responses` are those of a receiver; without them there is no endpoint. */
async function exec(
  options: object,
  script: Script = async () => ({}),
  { responses, ...fake }: FakeOptions & { responses?: ReceiverResponses } = {},
) {
  const cwd = createTemporaryFolder();
  const temporary = createTemporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  const receiver = responses === undefined ? null : await createReceiver(responses);
  let variables: EnvVariables = {};
  replaceExports(runCommandModule, {
    async runCommand(_words, given: EnvVariables) {
      variables = given;
      return { exitCode: 0, wasInterrupted: false, ...(await script(given)) };
    },
  });
  const { context, capturedOutput } = createFakeContext({ cwd, ...fake });
  // Not port 0: a server of another test could get the same port as soon as the emulator has closed.
  const port = String(await findFreePort());
  const settings = { port, ...(receiver && { forwardTo: receiver.url }) };
  try {
    const exitCode = await command.run({ command: ['x'], ...settings, ...options }, context);
    return { exitCode, ...capturedOutput, variables, cwd };
  } finally {
    vi.unstubAllEnvs();
    const { SVC_BASE_URL: url } = variables;
    if (url !== undefined) await expect(fetch(url)).rejects.toThrow('fetch failed');
    await receiver?.close();
    expect(readdirSync(temporary)).toEqual([]);
  }
}

describe('the exit code of svc emulator exec', () => {
  const ok = { exitCode: ExitCode.success, err: '' };
  const failure = { exitCode: ExitCode.failure };

  it('the exit code is that of the command when no option checks the deliveries', async () => {
    expect(await exec({}, both, { responses: [410] })).toMatchObject(ok);
    expect(await exec({})).toMatchObject(ok);
    expect(await exec({}, async () => ({ exitCode: 7 }))).toMatchObject({ exitCode: 7 });
  });

  it.each<[string, object, Script, ReceiverResponses, object]>([
    ['--require-settled, and all succeeded', { requireSettled: true }, trigger, [200], ok],
    [
      '--require-settled, and the receiver responds after the end of the command',
      { requireSettled: true },
      trigger,
      [{ delayMs: 50 }],
      ok,
    ],
    ['--require-settled, and one is pending', { requireSettled: true }, trigger, [503], failure],
    ['--require-settled, and one failed', { requireSettled: true }, both, Array(20).fill(503), failure],
  ])('the exit code is correct with %s', async (_, options, script, responses, expected) => {
    expect(await exec(options, script, { responses })).toMatchObject(expected);
  });

  it('an exit code of the command is kept when the check fails too, and the deliveries are listed', async () => {
    const script: Script = async (variables) => {
      await trigger(variables);
      return { exitCode: 6 };
    };
    const { exitCode, err } = await exec({ requireSettled: true }, script, { responses: [503] });
    expect(exitCode).toBe(6);
    expect(err).toContain('1 of 1 delivery did not succeed');
  });

  it.each([
    ['with 0 is checked', 0, ExitCode.failure],
    ['with 130 is not checked', 130, 130],
  ])('an interrupted command that exits %s', async (_, exitCode, expected) => {
    const script: Script = async (variables) => {
      await trigger(variables);
      return { exitCode, wasInterrupted: true };
    };
    // The user who interrupted the command reads no report of its failure.
    expect(await exec({ requireSettled: true }, script, { responses: [503] })).toMatchObject({
      exitCode: expected,
      err: '',
    });
  });

  it('a run without deliveries fails with --require-settled', async () => {
    const { exitCode, err } = await exec({ requireSettled: true });
    expect(exitCode).toBe(ExitCode.failure);
    expect(err).toMatch(/^No event was created in this emulator\.\nhint: /);
    expect(await exec({ requireSettled: true, allowNoDeliveries: true })).toMatchObject(ok);
  });

  it('a failed command without deliveries keeps its exit code', async () => {
    const { exitCode, err } = await exec({ requireSettled: true }, async () => ({ exitCode: 6 }));
    expect([exitCode, err]).toEqual([6, '']);
  });

  it('a command that cannot be started ends the emulator too', async () => {
    const script: Script = async () => {
      throw new Error('no such program');
    };
    await expect(exec({}, script)).rejects.toThrow('no such program');
  });

  it('a signal before the command starts ends the run', async () => {
    const script = vi.fn();
    await expect(exec({}, script, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(script).not.toHaveBeenCalled();
  });

  it.each([
    [0, { code: 'no_emulator' }],
    [6, null],
  ])(
    'an emulator that the command stopped is an error unless the command failed (exit code %i)',
    async (exitCode, error) => {
      const script: Script = async ({ SVC_CONTROL_URL: controlUrl = '' }) => {
        await createHttpControlClient({ controlUrl }).stop({});
        return { exitCode };
      };
      const run = exec({ requireSettled: true }, script, { responses: [200] });
      if (error !== null) await expect(run).rejects.toMatchObject(error);
      else
        expect(await run).toMatchObject({
          exitCode,
          err: expect.stringContaining('stopped before its deliveries'),
        });
    },
  );
});

describe('the log of svc emulator exec', () => {
  it('a failure shows the last 20 lines of the log, and --log keeps all of them', async () => {
    const script: Script = async (variables) => {
      for (let i = 0; i < 21; i++) await trigger(variables);
      return { exitCode: 7 };
    };
    const { err } = await exec({}, script);
    const lines = err.trimEnd().split('\n');
    expect(lines[0]).toBe('Last lines of the emulator log:');
    expect(lines.slice(1, -1)).toEqual(Array(20).fill(expect.stringMatching(/^ {2}\S+ {2}POST {2}201 /)));
    expect(lines.at(-1)).toBe('hint: Keep the complete log with --log FILE.');
    const kept = await exec({ log: 'a.log' }, script);
    const path = join(kept.cwd, 'a.log');
    expect(kept.err).toContain(`Last lines of the emulator log ${path}:\n`);
    expect(kept.err).not.toContain('hint:');
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(21);
    const succeeded = await exec({ log: 'a.log' }, trigger);
    expect(succeeded).toMatchObject({ exitCode: ExitCode.success, err: '' });
    expect(readdirSync(succeeded.cwd)).toEqual(['a.log']);
  });

  it('an invalid setting leaves the log of an earlier run unchanged', async () => {
    const path = join(createTemporaryFolder(), 'a.log');
    writeFileSync(path, 'earlier');
    await expect(exec({ log: path, keepDays: 'x' })).rejects.toThrow('Invalid value for --keep-days');
    expect(readFileSync(path, 'utf8')).toBe('earlier');
  });

  it('--json reports the exit code, the log and the deliveries as one document', async () => {
    const { err } = await exec({ requireSettled: true, log: 'a.log' }, trigger, {
      responses: [503],
      json: true,
    });
    expect(JSON.parse(err)).toEqual({
      exit_code: ExitCode.failure,
      log: expect.stringMatching(/a\.log$/),
      unsettled: [expect.objectContaining({ status: 'pending' })],
    });
    const empty = await exec({ requireSettled: true, log: 'a.log' }, async () => ({}), { json: true });
    expect(JSON.parse(empty.err)).toEqual({
      exit_code: ExitCode.failure,
      log: null,
      no_deliveries: {
        message: 'No event was created in this emulator.',
        hint: { text: expect.any(String) },
      },
    });
  });
});
