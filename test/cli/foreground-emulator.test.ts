import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bootEmulator, portOfFolder } from '../../src/cli/boot-emulator.ts';
import { registerEmulator } from '../../src/cli/foreground-emulator.ts';
import { resolveConfig, type ValueSource } from '../../src/config/resolve-config.ts';
import { createRunFile, createStateFolder, removeRunFile } from '../../src/config/run-file.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { openSqlite } from '../../src/store/driver.ts';
import { lockFile } from '../../src/store/lock-file.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createFakeHost, type FakeOptions, runLine } from './fake-context.ts';

/** Starts an emulator with a database in memory on a free port (default: in an empty folder). */
function start(options: readonly string[], fake: FakeOptions = {}) {
  const words = ['emulator', 'start', '--port', '0', '--db', ':memory:', ...options];
  return runLine(words, { cwd: createTemporaryFolder(), ...fake });
}

it.each([
  ['--forward-to', ['--forward-to', 'http://example.com/x'], {}],
  ['SVC_FORWARD_TO', [], { SVC_FORWARD_TO: 'http://example.com/x' }],
])('svc emulator start says that a URL that no endpoint can have comes from %s', async (name, args, env) => {
  const { exitCode, err } = await start(args, { env });
  expect(exitCode).toBe(ExitCode.usage);
  expect(err).toMatch(`error: The URL in ${name} must use HTTPS, because`);
});

it.each([
  [
    ['--events', 'order.paid'],
    {},
    'warning: The event types in --events have no effect without --forward-to.\n',
  ],
  [['--events', 'order.paid', '--forward-to', '3000'], {}, null],
  [
    [],
    { SVC_PRT: '1', SVC_PORT: '0' },
    'SVC_PRT is not a variable of svc and has no effect.\nhint: Did you mean SVC_PORT?\n',
  ],
  [
    [],
    { SVC_OVERRIDES: '{}' },
    'SVC_OVERRIDES is not a variable of svc and has no effect.\nhint: List the settings with: svc config\n',
  ],
  [[], { SVC_BASE_URL: 'http://127.0.0.1:1/v1', OTHER: '1' }, null],
])(
  'svc emulator start %j with the variables %j warns about what has no effect: %j',
  async (args, env, warning) => {
    const { exitCode, err } = await start(args, { env, signal: AbortSignal.abort() });
    expect(exitCode).toBe(ExitCode.success);
    if (warning === null) expect(err).not.toContain('no effect');
    else expect(err).toContain(warning);
  },
);

it('svc emulator start names the setting that accepts a local URL under the strict rule', async () => {
  const { exitCode, err } = await start(['--profile', 'strict', '--forward-to', '3111']);
  expect(exitCode).toBe(ExitCode.usage);
  expect(err).toContain('"overrides": {"webhook.url": "local"}');
});

it.each([
  ['the state folder', 'Cannot use the folder', (path: string) => writeFileSync(path, '')],
  ['the run file', 'Cannot write', (path: string) => mkdirSync(join(path, 'run.json'), { recursive: true })],
])(
  'an emulator runs without a run file if %s cannot be written, and a warning names the consequence',
  async (_, problem, block) => {
    await using emulator = await startTestEmulator();
    const folder = createTemporaryFolder();
    block(join(folder, '.svc'));
    const { host, capturedOutput } = createFakeHost();

    expect(registerEmulator(emulator, folder, host)).toBeNull();

    expect(capturedOutput.err).toMatch(`warning: ${problem} ${join(folder, '.svc')}`);
    expect(capturedOutput.err).toMatch('Other commands in this folder do not find this emulator.\n');
    expect(capturedOutput.err).toMatch(
      `hint: Pass its URL to them with --url ${emulator.status().url}, or set SVC_CONTROL_URL.\n`,
    );
  },
);

it('an emulator with a database in memory starts in a folder that cannot be written', async () => {
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, '.svc'), '');
  const { exitCode, err } = await start([], { cwd, signal: AbortSignal.abort() });
  expect(exitCode).toBe(ExitCode.success);
  expect(err).toContain('Other commands in this folder do not find this emulator.');
});

it('the run file of a running emulator is removed at its end', async () => {
  await using emulator = await startTestEmulator();
  const folder = createTemporaryFolder();
  const { host, capturedOutput } = createFakeHost();
  registerEmulator(emulator, folder, host);
  expect(existsSync(join(folder, '.svc/run.json'))).toBe(true);
  removeRunFile(folder, process.pid);
  expect(existsSync(join(folder, '.svc/run.json'))).toBe(false);
  expect(capturedOutput.err).toBe('');
  // A state folder that is gone is not an error.
  rmSync(join(folder, '.svc'), { recursive: true });
  removeRunFile(folder, process.pid);
});

describe('an emulator that claims its folder', () => {
  it('while a process starts an emulator in a folder, another start there fails', async () => {
    const cwd = createTemporaryFolder();
    const release = lockFile(join(createStateFolder(cwd, {}), 'emulator.lock'));
    expect(await start([], { cwd })).toMatchObject({
      exitCode: ExitCode.usage,
      err: expect.stringContaining(`Another process starts an emulator in ${cwd}.`),
    });
    release?.();
    // The first one releases the folder.
    for (const _ of [1, 2]) {
      const { exitCode } = await start([], { cwd, signal: AbortSignal.abort() });
      expect(exitCode).toBe(ExitCode.success);
    }
  });

  it.each(['', 'http://127.0.0.1:1'])(
    'the error for a folder with an emulator has the command that stops it, also while SVC_CONTROL_URL is "%s"',
    async (address) => {
      await using emulator = await startTestEmulator();
      const { url } = emulator.status();
      const cwd = createTemporaryFolder();
      createRunFile(cwd, emulator.status(), {});
      const release = lockFile(join(createStateFolder(cwd, {}), 'emulator.lock'));
      onTestFinished(() => release?.());
      const { exitCode, err } = await start([], { cwd, env: { SVC_CONTROL_URL: address } });
      expect(exitCode).toBe(ExitCode.usage);
      expect(err).toBe(
        `error: An emulator is already running in this folder: pid ${process.pid}, ${url}.\n` +
          `hint: Start a second emulator in another folder, or stop this one with: svc emulator stop --url ${url}\n`,
      );
    },
  );
});

it('a failed start leaves no state folder, unless the folder has other files', async () => {
  const cwd = createTemporaryFolder();
  const fail = async () => expect((await start(['--seed', 'a.json'], { cwd })).exitCode).toBe(ExitCode.usage);
  await fail();
  expect(existsSync(join(cwd, '.svc'))).toBe(false);
  const sequence = join(createStateFolder(cwd, {}), 'sequence.json');
  writeFileSync(sequence, '{}');
  await fail();
  expect(existsSync(sequence)).toBe(true);
});

it.skipIf(process.platform === 'win32')(
  'a failed start removes its lock file before it releases the lock, which another start can get then',
  async () => {
    const cwd = createTemporaryFolder();
    const path = join(cwd, '.svc/emulator.lock');
    const existedAtRelease: boolean[] = [];
    const prototype = Object.getPrototypeOf(openSqlite(':memory:'));
    const { close } = prototype;
    vi.spyOn(prototype, 'close').mockImplementation(function (this: { name: string }) {
      if (this.name === path) existedAtRelease.push(existsSync(path));
      return close.call(this);
    });
    expect((await start(['--seed', 'missing.json'], { cwd })).exitCode).toBe(ExitCode.usage);
    expect(existedAtRelease).toEqual([false]);
  },
);

it.each([
  { folder: 'its own folder: after the run file is removed', pid: process.pid, requests: 3 },
  { folder: 'the folder of another emulator: at once', pid: process.ppid, requests: 1 },
])('svc emulator stop returns for an emulator in $folder', async ({ pid, requests }) => {
  await using emulator = await startTestEmulator();
  const cwd = createTemporaryFolder();
  const status = { ...emulator.status(), project_folder: cwd };
  createRunFile(cwd, { ...status, pid }, {});
  const release = lockFile(join(createStateFolder(cwd, {}), 'emulator.lock'));
  onTestFinished(() => release?.());
  const responses = [JSON.stringify(status), '{"stopping":true}'];
  let unanswered = 0;
  const port = await listenDuringTest(
    createServer((request, response) => {
      const body = responses.shift();
      if (body !== undefined) return response.end(body);
      if (++unanswered === requests) removeRunFile(cwd, process.pid);
      request.socket.destroy();
    }),
  );
  const { exitCode } = await runLine(['emulator', 'stop', '--url', `http://127.0.0.1:${port}`], { cwd });
  expect(exitCode).toBe(ExitCode.success);
  expect(unanswered).toBe(requests);
});

it('svc emulator start refuses a --ca file that does not contain a certificate', async () => {
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, 'ca.pem'), 'no certificate');
  expect(await start(['--ca', 'ca.pem'], { cwd })).toMatchObject({
    exitCode: ExitCode.usage,
    err: `error: The CA file ${join(cwd, 'ca.pem')} is not a PEM certificate.\nhint: Pass a PEM file that starts with -----BEGIN CERTIFICATE-----.\n`,
  });
});

it('svc emulator wait times out when no emulator runs, when nothing listens, and when the address never responds', async () => {
  const port = await listenDuringTest(createServer(() => {}));
  const wait = ['emulator', 'wait', '--timeout', '100ms'];
  const cwd = createTemporaryFolder();
  // Nobody listens on this port, so the error names no other emulator.
  const noEmulator = await runLine(wait, { cwd, env: { SVC_PORT: '9' } });
  expect(noEmulator).toMatchObject({ exitCode: ExitCode.timeout, out: '' });
  expect(noEmulator.err).toMatch(
    /^error: .* within 100ms\. No emulator is running in this folder\.\n.*svc emulator start/,
  );
  for (const [url, error] of [
    ['http://127.0.0.1:9', 'No response from http://127.0.0.1:9'],
    [`http://127.0.0.1:${port}`, 'No emulator responded within 100ms.'],
  ] as const) {
    const { exitCode, err } = await runLine([...wait, '--url', url], { cwd });
    expect(exitCode).toBe(ExitCode.timeout);
    expect(err).toContain(error);
  }
});

describe('a port that is in use', () => {
  async function boot(cwd: string, port: number, kind: ValueSource['kind']) {
    const config = await resolveConfig({ options: { port: String(port), db: ':memory:' }, env: {}, cwd });
    const { host, capturedOutput } = createFakeHost({ cwd });
    // As if the port were the default one, which tests cannot use.
    const sources = { ...config.sources, port: { kind, name: kind } };
    const emulator = await bootEmulator({ ...config, sources }, resolveRules('relaxed'), host);
    onTestFinished(() => emulator.close());
    return { url: new URL(emulator.status().url), err: capturedOutput.err };
  }

  it('if another emulator uses the default port, a folder has its own port, the same at each start', async () => {
    await using other = await startTestEmulator();
    const port = Number(new URL(other.status().url).port);
    const cwd = createTemporaryFolder();
    const { url, err } = await boot(cwd, port, 'default');
    expect(Number(url.port)).toBe(portOfFolder(cwd));
    expect(err).toBe(
      `Port ${port} is in use by the emulator of ${other.status().project_folder}, so this folder uses port ${url.port}.\n`,
    );
    expect(portOfFolder(cwd)).not.toBe(portOfFolder(`${cwd}/b`));
    const { pid, url: otherUrl } = other.status();
    await expect(boot(cwd, port, 'flag')).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`already in use by svc (pid ${pid}, database `),
      hint: { command: `svc emulator stop --url ${otherUrl}` },
    });
  });

  it('if another program uses the default port, the start fails', async () => {
    const port = await listenDuringTest(createServer((_, response) => response.end('{}')));
    await expect(boot(createTemporaryFolder(), port, 'default')).rejects.toMatchObject({
      code: 'port_in_use',
      message: `Port ${port} on 127.0.0.1 is already in use.`,
      hint: { text: expect.stringContaining(`find the program on port ${port}`) },
    });
  });

  it('the ports of folders are in a range that systems do not assign themselves', () => {
    const ports = Array.from({ length: 500 }, (_, index) => portOfFolder(`/home/me/${index}`));
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...ports)).toBeLessThan(32_000);
  });
});
