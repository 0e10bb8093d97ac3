import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkNode, command } from '../../../src/cli/commands/doctor.ts';
import { createContext } from '../../../src/cli/context.ts';
import { createRunFile } from '../../../src/config/run-file.ts';
import type { Finding } from '../../../src/diagnosis/probe-findings.ts';
import { listenDuringTest } from '../../support/local-server.ts';
import { Database } from '../../support/sqlite.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import {
  startTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createFakeHost, NOW } from '../fake-context.ts';

interface Visit {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** Runs `svc doctor --json`. `get` finds a result by its id. */
async function visit({ cwd = createTemporaryFolder(), env = {} }: Visit = {}) {
  const { host, capturedOutput } = createFakeHost({ cwd, env: { SVC_PORT: '0', ...env } });
  const exitCode = await command.run({} as never, createContext(host, { json: true }));
  const { ok, findings } = JSON.parse(capturedOutput.out) as { ok: boolean; findings: Finding[] };
  expect(exitCode).toBe(ok ? 0 : 1);
  expect(capturedOutput.err).toBe('');
  return { ok, findings, get: (id: string) => findings.find((finding) => finding.id.endsWith(id)) };
}

/** An emulator with a folder whose run file names it. */
async function startInFolder(options: TestEmulatorOptions = {}) {
  const cwd = createTemporaryFolder();
  const emulator: TestEmulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  createRunFile(cwd, emulator.status(), {});
  return { cwd, emulator };
}

const forwardTo = (url: string) => ({ forwardTo: { url, events: ['a.b'] } });

describe('svc doctor without an emulator', () => {
  it('svc doctor checks everything that needs no emulator', async () => {
    const { ok, findings } = await visit();
    expect(ok).toBe(true);
    expect(findings.map(({ id, status }) => `${id} ${status}`)).toEqual([
      ...['node ok', 'sqlite ok', 'config ok', 'emulator skipped', 'port ok', 'database ok'],
      'endpoints skipped',
    ]);
  });

  it('the emulator that does not run is named by its folder', async () => {
    const cwd = createTemporaryFolder();
    expect((await visit({ cwd })).get('emulator')).toMatchObject({
      ...{ status: 'skipped', detail: `not running in ${cwd}` },
      hint: { command: 'svc emulator start' },
    });
  });

  it('a Node.js version that is too old is a problem', () => {
    expect(checkNode('20.18.3')).toMatchObject({
      status: 'problem',
      hint: { text: expect.stringMatching(/20\.19/) },
    });
    expect(checkNode('20.19.0').status).toBe('ok');
    expect(checkNode('22.0.0').status).toBe('ok');
  });

  it.each([
    ['an invalid value', '{"port": "x"}', 'Invalid value for port in svc.config.json: "x"'],
    ['an unknown override', '{"overrides": {"retry.jiter": 1}}', 'retry.jiter'],
    ['invalid JSON', '{', 'is not valid JSON'],
  ])('a configuration with %s is a problem', async (_, text, detail) => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'svc.config.json'), text);
    const { ok, get } = await visit({ cwd, env: { SVC_PORT: '' } });
    expect(ok).toBe(false);
    expect(get('config')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining(detail), hint: expect.any(Object) },
    });
  });

  it.skipIf(process.platform === 'win32')('a run file that other users can change is a problem', async () => {
    const cwd = createTemporaryFolder();
    createRunFile(
      cwd,
      { pid: process.pid, started_at: '', control_url: 'http://127.0.0.1:1/_svc', version: '0' },
      {},
    );
    chmodSync(join(cwd, '.svc'), 0o777);
    const { get } = await visit({ cwd });
    expect(get('emulator')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining(`${join(cwd, '.svc')} is not used`) },
      hint: { text: expect.stringContaining(`SVC_TRUST_FOLDERS=${cwd}`) },
    });
  });

  it('an emulator that does not respond is a problem, and its port is not said to be used', async () => {
    const cwd = createTemporaryFolder();
    const run = { started_at: '', control_url: 'http://127.0.0.1:1/_svc', version: '0' };
    createRunFile(cwd, { ...run, pid: process.pid }, {});
    const { get } = await visit({ cwd });
    expect(get('port')).toMatchObject({ status: 'ok', detail: 'any free port' });
    expect(get('emulator')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining('No response from http://127.0.0.1:1') },
    });
  });

  it('the hint names the emulator of this folder if SVC_CONTROL_URL has the address of one that has stopped', async () => {
    const cwd = createTemporaryFolder();
    await using emulator = await startTestEmulator({ db: join(cwd, '.svc', 'sandbox.db') });
    createRunFile(cwd, emulator.status(), {});
    const env = { SVC_CONTROL_URL: 'http://127.0.0.1:1/_svc' };
    const { get } = await visit({ cwd, env });
    expect(get('database')).toMatchObject({ status: 'skipped' });
    expect(get('emulator')).toMatchObject({
      status: 'problem',
      hint: { text: expect.stringContaining(emulator.status().url), command: 'unset SVC_CONTROL_URL' },
    });
  });

  it('a port that another program uses is a problem', async () => {
    const server = createServer();
    const port = await listenDuringTest(server);
    expect((await visit({ env: { SVC_PORT: String(port) } })).get('port')).toEqual({
      ...{ id: 'port', status: 'problem', title: 'Port', detail: `${port} is in use` },
      hint: { text: expect.any(String), command: expect.stringContaining(`lsof -i :${port}`) },
    });
  });

  it('a port that the emulator of another folder uses is a problem', async () => {
    const { emulator } = await startInFolder();
    const { port } = new URL(emulator.status().url);
    expect((await visit({ env: { SVC_PORT: port } })).get('port')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining(`${port} is in use by svc (pid `) },
      hint: { command: expect.stringContaining('svc emulator stop --url') },
    });
  });

  it.each([
    ['file of another program', (path: string) => new Database(path).exec('CREATE TABLE a (b)').close()],
    ['file that contains text', (path: string) => writeFileSync(path, 'text '.repeat(1000))],
    ['file that is in use', (path: string) => openFor(path)],
  ])('a database %s is a problem', async (_, make) => {
    const cwd = createTemporaryFolder();
    const path = join(cwd, '.svc', 'sandbox.db');
    mkdirSync(join(cwd, '.svc'));
    make(path);
    expect((await visit({ cwd })).get('database')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining(path), hint: expect.any(Object) },
    });
  });

  it('the database of a stopped emulator is reported as intact', async () => {
    const cwd = createTemporaryFolder();
    const db = join(cwd, '.svc', 'sandbox.db');
    await (await startTestEmulator({ db })).close();
    expect((await visit({ cwd })).get('database')).toMatchObject({
      ...{ status: 'ok', detail: expect.stringMatching(/KiB, intact$/) },
    });
  });
});

/** Locks the file like a running emulator. */
function openFor(path: string): void {
  const db = new Database(path);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE a (b)');
  onTestFinished(() => void db.close());
}

describe('svc doctor with a running emulator', () => {
  it('the configuration names its file, and the emulator its address and folder', async () => {
    const { cwd, emulator } = await startInFolder();
    expect((await visit({ cwd })).get('config')?.detail).toBe('no configuration file');
    const file = join(cwd, 'svc.config.json');
    writeFileSync(file, '{"speed": 2}');
    const { get } = await visit({ cwd });
    expect(get('config')?.detail).toBe(file);
    const { url, pid, version, project_folder: folder } = emulator.status();
    expect(get('emulator')?.detail).toBe(`${url}, version ${version}, process ${pid}, folder ${folder}`);
  });

  it('every check passes with a receiver, which gets no request', async () => {
    const receiver = await createReceiver();
    onTestFinished(receiver.close);
    const { cwd } = await startInFolder(forwardTo(receiver.url));
    const { ok, findings } = await visit({ cwd });
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(ok).toBe(true);
    expect(findings.map(({ id }) => id.replace(/^wh_\w+/, 'wh'))).toEqual([
      ...['node', 'sqlite', 'config', 'emulator', 'port', 'database'],
      'wh/reachable',
    ]);
    expect(receiver.requests).toEqual([]);
  });

  it('an endpoint whose port is closed is a problem', async () => {
    const { cwd } = await startInFolder(forwardTo('http://127.0.0.1:1/'));
    expect((await visit({ cwd })).get('/reachable')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('connection refused by 127.0.0.1:1: nothing is listening there'),
      hint: { command: expect.stringContaining('svc webhooks update wh_') },
    });
  });

  it('a disabled endpoint is a warning and is not checked further', async () => {
    const { cwd, emulator } = await startInFolder(forwardTo('http://127.0.0.1:1/'));
    await emulator.control.updateWebhook({ id: String(emulator.status().webhook_id), disabled: true });
    const { ok, get } = await visit({ cwd });
    expect(get('/enabled')).toMatchObject({
      status: 'warning',
      hint: { command: expect.stringMatching(/--enable$/) },
    });
    expect(ok).toBe(true);
  });

  it('the endpoint check is skipped without endpoints and suggests svc webhooks create', async () => {
    const { cwd } = await startInFolder();
    expect((await visit({ cwd })).get('endpoints')).toMatchObject({
      ...{ status: 'skipped', hint: { command: expect.stringContaining('svc webhooks create') } },
    });
  });

  it('the port belongs to the emulator of the folder, even if SVC_CONTROL_URL names another emulator', async () => {
    const { cwd, emulator } = await startInFolder();
    const other = await startInFolder();
    const { port } = new URL(emulator.status().url);
    const env = { SVC_PORT: port, SVC_CONTROL_URL: other.emulator.status().control_url };
    expect((await visit({ cwd, env })).get('port')).toMatchObject({
      ...{ status: 'ok', detail: `${port} is used by the emulator` },
    });
  });

  it('the checked port is the one that the emulator uses, even if another emulator uses the configured port', async () => {
    const { cwd, emulator } = await startInFolder();
    const other = await startInFolder();
    const env = { SVC_PORT: new URL(other.emulator.status().url).port };
    const { port } = new URL(emulator.status().url);
    expect((await visit({ cwd, env })).get('port')).toMatchObject({
      ...{ status: 'ok', detail: `${port} is used by the emulator` },
    });
  });
});

describe('svc doctor without --json', () => {
  it('the table shows the remedy below each problem', async () => {
    const { cwd } = await startInFolder(forwardTo('http://127.0.0.1:1/'));
    const { host, capturedOutput } = createFakeHost({ cwd, env: { SVC_PORT: '0' }, width: 60 });
    expect(host.now()).toBe(NOW);
    await command.run({} as never, createContext(host, {}));
    expect(capturedOutput.out).toMatch(/^STATUS +CHECK +RESULT\n/);
    expect(capturedOutput.out).toMatch(/ok +Node\.js +version \d+/);
    expect(capturedOutput.out).toMatch(
      /problem +connection to http:\/\/127\.0\.0\.1:1\/\s+connection refused [^→]*\n +(?:→|->) Start or fix the receiver/,
    );
  });
});
