import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertSecretAllowed, findEmulatorOnPort, resolveTarget } from '../../src/cli/emulator-target.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { createRunFile } from '../../src/config/run-file.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { findFreePort, listenDuringTest } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { runLine } from './fake-context.ts';

const TOKEN = '0123456789abcdef';
const KEY = 'svc_test_0123456789abcdef';
const ELSEWHERE = 'http://collector.example:4777';
const LOOPBACK = 'http://127.0.0.1:4777';

interface Given {
  readonly options?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly file?: Record<string, string>;
  /** The control plane that the run file of the folder names. */
  readonly running?: string;
  readonly ownToken?: string;
}

/** Resolves the emulator and the credentials that a command sends to it. */
async function ask({ options = {}, env = {}, file, running, ownToken }: Given) {
  const cwd = createTemporaryFolder();
  if (file !== undefined) writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify(file));
  if (running !== undefined) {
    const run = { pid: process.pid, started_at: '', version: '0', control_url: `${running}/_svc` };
    createRunFile(cwd, { ...run, control_token: ownToken }, {});
  }
  const config = await resolveConfig({ options, env, cwd });
  const { controlUrl, token } = await resolveTarget(config, { cwd, env });
  if (config.values.apiKey !== null) assertSecretAllowed('apiKey', config, controlUrl);
  return { controlUrl, token, apiKey: config.values.apiKey };
}

const secrets = [
  ['SVC_CONTROL_TOKEN', TOKEN, 'token'],
  ['SVC_API_KEY', KEY, 'apiKey'],
] as const;

describe.each(secrets)('%s', (variable, secret, name) => {
  const env = { [variable]: secret };

  it.each<[string, Given]>([
    ['an address that an option names', { options: { url: ELSEWHERE }, env }],
    ['an address that a variable names', { env: { ...env, SVC_CONTROL_URL: ELSEWHERE } }],
    ['a loopback address that the configuration file names', { env, file: { control_url: LOOPBACK } }],
    ['a loopback address that the run file names', { env, running: LOOPBACK }],
  ])('the credential is sent to %s [files.credentials]', async (_, options) => {
    expect(await ask(options)).toMatchObject({ [name]: secret });
  });

  it.each<[string, Given, string]>([
    ['the configuration file', { env, file: { control_url: ELSEWHERE } }, 'svc.config.json'],
    ['the run file', { env, running: ELSEWHERE }, 'the run file in this folder'],
  ])(
    'the credential is not sent to an address on another machine that only %s names [files.credentials]',
    async (_, options, place) => {
      await expect(ask(options)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(
          new RegExp(
            `^${variable} was not sent to ${ELSEWHERE}, because that address comes from .*${place}\\.$`,
          ),
        ),
        hint: { text: `Confirm the address with: --url ${ELSEWHERE}` },
      });
    },
  );
});

describe('the address of an emulator', () => {
  it.each([
    ['http://127.0.0.1:5001', 'http://127.0.0.1:5001/_svc'],
    ['http://127.0.0.1:5001/v1', 'http://127.0.0.1:5001/_svc'],
    ['http://127.0.0.1:5001/v1/', 'http://127.0.0.1:5001/_svc'],
    ['http://127.0.0.1:5001/_svc/', 'http://127.0.0.1:5001/_svc'],
    ['http://127.0.0.1:5001/emulator/_svc', 'http://127.0.0.1:5001/emulator/_svc'],
    ['0.0.0.0:5001', 'http://127.0.0.1:5001/_svc'],
    ['http://[::]:5001', 'http://[::1]:5001/_svc'],
    ['localhost:5001/v1', 'http://localhost:5001/_svc'],
    ['5001', 'http://localhost:5001/_svc'],
  ])('--url %s is the emulator at %s', async (url, controlUrl) => {
    expect((await ask({ options: { url } })).controlUrl).toBe(controlUrl);
  });

  it('a single word is not an address', async () => {
    await expect(ask({ options: { url: 'emulator' } })).rejects.toThrow('Invalid value for --url');
  });
});

describe('the emulator on the configured port', () => {
  const findAt = (port: number) => findEmulatorOnPort({ host: '127.0.0.1', port });

  it.each(['{"ok":true}', 'null', '[]', '{}', '<h1>Hello</h1>'])(
    'a server that responds to everything with %s is not reported as an emulator',
    async (body) => {
      const server = createServer((_, response) => response.end(body));
      expect(await findAt(await listenDuringTest(server))).toBeNull();
    },
  );

  it('a command in a folder without an emulator names the one that responds on the configured port, and its folder', async () => {
    await using emulator = await startTestEmulator();
    const { url, project_folder } = emulator.status();
    const cwd = createTemporaryFolder();
    const run = async (port: string) => {
      const { exitCode, err } = await runLine(['emulator', 'status'], { cwd, env: { SVC_PORT: port } });
      expect(exitCode).toBe(ExitCode.noEmulator);
      return err;
    };
    expect(await run(new URL(url).port)).toBe(
      `error: No emulator is running in this folder.\nhint: Use the emulator of ${project_folder} with: --url ${url}\n`,
    );
    expect(await run(String(await findFreePort()))).toContain('or start one with: svc emulator start');
  });
});

describe('SVC_CONTROL_URL with an address at which nothing responds', () => {
  const env = { SVC_CONTROL_URL: 'http://127.0.0.1:1/_svc' };
  const run = async (...args: string[]) => (await runLine(args, { cwd: createTemporaryFolder(), env })).err;

  it.each([
    ['emulator', 'status'],
    ['emulator', 'stop'],
    ['deliveries', 'list'],
    ['events', 'list', '--api-key', KEY, '--workspace', 'ws_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['listen', '4242'],
    ['env'],
  ])('the hint of svc %s %s names the variable', async (...args) => {
    expect(await run(...args)).toBe(
      'error: No response from http://127.0.0.1:1 (ECONNREFUSED).\n' +
        'hint: Start an emulator at this address, which comes from SVC_CONTROL_URL, or remove the variable with: unset SVC_CONTROL_URL\n',
    );
  });

  it('with --url, the hint does not name the variable', async () => {
    expect(await run('emulator', 'status', '--url', 'http://127.0.0.1:1')).toContain(
      'start one with: svc emulator start',
    );
  });
});

it('the error for a workspace that does not exist says that its ID comes from SVC_WORKSPACE_ID', async () => {
  await using emulator = await startTestEmulator();
  const id = 'ws_01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const env = { SVC_CONTROL_URL: emulator.status().control_url, SVC_WORKSPACE_ID: id };
  const hintOf = async (...args: string[]) => {
    const { exitCode, err } = await runLine(args, { env });
    expect(exitCode).toBe(ExitCode.notFound);
    return err.split('hint: ')[1];
  };
  expect(await hintOf('clock', 'show')).toBe(
    'Replace SVC_WORKSPACE_ID, which contains this ID, by setting the variables of the emulator with: eval "$(svc env)"\n',
  );
  expect(await hintOf('clock', 'show', '--workspace', 'ws_01ARZ3NDEKTSV4RRFFQ69G5FAW')).toBe(
    'List the workspaces with: svc workspaces list\n',
  );
  expect(await hintOf('deliveries', 'get', id)).toBe(
    `List its deliveries with: svc deliveries list --workspace ${id}\n`,
  );
});

describe('the control plane token', () => {
  it('the token of a configuration file is sent to the address in the same file', async () => {
    const file = { control_url: ELSEWHERE, control_token: TOKEN, api_key: KEY };
    expect(await ask({ file })).toMatchObject({ token: TOKEN, apiKey: KEY });
  });

  it('the token of the run file is used for its address, even if SVC_CONTROL_TOKEN is set', async () => {
    const options = {
      env: { SVC_CONTROL_TOKEN: TOKEN },
      running: 'http://192.168.1.5:4777',
      ownToken: 'own-token-0123456',
    };
    expect(await ask(options)).toMatchObject({ token: 'own-token-0123456' });
  });

  it('the token is not sent to the program that uses the port of svc emulator start, which may belong to another user [files.busy-port]', async () => {
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const port = await listenDuringTest(server);
    const args = ['emulator', 'start', '--port', String(port), '--db', ':memory:'];
    const fake = { cwd: createTemporaryFolder(), env: { SVC_CONTROL_TOKEN: TOKEN } };
    const { exitCode, err } = await runLine(args, fake);
    expect(exitCode).toBe(ExitCode.usage);
    expect(err).toContain(`find the program on port ${port} with: lsof`);
    expect(received).toEqual([undefined]);
  });
});
