/** Commands on the whole state of an emulator. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExitCode } from '../../src/domain/errors.ts';
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

describe.skipIf(process.platform === 'win32')('an emulator whose folder was removed', () => {
  it('commands with its URL report the removed database, and snapshot save works', async () => {
    const cwd = createFolder();
    const { url: address, pid } = await startEmulatorForTest(cwd);
    await svcInProcess(['trigger', 'order.shipped'], { cwd });
    rmSync(join(cwd, '.svc'), { recursive: true, maxRetries: 3 });
    const url = ['--url', address];
    const refused = await svcInProcess(['trigger', 'order.shipped', ...url], { cwd });
    expect(refused).toMatchObject({
      exitCode: ExitCode.internal,
      stderr: expect.stringContaining('The database file was removed'),
    });
    const status = await svcInProcess(['emulator', 'status', ...url], { cwd });
    expect(status.stdout).toMatch(/Database problem +The database file was removed/);
    await svcInProcess(['emulator', 'snapshot', 'save', 'state.svc', ...url], { cwd });
    const other = createFolder();
    await startEmulatorForTest(other, '--db', ':memory:');
    const loaded = await svcInProcess(['emulator', 'snapshot', 'load', join(cwd, 'state.svc')], {
      cwd: other,
    });
    expect(loaded).toMatchObject({ exitCode: ExitCode.success });
    expect((await runJsonOk(other, 'events', 'list')).data).toHaveLength(1);
    expect(await runJsonOk(cwd, 'emulator', 'status', ...url)).toMatchObject({ pid });
  });
});

describe('svc emulator snapshot', () => {
  it('paths of snapshots are relative to the folder of the command', async () => {
    const receiver = await startReceiver({ status: 503 });
    const [first, second, elsewhere] = [createFolder(), createFolder(), createFolder()];
    const ready = await startEmulatorForTest(first, ...frozenInMemory, '--forward-to', receiver.url);
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

    const { api_key } = await startEmulatorForTest(second, ...frozenInMemory);
    const path = join(elsewhere, 'state.svc');
    const loaded = await svcInProcess(['emulator', 'snapshot', 'load', path, '--yes'], { cwd: second });
    expect(loaded.stdout).toMatch(
      new RegExp(`^Loaded +${path}\\nWorkspace +${ready.workspace_id}\\nAPI key +${api_key}\\n`),
    );
    receiver.respond({});
    expect((await runJsonOk(second, 'clock', 'advance', '5m')).attempts).toMatchObject([
      { number: 2, outcome: 'succeeded' },
    ]);
    expect(await runJsonOk(second, 'events', 'get', event.id)).toEqual(event);
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
});
