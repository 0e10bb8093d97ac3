// The archive of the single executable: what a person without Node.js does, from the download to a delivered event.
import assert from 'node:assert/strict';
import {
  chownSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { createFolder, expectOutput, root, run } from './projects.mjs';

const program = join(root, 'build/svc');
/** The user and group `nobody`. */
const NOBODY = 65_534;

/** Packs the archive. @returns its folder and its name */
export async function setUp() {
  const packages = createFolder();
  await execa(process.execPath, [join(root, 'scripts/package-binary.mjs'), '--out', packages]);
  return { packages, archive: readdirSync(packages)[0] };
}

export const rows = [
  {
    title: 'the archive for Linux contains the executable and its licenses',
    async run({ packages, archive }) {
      assert.match(archive, /^svc-[\d.]+-linux-\w+\.tar\.gz$/);
      const { stdout } = await execa('tar', ['-tzf', join(packages, archive)]);
      assert.deepEqual(stdout.split('\n').sort(), ['LICENSES.md', 'README.md', 'svc']);
    },
  },
  {
    title:
      'a user without Node.js gets from the download to a delivered event with the four commands of docs/installing.md',
    async run({ packages, archive }) {
      const user = await createUser();
      let received = 0;
      const server = createServer((request, response) => {
        if (request.method === 'GET') createReadStream(join(packages, basename(request.url))).pipe(response);
        else request.resume().on('end', () => response.end(`${++received}`));
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${server.address().port}`;
      const page = readFileSync(join(root, 'docs/installing.md'), 'utf8');
      const [, code = ''] = /```console\n(curl .*?)```/s.exec(page) ?? [];
      const commands = code
        .trim()
        .replaceAll('svc-VERSION-linux-x64.tar.gz', archive)
        .replace('ADDRESS', address)
        .replace('sudo ', '')
        .replace('/usr/local/bin', user.bin)
        .replace('3000', address)
        .split('\n');
      assert.equal(commands.length, 4);
      try {
        const outputs = [];
        for (const command of commands) outputs.push((await user.run('/bin/sh', '-c', command)).stdout);
        assert.match(outputs.at(-1), /succeeded/);
        assert.equal(received, 1);
      } finally {
        await user.run(join(user.bin, 'svc'), 'emulator', 'stop');
        server.close();
      }
    },
  },
  {
    title: 'four processes that start at the same time share one file of the SQLite driver',
    async run() {
      const cwd = createFolder();
      const exec = ['emulator', 'exec', '--', program, '--version'];
      const start = async () =>
        expectOutput(await run(cwd, program, exec, { env: { XDG_CACHE_HOME: cwd } }), 0);
      await Promise.all(Array.from({ length: 4 }, start));
      const files = readdirSync(join(cwd, 'svc-emulator'));
      assert.equal(files.length, 1);
      assert.match(files[0], /^better-sqlite3-\w+\.node$/);
    },
  },
  ...[
    ['svc.config.mjs', 'export default { port: await Promise.resolve(4321) };'],
    ['svc.config.ts', 'const port: number = 4321; export default { port };'],
  ].map(([name, content]) => ({
    title: `the executable imports ${name}`,
    async run() {
      const cwd = createFolder();
      writeFileSync(join(cwd, name), content);
      expectOutput(await run(cwd, program, ['config', '--json']), 0, /4321/);
    },
  })),
  ...[
    'receiver example --framework node',
    'receiver example --tests pytest',
    'fixtures show order.shipped --json',
  ].map((command) => ({
    title: `svc ${command} prints the file, which the executable contains`,
    async run() {
      expectOutput(await run(root, program, command.split(' ')), 0, /webhook|"payload"/i);
    },
  })),
];

/** Runs commands in a new folder as a user whose home folder it is, and who has no Node.js. */
async function createUser() {
  const cwd = createFolder();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const name of ['curl', 'gzip', 'tar'])
    symlinkSync((await execa('sh', ['-c', `command -v ${name}`])).stdout, join(bin, name));
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) for (const path of [cwd, bin]) chownSync(path, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { HOME: cwd, TMPDIR: cwd, PATH: bin, SVC_PORT: '0' };
  return { bin, run: (command, ...args) => execa(command, args, { cwd, env, extendEnv: false, ...user }) };
}
