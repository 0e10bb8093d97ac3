import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { command as exportCommand } from '../../../src/cli/commands/deliveries-export.ts';
import { SvcError } from '../../../src/domain/errors.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

function setUp(fakeOptions: FakeOptions = {}, error?: Error) {
  async function* read() {
    yield '{"a":"é👋"}\n';
    if (error !== undefined) throw error;
    yield '{"b":2}\n';
  }
  const exportDeliveries = vi.fn<ControlPlane['exportDeliveries']>(async () => read());
  const cwd = createTemporaryFolder();
  return {
    exportDeliveries,
    cwd,
    ...createFakeContext({ control: { exportDeliveries }, cwd, ...fakeOptions }),
  };
}

const FILE = '{"a":"é👋"}\n{"b":2}\n';

describe('svc deliveries export', () => {
  it('standard output is the file', async () => {
    const { context, capturedOutput } = setUp();
    await exportCommand.run({}, context);
    expect(capturedOutput).toEqual({ out: FILE, err: '' });
  });

  it('--out writes the file and says how large it is', async () => {
    const { context, capturedOutput, cwd } = setUp();
    writeFileSync(join(cwd, 'a.ndjson'), 'earlier');
    await exportCommand.run({ out: 'a.ndjson' }, context);
    expect(readFileSync(join(cwd, 'a.ndjson'), 'utf8')).toBe(FILE);
    expect(readdirSync(cwd)).toEqual(['a.ndjson']);
    expect(capturedOutput).toEqual({ out: 'Saved a.ndjson (1 KiB).\n', err: '' });
  });

  it('--json prints the path and the size of the file', async () => {
    const { context, capturedOutput, cwd } = setUp({ json: true });
    await exportCommand.run({ out: 'a.ndjson' }, context);
    const path = join(cwd, 'a.ndjson');
    expect(JSON.parse(capturedOutput.out)).toEqual({
      path,
      size_bytes: Buffer.byteLength(FILE),
    });
  });

  it('the filter options are parameters of the request', async () => {
    const { context, exportDeliveries } = setUp();
    const filter = {
      ...{
        status: 'failed' as const,
        event_id: 'evt_1',
        type: 'a.b',
        webhook_id: 'wh_1',
        workspace_id: 'ws_1',
      },
      ...{ text: 'x', since: '2h', until: '1h' },
    };
    await exportCommand.run(filter, context);
    expect(exportDeliveries.mock.calls[0]?.[0]).toEqual({
      ...{ delivery_id: undefined, ...filter },
    });
  });

  it('an earlier file stays unchanged if the export fails', async () => {
    const error = new SvcError('no_emulator', 'The connection was closed.');
    const { context, cwd } = setUp({}, error);
    writeFileSync(join(cwd, 'a.ndjson'), 'earlier');
    await expect(exportCommand.run({ out: 'a.ndjson' }, context)).rejects.toBe(error);
    expect(readFileSync(join(cwd, 'a.ndjson'), 'utf8')).toBe('earlier');
    expect(readdirSync(cwd)).toEqual(['a.ndjson']);
  });

  it.each([
    ['a folder that does not exist', 'missing/a.ndjson', 'the file or its folder does not exist'],
    ['a folder', '.', 'EISDIR'],
  ])('--out with %s is an error that names it', async (_, out, reason) => {
    const { context, cwd } = setUp();
    const description = reason === 'EISDIR' ? 'it is a folder' : reason;
    await expect(exportCommand.run({ out }, context)).rejects.toMatchObject({
      code: 'usage',
      message: `Cannot write ${join(cwd, out)}: ${description}.`,
    });
  });

  it.skipIf(process.platform === 'win32')(
    '--out with a FIFO is refused without waiting for its reader',
    async () => {
      const { context, cwd } = setUp();
      expect(spawnSync('mkfifo', [join(cwd, 'fifo')]).status).toBe(0);
      await expect(exportCommand.run({ out: 'fifo' }, context)).rejects.toMatchObject({
        code: 'usage',
        message: `Cannot write ${join(cwd, 'fifo')}: it is a pipe.`,
      });
    },
  );

  it('--out can be a device', async () => {
    const { context } = setUp();
    await exportCommand.run({ out: '/dev/null' }, context);
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });

  it.each([
    ['an ID and a filter', { id: 'del_1', type: 'a.b' }],
    ['an ID and a time', { id: 'del_1', until: '1h' }],
  ] as const)('%s exclude each other', async (_, options) => {
    const { context } = setUp();
    await expect(exportCommand.run(options, context)).rejects.toMatchObject({ code: 'usage' });
  });
});
