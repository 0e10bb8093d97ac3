import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOfFolder } from '../../../src/cli/boot-emulator.ts';
import { command } from '../../../src/cli/commands/doctor.ts';
import { createContext } from '../../../src/cli/context.ts';
import { createRunFile } from '../../../src/config/run-file.ts';
import type { Finding } from '../../../src/diagnosis/connection-findings.ts';
import { findFreePort, listenDuringTest } from '../../support/local-server.ts';
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
  /** Treats the port as the default one, which tests cannot use. */
  readonly isDefaultPort?: boolean;
}

/** Runs `svc doctor --json`. `get` finds a result by its id. */
async function visit({ cwd = createTemporaryFolder(), env = {}, isDefaultPort = false }: Visit = {}) {
  const { host, capturedOutput } = createFakeHost({ cwd, env: { SVC_PORT: '0', ...env } });
  const context = createContext(host, { json: true });
  async function resolveConfig() {
    const config = await context.resolveConfig();
    const port = { kind: 'default', name: 'default' } as const;
    return isDefaultPort ? { ...config, sources: { ...config.sources, port } } : config;
  }
  const exitCode = await command.run({} as never, { ...context, resolveConfig });
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
    const cwd = createTemporaryFolder();
    const { ok, findings, get } = await visit({ cwd });
    expect(ok).toBe(true);
    const hint = { command: 'svc emulator start' };
    expect(get('emulator')).toMatchObject({ detail: `not running in ${cwd}`, hint });
    expect(findings.map(({ id, status }) => `${id} ${status}`)).toEqual([
      ...['node ok', 'sqlite ok', 'config ok', 'emulator skipped', 'port ok', 'database ok'],
      'endpoints skipped',
    ]);
    const listDetails = (visited: { findings: Finding[] }) => visited.findings.map(({ detail }) => detail);
    const missing = `${join(cwd, '.svc', 'sandbox.db')} does not exist yet`;
    expect(listDetails({ findings })).toEqual(expect.arrayContaining(['any free port', missing]));
    const SVC_PORT = String(await findFreePort());
    const other = await visit({ env: { SVC_PORT, SVC_DB: ':memory:' } });
    expect(listDetails(other)).toEqual(expect.arrayContaining([`${SVC_PORT} is free`, 'in memory']));
    const remote = await visit({ env: { SVC_PORT, SVC_HOST: '192.0.2.1' } });
    expect(remote.get('port')?.detail).toContain(`Cannot listen on 192.0.2.1:${SVC_PORT}: `);
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

  it('a port that another program uses is a problem', async () => {
    const port = await listenDuringTest(createServer());
    expect((await visit({ env: { SVC_PORT: String(port) } })).get('port')).toEqual({
      ...{ id: 'port', status: 'problem', title: 'Port', detail: `${port} is in use` },
      hint: { text: expect.any(String), command: `lsof -i :${port}` },
    });
  });

  it('if the emulator of another folder uses the default port, this folder has its own port', async () => {
    const { emulator } = await startInFolder();
    const cwd = createTemporaryFolder();
    const port = new URL(emulator.status().url).port;
    const { get } = await visit({ cwd, env: { SVC_PORT: port }, isDefaultPort: true });
    expect(get('port')).toMatchObject({
      status: 'ok',
      detail: `${port} is used by the emulator of ${emulator.status().project_folder}, so this folder uses ${portOfFolder(cwd)}`,
    });
  });

  it('an emulator that does not respond is a problem', async () => {
    const cwd = createTemporaryFolder();
    const run = { started_at: '', control_url: 'http://127.0.0.1:1/_svc', version: '0' };
    createRunFile(cwd, { ...run, pid: process.pid }, {});
    const { get } = await visit({ cwd });
    expect(get('emulator')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringContaining('No response from http://127.0.0.1:1') },
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
    expect(get('port')?.detail).toBe(`${new URL(url).port} is used by the emulator`);
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
});

it('svc doctor shows the remedy below each problem', async () => {
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
