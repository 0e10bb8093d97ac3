// The packed package, installed in a project with the commands that README.md shows, and a clone.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import {
  createFolder,
  createProject,
  expectOutput,
  installDriver,
  manifest,
  root,
  run,
  runNode,
} from './projects.mjs';

const RECEIVER = `
  import { sign, verify, type VerifyResult } from 'svc-emulator/signature';
  const { headers } = sign({ payload: '{}', secret: 'whsec_a', id: 'del_1' });
  const result: VerifyResult = verify({
    payload: '{}',
    signature: headers['Service-Signature'],
    timestamp: headers['Service-Timestamp'],
    secret: 'whsec_a',
  });
  console.log(result.ok);
`;

const EMULATOR = `
  import { createEmulator, createReceiver, type Delivery } from 'svc-emulator';
  await using receiver = await createReceiver([500, 200]);
  await using emulator = await createEmulator({ clock: { frozen: true } });
  const { secret } = await emulator.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
  receiver.verifyWith(secret);
  await emulator.trigger('order.shipped');
  await emulator.clock.advance('5m');
  const [delivery]: readonly Delivery[] = await emulator.deliveries.wait({}, { status: 'succeeded' });
  const request = await receiver.request(2);
  console.log(delivery?.attempt_count, request.verification?.ok);
`;

/** A project in which the package is installed with the commands of the documents. */
export async function setUp() {
  const project = createProject();
  for (const command of listInstallCommands('README.md', project)) await runInstallCommand(command);
  installDriver(project);
  return project;
}

export const rows = [
  {
    title: 'the package contains the program, fixtures and docs, without images, and nothing else',
    async run(project) {
      const { stdout } = await execa('tar', ['-tzf', `svc-emulator-${manifest.version}.tgz`], {
        cwd: project,
      });
      const paths = stdout.split('\n').map((path) => path.replace('package/', ''));
      const expected = [...manifest.files.filter((name) => !name.startsWith('!')), 'package.json'].sort();
      assert.deepEqual([...new Set(paths.map((path) => path.replace(/\/.*/, '')))].sort(), expected);
      for (const path of ['dist/better-sqlite3/prebuilds/win32-arm64.node', 'docs/signatures.md'])
        assert.ok(paths.includes(path), path);
      // npm would compile what has a binding.gyp.
      assert.deepEqual(
        paths.filter((path) => /binding\.gyp$|^docs.*\.png$/.test(path)),
        [],
      );
    },
  },
  {
    title: 'svc --version prints the version of the package',
    async run(project) {
      assert.equal(expectOutput(await run(project, 'svc', ['--version']), 0).stdout, manifest.version);
    },
  },
  {
    title: 'svc emulator start boots an emulator that stores and returns an event',
    async run(project) {
      const emulator = run(project, 'svc', [
        'emulator',
        'start',
        '--db',
        ':memory:',
        '--port',
        '0',
        '--json',
      ]);
      try {
        const { value } = await createInterface(emulator.stdout)[Symbol.asyncIterator]().next();
        const { base_url: baseUrl, api_key: apiKey } = JSON.parse(value);
        const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ type: 'order.shipped', payload: { order: 1 } });
        const created = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body });
        const event = await created.json();
        const read = await fetch(`${baseUrl}/events/${event.id}`, { headers });
        assert.deepEqual([created.status, read.status], [201, 200]);
        assert.deepEqual(await read.json(), event);
        expectOutput(await run(project, 'svc', ['emulator', 'stop']), 0);
        expectOutput(await emulator, 0);
      } finally {
        emulator.kill();
      }
    },
  },
  ...[
    ['a receiver', RECEIVER, 'true'],
    ['an emulator', EMULATOR, '2 true'],
  ].map(([name, source, printed]) => ({
    title: `${name} compiles in a strict TypeScript program and runs`,
    async run(project) {
      writeFileSync(join(project, 'program.mts'), source);
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
      expectOutput(
        await runNode(project, [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'program.mts']),
        0,
      );
      assert.equal(expectOutput(await runNode(project, ['program.mjs']), 0).stdout, printed);
    },
  })),
  {
    title: 'README.md and docs/installing.md install in a project with the same commands',
    run() {
      const commands = listInstallCommands('README.md', 'app');
      assert.deepEqual(commands, ['npm run package app', 'cd app && npm i -D ./svc-emulator-*.tgz']);
      assert.deepEqual(listInstallCommands('docs/installing.md', 'app'), [
        ...commands,
        'npm ci && npm run build && npm link',
      ]);
    },
  },
  {
    title: 'npm link installs the command svc, and npm rm -g removes it',
    async run() {
      const prefix = createFolder();
      const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin');
      await runInstallCommand('npm link', { prefix });
      const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
      assert.equal((await execa('svc', ['--version'], { env })).stdout, manifest.version);
      await runInstallCommand('npm rm -g svc-emulator', { prefix });
      assert.ok(!existsSync(join(bin, 'svc')));
    },
  },
  {
    title: 'svc says that a clone is not built, and which file of a build is missing',
    async run() {
      const clone = createFolder();
      const start = () => runNode(clone, ['bin/svc.js']);
      await cp(join(root, 'bin'), join(clone, 'bin'), { recursive: true });
      expectOutput(
        await start(),
        70,
        /svc is not built yet\. In a clone of the repository run: npm run build/,
      );
      for (const file of ['dist/start.js', 'dist/package.json'])
        await cp(join(root, file), join(clone, file));
      assert.match((await start()).all, /^(?![\s\S]*not built)[\s\S]*Cannot find module '\.\/cli\.js'/);
    },
  },
];

/** The commands of a page for an installation from a clone, with `app` instead of the project `~/app`. */
function listInstallCommands(page, app) {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^ *```\w*\n(.*?)^ *```$/gms);
  return Array.from(blocks, ([, code]) => code.split('\n'))
    .flat()
    .map((line) => line.trim())
    .filter((line) => /npm (?:link|run package|i -D \.)/.test(line))
    .map((line) => line.replace(/ +#.*/, '').replaceAll('~/app', app));
}

/** Runs a documented command, with settings of npm such as `{ prefix: '/opt' }`. */
function runInstallCommand(command, settings = {}) {
  const all = { prefer_offline: 'true', audit: 'false', fund: 'false', ...settings };
  const env = Object.fromEntries(Object.entries(all).map(([name, value]) => [`npm_config_${name}`, value]));
  return execa(command, { cwd: root, shell: true, env });
}
