/** The lifecycle of an emulator on the command line: start, use, stop, and errors. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { getCertificate } from '../support/certificates.ts';
import { binary, runProgram, svc, svcArgs, svcFile, svcInProcess } from './cli-program.ts';
import {
  createFolder,
  runJson,
  startEmulatorForTest,
  startEmulatorProcess,
  startReceiver,
} from './test-resources.ts';

const detach = ['emulator', 'start', '--port', '0', '--db', ':memory:', '--detach'];
const certificates = join(import.meta.dirname, '../support/certs');

// With the built program, because the bundler could remove a check whose result is not used.
it('a path that is not percent-encoded UTF-8 is rejected', async () => {
  const { ready } = await startEmulatorProcess(createFolder());
  const response = await fetch(`${ready.url}/v1/events/%ff`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_request' } });
});

it('an emulator that receives SIGINT exits with 0 and removes its run file', async () => {
  const cwd = createFolder();
  const { ready, subprocess } = await startEmulatorProcess(cwd);
  process.kill(ready.pid, 'SIGINT');
  expect(await subprocess).toMatchObject({ exitCode: ExitCode.success, stderr: '' });
  expect(existsSync(join(cwd, '.svc/run.json'))).toBe(false);
});

describe('the run file of an emulator that was killed', () => {
  /** The folder of an emulator that was killed, with changes to its run file. */
  async function leaveBehind(changes: object) {
    const cwd = createFolder();
    const { ready, subprocess } = await startEmulatorProcess(cwd, '--db', ':memory:');
    const path = join(cwd, '.svc/run.json');
    const run = JSON.parse(readFileSync(path, 'utf8'));
    subprocess.kill('SIGKILL');
    await subprocess;
    writeFileSync(path, JSON.stringify({ ...run, ...changes }));
    return { cwd, ready };
  }

  it('a run file is ignored when its process id belongs to another program', async () => {
    const { cwd, ready } = await leaveBehind({ pid: process.pid });
    const { exitCode, stderr } = await svcInProcess(['deliveries', 'list'], { cwd });
    expect(exitCode).toBe(ExitCode.noEmulator);
    expect(stderr).toContain(`No response from ${ready.url}`);
    // The file does not prevent the next start.
    const { base_url } = await startEmulatorForTest(cwd, '--db', ':memory:');
    expect(await runJson(cwd, 'emulator', 'status')).toMatchObject({ base_url });
  });

  it('svc emulator stop does not stop another emulator that has the process id and the port of the run file', async () => {
    const { pid, url, control_url } = await startEmulatorForTest(createFolder(), '--db', ':memory:');
    const { cwd } = await leaveBehind({ pid, control_url });
    for (const command of [
      ['emulator', 'stop'],
      ['trigger', 'order.shipped'],
    ]) {
      const { exitCode, stderr } = await svcInProcess(command, { cwd });
      expect(exitCode).toBe(ExitCode.noEmulator);
      expect(stderr).toContain(`A different emulator (pid ${pid}) is running at ${url}`);
    }
    expect((await fetch(`${control_url}/status`)).status).toBe(200);
  });
});

describe('svc emulator start --detach', () => {
  /** A folder whose emulator stops after the test. */
  function createFolderOfDetached(): string {
    const cwd = createFolder();
    onTestFinished(async () => void (await svcInProcess(['emulator', 'stop'], { cwd })));
    return cwd;
  }

  it('svc emulator start --detach returns when the emulator is ready, and the emulator runs in its own session and logs attempts', async () => {
    const cwd = createFolderOfDetached();
    const { exitCode, stdout } = await svc([...detach, '--json', '--forward-to', '9'], { cwd });
    expect(exitCode).toBe(ExitCode.success);
    const ready = JSON.parse(stdout);
    await runJson(cwd, 'trigger', 'order.shipped');
    const readLog = () => readFileSync(join(cwd, '.svc/emulator.log'), 'utf8');
    await expect
      .poll(readLog)
      .toMatch(/^\{"type":"ready"[^\n]*\n(?:.*\n)*?.*connection refused .* order\.shipped/);
    expect(ready).toMatchObject({ type: 'ready', pid: expect.any(Number) });
    expect(await runJson(cwd, 'emulator', 'status')).toMatchObject({ pid: ready.pid });
    if (process.platform !== 'linux') return;
    // Format: PID (NAME) STATE PARENT GROUP SESSION
    const [, , , session] = readFileSync(`/proc/${ready.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    expect(session).toBe(String(ready.pid));
  });

  // The single executable ignores NODE_OPTIONS.
  it.skipIf(binary !== null)(
    'svc emulator start --detach starts although its log has a line before the ready line',
    async () => {
      const cwd = createFolderOfDetached();
      writeFileSync(join(cwd, 'talk.mjs'), `console.error('{"a warning": 1}');`);
      const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'talk.mjs')).href}` };
      const { exitCode, stderr } = await svc(detach, { cwd, env });
      expect(exitCode).toBe(ExitCode.success);
      expect(stderr).toContain(join('.svc', 'emulator.log'));
      expect(readFileSync(join(cwd, '.svc/emulator.log'), 'utf8')).toMatch(
        /^\{"a warning": 1\}\n\{"type":"ready"/,
      );
    },
  );

  it('svc emulator start --detach prints the notes of the start, such as a seed that was not applied, once', async () => {
    const cwd = createFolderOfDetached();
    writeFileSync(join(cwd, 'seed.yaml'), 'workspaces: [{ name: A }]\n');
    const start = ['emulator', 'start', '--port', '0', '--detach'];
    await svc(start, { cwd });
    await svcInProcess(['emulator', 'stop'], { cwd });
    const { exitCode, stderr } = await svc(
      [...start, '--seed', 'seed.yaml', '--forward-to', '9', '--events', 'order.shiped'],
      { cwd },
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: ExitCode.success,
      stderr: expect.stringMatching(
        /^warning: No fixture exists for the event type order\.shiped\. .*\nThe seed was not applied: .*sandbox\.db is not a new database\.\nhint: Use svc emulator start with --fresh .*\n(?!.*(?:fixture|seed))/,
      ),
    });
  });

  it('of two svc emulator start --detach at the same time, exactly one starts', async () => {
    const cwd = createFolderOfDetached();
    const start = [...detach, '--json'];
    const results = await Promise.all([svc(start, { cwd }), svc(start, { cwd })]);
    results.sort((a, b) => Number(a.exitCode) - Number(b.exitCode));
    const [started, refused] = results;
    expect(results.map(({ exitCode }) => exitCode)).toEqual([ExitCode.success, ExitCode.usage]);
    expect(refused?.stdout).toBe('');
    expect(refused?.stderr).toContain('"code":"already_running"');
    const { pid } = JSON.parse(started?.stdout ?? '');
    expect(await runJson(cwd, 'emulator', 'status')).toMatchObject({ pid });
    expect(readFileSync(join(cwd, '.svc/emulator.log'), 'utf8')).toMatch(/^\{"type":"ready"/m);
  });

  it('svc emulator start --detach fails when the start fails, and no emulator runs afterwards', async () => {
    const cwd = createFolder();
    const refused = await svc([...detach, '--host', '192.0.2.1'], { cwd });
    expect(refused).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
    // The single executable ignores NODE_OPTIONS.
    if (binary !== null) return;
    writeFileSync(
      join(cwd, 'die.mjs'),
      `import { writeSync } from 'node:fs';
      if (!process.argv.includes('--detach')) {
        writeSync(2, 'The last words.');
        process.kill(process.pid, 9);
      }`,
    );
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'die.mjs')).href}` };
    const killed = await svc(detach, { cwd, env });
    expect(killed).toMatchObject({ exitCode: ExitCode.internal, stdout: '' });
    expect(killed.stderr).toMatch(
      /^error: The emulator did not start\.\nhint: Read its log: .*emulator\.log\n$/,
    );
    const [log = ''] = /\S+\.log/.exec(killed.stderr) ?? [];
    expect(readFileSync(log, 'utf8')).toMatch(/The last words\.$/);
    expect(await svcInProcess(['emulator', 'status'], { cwd })).toMatchObject({
      exitCode: ExitCode.noEmulator,
    });
  });
});

it('svc emulator wait returns when an emulator that is started later responds', async () => {
  const cwd = createFolder();
  const waiting = runJson(cwd, 'emulator', 'wait');
  const { base_url } = await startEmulatorForTest(cwd, '--db', ':memory:');
  expect(await waiting).toMatchObject({ exitCode: ExitCode.success, base_url });
});

describe('options of svc emulator start', () => {
  it('the options set the address, the environment, the profile, the keys and the endpoint', async () => {
    const address = '--db :memory: --host localhost --environment production --profile strict';
    const endpoint = '--forward-to https://example.com/hooks --events order.shipped,invoice.paid';
    const options = `${address} ${endpoint} --random-seed 7`.split(' ');
    const cwd = createFolder();
    const first = await startEmulatorForTest(cwd, ...options);
    const { api_key, webhook_secret } = await startEmulatorForTest(createFolder(), ...options);
    expect(first).toMatchObject({
      ...{ url: expect.stringMatching(/^http:\/\/localhost:\d+$/), environment: 'production' },
      ...{ profile: 'strict', api_key: expect.stringMatching(/^svc_live_/) },
    });
    expect(first).toMatchObject({ api_key, webhook_secret });
    expect(await runJson(cwd, 'webhooks', 'get', first.webhook_id)).toMatchObject({
      ...{ url: 'https://example.com/hooks', events: ['order.shipped', 'invoice.paid'] },
    });
  });

  it('--ca makes the emulator trust receivers with a certificate of that authority', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver({}, { certificate: getCertificate('localhost') });
    const ca = join(certificates, 'authority.cert.pem');
    await startEmulatorForTest(cwd, '--db', ':memory:', '--ca', ca, '--forward-to', receiver.url);
    expect(await svcInProcess(['trigger', 'order.shipped', '--wait'], { cwd })).toMatchObject({
      exitCode: 0,
    });
  });

  it('--write-env creates a file with the environment variables of svc env', async () => {
    const cwd = createFolder();
    await startEmulatorForTest(cwd, '--db', ':memory:', '--write-env', 'new.env');
    const variables = readFileSync(join(cwd, 'new.env'), 'utf8');
    expect(await svcInProcess(['env', '--format', 'dotenv'], { cwd })).toMatchObject({ stdout: variables });
  });
});

describe('pipes', () => {
  it.skipIf(!existsSync('/dev/full'))(
    'svc exits with 74 and one line on standard error when standard output is on a full disk',
    async () => {
      const run = (...args: string[]) => {
        const words = [svcFile, ...svcArgs, ...args].map((word) => `'${word}'`);
        return runProgram('bash', ['-c', `${words.join(' ')} > /dev/full`], { cwd: createFolder() });
      };
      const message = 'Standard output cannot be written: the disk is full.';
      expect(await run('env', '--help')).toMatchObject({ exitCode: 74, stderr: `error: ${message}` });
      expect(await run('config', '--json')).toMatchObject({
        exitCode: 74,
        stderr: JSON.stringify({ error: { code: 'output_failed', message } }),
      });
    },
  );

  it.skipIf(process.platform === 'win32')(
    'svc deliveries tail exits with 0 when the reader closes the pipe',
    async () => {
      const cwd = createFolder();
      const receiver = await startReceiver();
      const { control_url } = await startEmulatorForTest(
        cwd,
        '--db',
        ':memory:',
        '--forward-to',
        receiver.url,
      );
      const control = createHttpControlClient({ controlUrl: control_url });
      const { deliveries } = await runJson(cwd, 'trigger', 'order.shipped', '--wait');
      const words = [svcFile, ...svcArgs, 'deliveries', 'tail', '--json'].map((word) => `'${word}'`);
      const script = `${words.join(' ')} | head -1; exit "\${PIPESTATUS[0]}"`;
      const pipe = runProgram('bash', ['-c', script], { cwd, timeout: 20_000 });
      let ended = false;
      pipe.finally(() => {
        ended = true;
      });
      // Each attempt writes another line that the closed pipe does not read.
      await expect
        .poll(
          async () => {
            await control.replayDelivery({ id: deliveries[0].id });
            return ended;
          },
          { timeout: 20_000 },
        )
        .toBe(true);
      expect(await pipe).toMatchObject({
        exitCode: ExitCode.success,
        stdout: '{"type":"ready"}',
        stderr: '',
      });
    },
  );
});
