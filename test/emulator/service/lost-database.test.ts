import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/domain/errors.ts';
import { Database } from '../../support/sqlite.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';

const EVENT = { type: 'order.shipped', payload: { order_id: 'ord_1' } };

async function startOnFile() {
  const folder = join(createTemporaryFolder(), '.svc');
  mkdirSync(folder);
  const db = join(folder, 'sandbox.db');
  const reported: SvcError[] = [];
  const faultLog = {
    report: (_: string, fault: unknown) => void (fault instanceof SvcError && reported.push(fault)),
  };
  const emulator = await startTestEmulator({ db, internalErrorLog: faultLog });
  await emulator.api('POST', '/events', EVENT);
  return { folder, db, emulator, reported };
}

// On Windows, an open file cannot be removed.
describe.skipIf(process.platform === 'win32')('a database file', () => {
  it.each<[string, string, (paths: { folder: string; db: string }) => void]>([
    ['that is removed with its folder', 'removed', ({ folder }) => rmSync(folder, { recursive: true })],
    ['whose log is removed', 'removed', ({ db }) => rmSync(`${db}-wal`)],
    [
      'that is replaced by a copy',
      'replaced',
      ({ db }) => {
        copyFileSync(db, `${db}.copy`);
        renameSync(`${db}.copy`, db);
      },
    ],
  ])('every write fails with 503 for a file %s [storage.file-removed]', async (_, kind, lose) => {
    const { folder, db, emulator, reported } = await startOnFile();
    await using _emulator = emulator;
    lose({ folder, db });
    const refused = await emulator.api('POST', '/events', EVENT);
    expect([refused.status, refused.json.error.code]).toEqual([503, 'storage_unavailable']);
    expect(refused.json.error.message).toContain(`The database file was ${kind}`);
    const storage_problem = {
      kind,
      message: refused.json.error.message,
      hint: { command: expect.stringContaining('svc emulator') },
    };
    expect(await emulator.control.getStatus({})).toMatchObject({ storage_problem });
    await expect(emulator.control.reset({})).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(reported.length).toBeGreaterThan(0);
  });

  it('a removed file is reported even if nothing is written [storage.file-removed]', async () => {
    const { folder, emulator, reported } = await startOnFile();
    await using _emulator = emulator;
    rmSync(folder, { recursive: true });
    await expect.poll(() => reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({
      code: 'storage_unavailable',
      message: 'The database file was removed while the emulator was running. Writes are refused.',
      hint: { command: expect.stringContaining('svc emulator snapshot save') },
    });
  });

  it('the file that another emulator created in the place of a removed one keeps its log when the first emulator stops [storage.new-file]', async () => {
    const { folder, db, emulator } = await startOnFile();
    rmSync(folder, { recursive: true });
    await using second = await startTestEmulator({ db });
    await second.api('POST', '/events', { ...EVENT, type: 'order.second' });
    await emulator.close().catch(() => {});
    expect(existsSync(`${db}-wal`)).toBe(true);
    await second.api('POST', '/events', { ...EVENT, type: 'order.third' });
    await second.close();
    const file = new Database(db, { readonly: true });
    expect(file.prepare('SELECT type FROM events ORDER BY seq').pluck().all()).toEqual([
      'order.second',
      'order.third',
    ]);
    file.close();
  });
});
