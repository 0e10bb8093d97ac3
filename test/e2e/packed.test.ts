import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { listBlocks } from '../support/documents.ts';
import { driverFolder } from '../support/sqlite.ts';

const root = join(import.meta.dirname, '../..');

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

/** The commands of a page for an installation from a clone, with `app` instead of the project `~/app`. */
function listInstallCommands(page: string, app: string): string[] {
  return listBlocks(page)
    .flatMap(({ code }) => code.trim().split('\n'))
    .filter((line) => /npm (?:link|run package|i -D \.)/.test(line))
    .map((line) => line.replace(/ +#.*/, '').replaceAll('~/app', app));
}

/** Runs a documented command, with settings of npm such as `{ prefix: '/opt' }`. */
function runInstallCommand(command: string, settings: Readonly<Record<string, string>> = {}) {
  const all = { prefer_offline: 'true', audit: 'false', fund: 'false', ...settings };
  const variables = Object.entries(all).map(([name, value]) => [`npm_config_${name}`, value]);
  const { TESTS_EXTRA_CA_CERTS: certificates = '' } = process.env;
  const env = {
    ...Object.fromEntries(variables),
    ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }),
  };
  return execa(command, { cwd: root, shell: true, env });
}

/** A project in which the package is installed with the commands of the documents. */
let project: string;
let packed: string[];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'svc-packed-'));
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
  for (const command of listInstallCommands('README.md', project)) await runInstallCommand(command);
  const tarball = `svc-emulator-${manifest.version}.tgz`;
  const { stdout } = await execa('tar', ['-tzf', tarball], { cwd: project });
  packed = stdout.split('\n').map((path) => path.replace('package/', ''));
  const driver = join(project, 'node_modules/better-sqlite3');
  // As `npm i -D better-sqlite3@12`, which takes minutes.
  if (driverFolder.includes('node_modules')) await symlink(driverFolder, driver, 'junction');
}, 180_000);

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

/** Runs the installed `svc`. An exit code other than 0 is a result, not an exception. */
function svc(...args: string[]) {
  return execa({ preferLocal: true, localDir: project, cwd: project, stdin: 'ignore', reject: false })(
    'svc',
    args,
  );
}

describe('the packed package', () => {
  it('the package contains the program, fixtures and docs, without images, and nothing else', () => {
    expect(packed).toContain('dist/better-sqlite3/prebuilds/win32-arm64.node');
    // npm would compile it.
    expect(packed.filter((path) => path.endsWith('binding.gyp'))).toEqual([]);
    const expected = [...manifest.files.filter((name) => !name.startsWith('!')), 'package.json'].sort();
    expect([...new Set(packed.map((path) => path.replace(/\/.*/, '')))].sort()).toEqual(expected);
    expect(packed).toContain('docs/signatures.md');
    expect(packed.filter((path) => /^docs.*\.png$/.test(path))).toEqual([]);
  });

  it('svc --version prints the version of the package', async () => {
    expect(await svc('--version')).toMatchObject({ exitCode: 0, stdout: manifest.version });
  });

  it('svc emulator start boots an emulator that stores and returns an event', async () => {
    const emulator = svc('emulator', 'start', '--db', ':memory:', '--port', '0', '--json');
    onTestFinished(() => void emulator.kill());
    const firstLine = await createInterface(emulator.stdout)[Symbol.asyncIterator]().next();
    const { base_url: baseUrl, api_key: apiKey } = JSON.parse(firstLine.value);

    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ type: 'order.shipped', payload: { order: 1 } });
    const created = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body });
    const event = (await created.json()) as { id: string };
    const read = await fetch(`${baseUrl}/events/${event.id}`, { headers });
    expect([created.ok, read.ok]).toEqual([true, true]);
    expect(await read.json()).toEqual(event);

    expect(await svc('emulator', 'stop')).toMatchObject({ exitCode: 0 });
    expect(await emulator).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['a receiver', RECEIVER, 'true'],
    ['an emulator', EMULATOR, '2 true'],
  ])('%s compiles in a strict TypeScript program and runs', async (_, source, printed) => {
    await writeFile(join(project, 'program.mts'), source);
    await compile('program.mts');
    const run = await execa(process.execPath, ['program.mjs'], { cwd: project });
    expect(run.stdout).toBe(printed);
  });
});

describe('an installation from a clone', () => {
  it('README.md and docs/installing.md install in a project with the same commands', () => {
    const commands = listInstallCommands('README.md', 'app');
    expect(commands).toEqual(['npm run package app', 'cd app && npm i -D ./svc-emulator-*.tgz']);
    expect(listInstallCommands('docs/installing.md', 'app')).toEqual([
      ...commands,
      'npm ci && npm run build && npm link',
    ]);
  });

  it('npm link installs the command svc, and npm rm -g removes it', async () => {
    const prefix = await mkdtemp(join(tmpdir(), 'svc-prefix-'));
    onTestFinished(() => rm(prefix, { recursive: true, force: true }));
    const bin = process.platform === 'win32' ? prefix : join(prefix, 'bin');
    await runInstallCommand('npm link', { prefix });
    const { stdout } = await execa('svc', ['--version'], {
      env: { PATH: `${bin}${delimiter}${process.env.PATH}` },
    });
    expect(stdout).toBe(manifest.version);
    await runInstallCommand('npm rm -g svc-emulator', { prefix });
    expect(existsSync(join(bin, 'svc'))).toBe(false);
  });

  it('svc says that a clone is not built, and which file of a build is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-unbuilt-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
    const run = async () =>
      (await execa(process.execPath, [join(folder, 'bin/svc.js')], { reject: false })).stderr;
    expect(await run()).toContain('svc is not built yet. In a clone of the repository run: npm run build');
    await cp(join(root, 'dist/start.js'), join(folder, 'dist/start.js'));
    await cp(join(root, 'dist/package.json'), join(folder, 'dist/package.json'));
    const damaged = await run();
    expect(damaged).toContain("Cannot find module './cli.js'");
    expect(damaged).not.toContain('not built');
  });
});

/** Compiles a file of the project with --strict. */
async function compile(file: string): Promise<void> {
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
  await execa(process.execPath, [tsc, ...options, file], { cwd: project });
}
