import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeText } from '../../src/cli/file-access.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { runLine } from './fake-context.ts';

const start = 'emulator start --port 0 --db :memory:';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it.each([
  'trigger order.shipped --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @latin-1.json',
  'deliveries replay del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @latin-1.json',
  'sign --payload {} --secret @latin-1.json',
  'verify --payload {} --signature v1=00 --secret @latin-1.json',
  'receiver check 3000 --event-type order.shipped --secret @latin-1.json',
  `receiver fuzz 3000 --replay latin-1.json --secret ${secret}`,
  'events import latin-1.json --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  'gaps check latin-1.json',
  'fixtures run ./latin-1.json --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  `${start} --seed latin-1.json`,
])('a file that is not UTF-8 is refused: svc %s', async (args) => {
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, 'latin-1.json'), Buffer.from('{"log":{"entries":["caf\xe9"]}}', 'latin1'));
  const { exitCode, out, err } = await runLine(args.split(' '), { cwd });
  expect(err + out).toMatch(/ is not UTF-8: byte 24 is 0xe9\./);
  expect(exitCode).not.toBe(0);
});

describe('a file that an option writes', () => {
  it('an earlier file is replaced, and nothing else remains in its folder', async () => {
    const cwd = createTemporaryFolder();
    const path = join(cwd, 'new/a.xml');
    await writeText(path, 'earlier');
    await writeText(path, 'later');
    expect(readFileSync(path, 'utf8')).toBe('later');
    expect(readdirSync(join(cwd, 'new'))).toEqual(['a.xml']);
  });

  it('a folder is an error that names it', async () => {
    const path = join(createTemporaryFolder(), 'a');
    mkdirSync(path);
    const message = `Cannot write ${path}: it is a folder.`;
    await expect(writeText(path, 'x')).rejects.toMatchObject({ code: 'usage', message });
  });

  it.skipIf(process.platform === 'win32')('a FIFO is refused without waiting for its reader', async () => {
    const path = join(createTemporaryFolder(), 'fifo');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    const message = `Cannot write ${path}: it is a pipe.`;
    await expect(writeText(path, 'x')).rejects.toMatchObject({ code: 'usage', message });
  });
});
