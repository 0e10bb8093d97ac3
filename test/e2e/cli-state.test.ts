/** Commands on the whole state of an emulator: reset, snapshots, seeds, and reproducible runs. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-control-client.ts';
import { ExitCode } from '../../src/errors.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startSvc, waitUntilReady } from '../torture/svc-process.ts';
import { type Ready, svcInProcess } from './cli-program.ts';
import { createFolder, runJsonOk, startEmulatorForTest, startReceiver } from './test-resources.ts';

const frozenInMemory = ['--db', ':memory:', '--freeze'];

function post(
  { base_url, api_key }: Pick<Ready, 'base_url' | 'api_key'>,
  body: string,
  headers: Record<string, string> = {},
) {
  return fetch(`${base_url}/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', ...headers },
    body,
  });
}

describe('svc emulator reset and snapshot', () => {
  it('svc emulator reset restores the startup state', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver({ status: 503 });
    const { ready } = await startEmulatorForTest(cwd, ...frozenInMemory, '--forward-to', receiver.url);
    await svcInProcess(['trigger', 'order.shipped', '--count', '2'], { cwd });
    await svcInProcess(['clock', 'advance', '1h'], { cwd });
    await svcInProcess(['webhooks', 'delete', ready.webhook_id], { cwd });

    const reset = await svcInProcess(['emulator', 'reset', '--yes'], { cwd });
    expect(reset).toMatchObject({
      ...{ exitCode: ExitCode.success, stderr: '' },
      stdout: 'Reset the emulator. It has no deliveries.\n',
    });
    expect((await runJsonOk(cwd, 'deliveries', 'list')).data).toEqual([]);
    expect((await runJsonOk(cwd, 'webhooks', 'get', ready.webhook_id)).url).toBe(receiver.url);
    expect(await runJsonOk(cwd, 'emulator', 'reset')).toMatchObject({
      api_key: ready.api_key,
      pid: ready.pid,
    });
  });

  it('svc emulator reset says how many deliveries it kept, and --all removes them', async () => {
    const cwd = createFolder();
    const options = { db: join(cwd, 'sandbox.db'), forwardTo: { url: 'http://127.0.0.1:9/', events: ['*'] } };
    const first = await startTestEmulator(options);
    for (let count = 0; count < 2; count++) await first.api('POST', '/events', { type: 'order.shipped' });
    await first.close();
    await using emulator = await startTestEmulator(options);
    const run = (...args: string[]) =>
      svcInProcess(['emulator', 'reset', ...args], {
        cwd,
        env: { SVC_CONTROL_URL: emulator.status().control_url },
      });
    expect(await run()).toEqual({
      exitCode: ExitCode.success,
      stdout: 'Reset the emulator. It kept 2 deliveries of its initial state, of which 2 are pending.\n',
      stderr: 'hint: Begin with an empty state with: svc emulator reset --all\n',
    });
    const empty = { stdout: 'Reset the emulator. It has no deliveries.\n', stderr: '' };
    expect(await run('--all')).toMatchObject(empty);
    expect(await run()).toMatchObject(empty);
  });

  it.each(['reset', 'snapshot save a', 'snapshot load a'])(
    'svc emulator %s is an error when no emulator runs',
    async (line) => {
      const { exitCode, stdout, stderr } = await svcInProcess(['emulator', ...line.split(' ')], {
        cwd: createFolder(),
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.noEmulator, stdout: '' });
      expect(stderr).toContain('No emulator is running in this folder.');
    },
  );
});

describe.skipIf(process.platform === 'win32')('an emulator whose folder was removed', () => {
  it('commands report the removed database, snapshot save works, and the emulator recreates its run file itself', async () => {
    const cwd = createFolder();
    const { ready } = await startEmulatorForTest(cwd);
    await svcInProcess(['trigger', 'order.shipped'], { cwd });
    // The emulator may recreate its run file during the removal.
    rmSync(join(cwd, '.svc'), { recursive: true, maxRetries: 3 });
    await expect.poll(() => existsSync(join(cwd, '.svc', 'run.json'))).toBe(true);
    const refused = await svcInProcess(['trigger', 'order.shipped'], { cwd });
    expect(refused).toMatchObject({
      exitCode: ExitCode.internal,
      stderr: expect.stringContaining('The database file was removed'),
    });
    const status = await svcInProcess(['emulator', 'status'], { cwd });
    expect(status.stdout).toMatch(/Database problem +The database file was removed/);
    await svcInProcess(['emulator', 'snapshot', 'save', 'state.svc'], { cwd });
    const other = createFolder();
    await startEmulatorForTest(other, '--db', ':memory:');
    const loaded = await svcInProcess(['emulator', 'snapshot', 'load', join(cwd, 'state.svc')], {
      cwd: other,
    });
    expect(loaded).toMatchObject({ exitCode: ExitCode.success });
    expect((await runJsonOk(other, 'events', 'list')).data).toHaveLength(1);
    expect(await runJsonOk(cwd, 'emulator', 'status')).toMatchObject({ pid: ready.pid });
  });
});

describe('svc emulator snapshot', () => {
  it('paths of snapshots are relative to the folder of the command', async () => {
    const receiver = await startReceiver({ status: 503 });
    const [first, second, elsewhere] = [createFolder(), createFolder(), createFolder()];
    const { ready } = await startEmulatorForTest(first, ...frozenInMemory, '--forward-to', receiver.url);
    const { event } = await runJsonOk(first, 'trigger', 'order.shipped');
    await receiver.waitFor(1);
    const saved = await svcInProcess(['emulator', 'snapshot', 'save', 'state.svc', '--url', ready.url], {
      cwd: elsewhere,
    });
    expect(saved).toMatchObject({ exitCode: ExitCode.success, stderr: '' });
    expect(saved.stdout).toMatch(
      new RegExp(`^Saved all state to ${elsewhere}/state.svc \\(\\d+ KiB\\)\\.\n$`),
    );
    expect(readdirSync(elsewhere)).toEqual(['state.svc']);

    const secondEmulator = await startEmulatorForTest(second, ...frozenInMemory);
    const path = join(elsewhere, 'state.svc');
    const loaded = await svcInProcess(['emulator', 'snapshot', 'load', path, '--yes'], { cwd: second });
    expect(loaded.stdout).toMatch(
      new RegExp(
        `^Loaded +${path}\\nWorkspace +${ready.workspace_id}\\nAPI key +${secondEmulator.ready.api_key}\\n`,
      ),
    );
    receiver.respond({});
    expect((await runJsonOk(second, 'clock', 'advance', '5m')).attempts).toMatchObject([
      { number: 2, outcome: 'succeeded' },
    ]);
    expect(await runJsonOk(second, 'events', 'get', event.id)).toEqual(event);
  });

  it('a file that is not a snapshot is an error, and stays unchanged', async () => {
    const cwd = createFolder();
    await startEmulatorForTest(cwd, ...frozenInMemory);
    writeFileSync(join(cwd, 'notes'), 'notes');
    for (const verb of ['save', 'load']) {
      const { exitCode, stdout, stderr } = await svcInProcess(['emulator', 'snapshot', verb, 'notes'], {
        cwd,
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
      expect(stderr).toMatch(/no(?:t a)? snapshot\.\nhint: \S/);
    }
    expect(readFileSync(join(cwd, 'notes'), 'utf8')).toBe('notes');
    const { exitCode } = await svcInProcess(['emulator', 'snapshot', 'save'], { cwd });
    expect(exitCode).toBe(ExitCode.usage);
  });

  it('an existing snapshot stays intact when the emulator is killed during a save', async () => {
    const cwd = createFolder();
    await using emulator = startSvc({ folder: cwd, killAt: { point: 'snapshot.copied', nth: 2 } });
    const ready = await waitUntilReady(emulator);
    const path = join(cwd, 'state.svc');
    const hash = () => createHash('sha256').update(readFileSync(path)).digest('hex');
    await runJsonOk(cwd, 'emulator', 'snapshot', 'save', 'state.svc');
    const old = hash();
    expect((await post(ready, '{"type":"a.b"}')).status).toBe(201);

    const killed = await svcInProcess(['emulator', 'snapshot', 'save', 'state.svc'], { cwd });
    expect(killed.exitCode).toBe(ExitCode.noEmulator);
    expect((await emulator.exited).signal).toBe('SIGKILL');
    expect(readdirSync(cwd)).toContain('state.svc.svc-unfinished');
    expect(hash()).toBe(old);

    const next = createFolder();
    await startEmulatorForTest(next, ...frozenInMemory);
    expect((await runJsonOk(next, 'emulator', 'snapshot', 'load', path)).workspace_id).toBe(
      ready.workspace_id,
    );
  });

  it('a snapshot is consistent while clients create events', async () => {
    const cwd = createFolder();
    const receiver = await startReceiver();
    const { ready } = await startEmulatorForTest(cwd, ...frozenInMemory, '--forward-to', receiver.url);
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) await post(ready, '{"type":"a.b"}');
    });
    await receiver.waitFor(50);
    for (let i = 0; i < 3; i++) await runJsonOk(cwd, 'emulator', 'snapshot', 'save', `${i}.svc`);
    isOver = true;
    await Promise.all(clients);

    const next = createFolder();
    const secondEmulator = await startEmulatorForTest(next, ...frozenInMemory);
    const control = createHttpControlClient({ controlUrl: secondEmulator.ready.control_url });
    for (let i = 0; i < 3; i++) {
      await runJsonOk(next, 'emulator', 'snapshot', 'load', join(cwd, `${i}.svc`));
      await control.settleClock({});
      // Each event has one delivery. Attempts that were in flight are repeated.
      const { data: deliveries } = await control.listDeliveries({ limit: 1000 });
      expect(deliveries.length).toBeGreaterThan(0);
      expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(deliveries.length);
      expect(deliveries.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    }
  });
});

describe('--seed', () => {
  it('the path of a seed in svc.config.json is relative to that file', async () => {
    const cwd = createFolder();
    mkdirSync(join(cwd, 'sandbox'));
    writeFileSync(
      join(cwd, 'sandbox/seed.yaml'),
      'workspaces:\n  - name: A\n    keys: [{ key: svc_test_of_a }]\n',
    );
    writeFileSync(join(cwd, 'svc.config.json'), '{"seed":"sandbox/seed.yaml"}');
    const { ready } = await startEmulatorForTest(cwd, ...frozenInMemory);
    expect(ready.api_key).toBe('svc_test_of_a');
    expect((await runJsonOk(cwd, 'events', 'create', 'order.shipped')).workspace_id).toBe(ready.workspace_id);
  });

  it('svc emulator start fails when the seed is invalid, and names the field', async () => {
    const cwd = createFolder();
    writeFileSync(
      join(cwd, 'seed.json'),
      '{"workspaces":[{"name":"A","webhooks":[{"url":"http://127.0.0.1"}]}]}',
    );
    const { exitCode, stdout, stderr } = await svcInProcess(
      ['emulator', 'start', '--port', '0', '--seed', 'seed.json'],
      { cwd },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr).toContain('seed.json: workspaces[0].webhooks[0].events is required.');
  });
});

describe('two runs with the same seed', () => {
  /** The output of all commands and of one API request, without the port. */
  async function run(receiver: string): Promise<string> {
    const cwd = createFolder();
    const fixed = ['--random-seed', '7', '--wall-clock', '2026-11-20T12:00:00Z'];
    const { ready, subprocess } = await startEmulatorForTest(
      cwd,
      ...frozenInMemory,
      ...fixed,
      '--forward-to',
      receiver,
    );
    const outputs: string[] = [JSON.stringify(ready)];
    const record = async (...args: string[]) => {
      const document = await runJsonOk(cwd, ...args);
      outputs.push(JSON.stringify(document));
      return document;
    };
    const seed = ['--random-seed', '3'];
    const { deliveries } = await record('trigger', 'order.shipped', ...seed, '--wait');
    await record('webhooks', 'create', '--url', `${receiver}/second`, '--events', 'invoice.paid');
    await record('keys', 'create', '--scopes', 'events:read');
    await record('workspaces', 'create', 'Second');
    // Not recorded: the number of finished attempts depends on speed. `deliveries get` records them below.
    await runJsonOk(cwd, 'trigger', 'invoice.paid', ...seed);
    await runJsonOk(cwd, 'clock', 'advance', '0s');
    await record('clock', 'advance', '1h');
    await record('deliveries', 'replay', deliveries[0].id, '--wait', '--new-id');
    await record('webhooks', 'rotate-secret', ready.webhook_id);
    for (const list of ['events', 'webhooks', 'keys', 'workspaces', 'logs']) await record(list, 'list');
    const { data } = await record('deliveries', 'list');
    for (const { id } of data) await record('deliveries', 'get', id);
    const response = await post(ready, '{"type":"a.b"}', { 'idempotency-key': 'k' });
    outputs.push(String(response.headers.get('request-id')), await response.text());
    // Not recorded for the same reason. No attempt is in flight afterwards.
    await runJsonOk(cwd, 'clock', 'advance', '0s');
    await record('emulator', 'status');
    await record('emulator', 'stop');
    await subprocess;
    return outputs.join('\n').replaceAll(new URL(ready.url).host, 'HOST').replaceAll(cwd, 'FOLDER');
  }

  const withoutPace = (text: string) =>
    text
      .replace(/"(duration_ms|boot_ms|pid)": ?[\d.]+/g, '"$1":0')
      .replace(/"phases": ?\{[^}]*\}/g, '"phases":{}')
      .replace(/"date": ?"[^"]*"/g, '"date":""');

  it('two runs print identical output, except for durations', async () => {
    const refuseFirst = (): ReceiverResponses => {
      let refused = false;
      return ({ path }) => {
        const status = path === '/second' && !refused ? 503 : 200;
        refused ||= status === 503;
        return { status };
      };
    };
    const receiver = await startReceiver(refuseFirst());
    const first = withoutPace(await run(receiver.url));
    receiver.respond(refuseFirst());
    expect(withoutPace(await run(receiver.url))).toBe(first);
    expect(first).toMatch(/"Service-Signature": ?"v1=/);
  }, 180_000);
});
