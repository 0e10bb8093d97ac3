/** An application that contains the library, bundled by esbuild and run in a folder without svc-emulator. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { driverFolder } from '../support/sqlite.ts';
import { runProgram } from './cli-program.ts';
import { npmInstall, type PackedPackage, packPackage } from './packed-project.ts';

const APPLICATION = `
  import { createEmulator, createReceiver } from 'svc-emulator';

  async function main() {
    const receiver = await createReceiver([500, 200]);
    const emulator = await createEmulator({ clock: { frozen: true } });
    const { secret } = await emulator.webhooks.create({ url: receiver.url });
    receiver.verifyWith(secret);
    const { event } = await emulator.trigger('order.shipped');
    await emulator.clock.advance('5m');
    const request = await receiver.request(2);
    const dashboard = await fetch(emulator.url, { headers: { accept: 'text/html' } });
    console.log(JSON.stringify({
      type: event.type,
      verified: request.verification.ok,
      dashboard: dashboard.status,
      text: await dashboard.text(),
    }));
    await Promise.all([emulator.close(), receiver.close()]);
  }

  main();
`;

let packed: PackedPackage;
/** The folder in which esbuild runs. It has the package installed. */
let source: string;
/** The folder in which the bundle runs. It has only better-sqlite3 installed. */
let target: string;

beforeAll(async () => {
  packed = await packPackage();
  source = mkdtempSync(join(tmpdir(), 'svc-bundling-'));
  target = mkdtempSync(join(tmpdir(), 'svc-bundled-'));
  writeFileSync(join(source, 'package.json'), '{"private":true}');
  await npmInstall(source, ['esbuild@0.28.2']);
  packed.installInto(join(source, 'node_modules'));
  writeFileSync(join(source, 'application.mjs'), APPLICATION);
  mkdirSync(join(target, 'node_modules'));
  symlinkSync(driverFolder, join(target, 'node_modules/better-sqlite3'));
}, 120_000);

afterAll(() => {
  packed.remove();
  for (const folder of [source, target]) rmSync(folder, { recursive: true, force: true });
});

/** By default from another folder than that of the application. */
async function run(script: string, cwd = tmpdir()) {
  const { stdout } = await runProgram(process.execPath, [script], {
    cwd,
    timeout: 30_000,
    reject: true,
  });
  return JSON.parse(stdout);
}

describe.each([
  { format: 'esm', file: 'application.mjs' },
  { format: 'cjs', file: 'application.cjs' },
])('an application that esbuild bundles with --format=$format', ({ format, file }) => {
  beforeAll(async () => {
    const options = ['--bundle', '--platform=node', `--format=${format}`];
    const esbuild = join(source, 'node_modules/esbuild/bin/esbuild');
    await execa(esbuild, ['application.mjs', ...options, `--outfile=${join(target, file)}`], { cwd: source });
  });

  it('the bundle delivers events of built-in fixtures without the package, and says how to install the dashboard', async () => {
    const { text, ...result } = await run(join(target, file));
    expect(result).toEqual({ type: 'order.shipped', verified: true, dashboard: 404 });
    expect(text).toContain('npm install svc-emulator');
  });

  it('the bundle finds better-sqlite3 from the working folder if a script elsewhere loads it', async () => {
    const script = join(source, `load-${file}.mjs`);
    writeFileSync(script, `import ${JSON.stringify(pathToFileURL(join(target, file)).href)};`);
    rmSync(join(source, 'node_modules/better-sqlite3'), { recursive: true, force: true });
    expect(await run(script, target)).toMatchObject({ verified: true });
  });

  it('the bundle serves the dashboard when the package is installed', async () => {
    const installed = join(target, 'node_modules/svc-emulator');
    cpSync(join(source, 'node_modules/svc-emulator'), installed, { recursive: true });
    const { dashboard } = await run(join(target, file));
    rmSync(installed, { recursive: true });
    expect(dashboard).toBe(200);
  });
});
