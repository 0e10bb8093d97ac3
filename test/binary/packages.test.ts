/** The archive of the single executable: what a person without Node.js does, from the download to a delivered event. */
import {
  chownSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readPage } from '../support/documents.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createReceiver } from '../support/test-receiver.ts';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'build/svc');
/** Packing compresses 135 MB. */
const TIMEOUT_MS = 240_000;
/** The user and group `nobody`. */
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Runs commands in a new folder as a user whose home folder it is, and who has no Node.js. */
async function createUser() {
  const cwd = createTemporaryFolder();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of ['curl', 'gzip', 'tar']) {
    symlinkSync((await execa('sh', ['-c', `command -v ${name}`])).stdout, join(bin, name));
  }
  if (isRoot) for (const path of [cwd, bin]) chownSync(path, NOBODY, NOBODY);
  const env = { HOME: cwd, TMPDIR: cwd, PATH: bin, SVC_PORT: '0' };
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const run = (command: string, ...args: string[]) =>
    execa(command, args, { cwd, env, extendEnv: false, ...user });
  return { bin, run };
}

describe('the archive', () => {
  let [packages, archive] = ['', ''];

  beforeAll(async () => {
    packages = mkdtempSync(join(tmpdir(), 'svc-packages-'));
    await execa(process.execPath, [join(root, 'scripts/package-binary.mjs'), '--out', packages]);
    [archive = ''] = readdirSync(packages);
  }, TIMEOUT_MS);
  afterAll(() => rmSync(packages, { recursive: true }));

  it('the archive for Linux contains the executable and its licenses', async () => {
    expect(archive).toMatch(/^svc-[\d.]+-linux-\w+\.tar\.gz$/);
    const { stdout: files } = await execa('tar', ['-tzf', join(packages, archive)]);
    expect(files.split('\n').sort()).toEqual(['LICENSES.md', 'README.md', 'svc']);
  });

  it('a user without Node.js gets from the download to a delivered event with the four commands of docs/installing.md', async () => {
    const { bin, run } = await createUser();
    const receiver = await createReceiver();
    onTestFinished(receiver.close);
    const downloads = createServer((request, response) => {
      createReadStream(join(packages, basename(request.url ?? ''))).pipe(response);
    });
    const releases = `http://127.0.0.1:${await listenDuringTest(downloads)}`;
    const [, code = ''] = /```console\n(curl .*?)```/s.exec(readPage('docs/installing.md')) ?? [];
    const commands = code
      .trim()
      .replaceAll('svc-VERSION-linux-x64.tar.gz', archive)
      .replace('ADDRESS', releases)
      .replace('sudo ', '')
      .replace('/usr/local/bin', bin)
      .replace('3000', receiver.url)
      .split('\n');
    expect(commands).toHaveLength(4);
    onTestFinished(() => run(join(bin, 'svc'), 'emulator', 'stop').then(() => undefined));
    const outputs: string[] = [];
    for (const command of commands) outputs.push((await run('/bin/sh', '-c', command)).stdout);
    expect(outputs.at(-1)).toMatch(/succeeded/);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('the executable', () => {
  it('four processes that start at the same time share one file of the SQLite driver', async () => {
    const cwd = createTemporaryFolder();
    const options = { cwd, env: { XDG_CACHE_HOME: cwd } };
    const exec = ['emulator', 'exec', '--', program, '--version'];
    await Promise.all(Array.from({ length: 4 }, () => execa(program, exec, options)));
    expect(readdirSync(join(cwd, 'svc-emulator'))).toEqual([
      expect.stringMatching(/^better-sqlite3-\w+\.node$/),
    ]);
  });

  it.each([
    ['svc.config.mjs', 'export default { port: await Promise.resolve(4321) };'],
    ['svc.config.ts', 'const port: number = 4321; export default { port };'],
  ])('the executable imports %s', async (name, content) => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, name), content);
    const { stdout } = await execa(program, ['config', '--json'], { cwd });
    expect(stdout).toContain('4321');
  });

  it.each([
    ['--framework', 'node'],
    ['--tests', 'pytest'],
  ])('svc receiver example %s %s prints the example', async (...args) => {
    const { stdout } = await execa(program, ['receiver', 'example', ...args]);
    expect(stdout).toMatch(/webhook/i);
  });
});
