import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binary, svc } from './cli-program.ts';
import { createFolder } from './test-resources.ts';

const OFF = { NODE_DISABLE_COMPILE_CACHE: '1' };
const hasCompileCache = 'enableCompileCache' in module;

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

// The single executable contains its compiled code.
it.skipIf(binary !== null || !hasCompileCache)(
  'svc keeps compiled code for its next start, and compiles damaged code again',
  async () => {
    const cwd = createFolder();
    const env = { XDG_CACHE_HOME: cwd };
    const version = await svc(['--version'], { cwd, env: { ...env, ...OFF } });
    expect([version.exitCode, listFiles(cwd)]).toEqual([0, []]);
    const run = async () => {
      expect(await svc(['--version'], { cwd, env })).toMatchObject({
        exitCode: 0,
        stdout: version.stdout,
        stderr: '',
      });
      return Object.fromEntries(listFiles(cwd).map((file) => [file, statSync(file)]));
    };
    const written = await run();
    const [file = ''] = Object.keys(written).sort((a, b) => statSync(b).size - statSync(a).size);
    // V8 crashes if it gets this code.
    writeFileSync(file, readFileSync(file).fill(0, 4_096, 8_192));
    const replaced = await run();
    expect(Object.keys(replaced)).toEqual(Object.keys(written));
    expect(readFileSync(file).subarray(4_096, 8_192)).not.toEqual(Buffer.alloc(4_096));
    const listInodes = (files: typeof written) => Object.values(files).map(({ ino }) => ino);
    expect(listInodes(await run())).toEqual(listInodes(replaced));
  },
);

it.skipIf(binary !== null || hasCompileCache)('svc starts without a cache on Node.js 20', async () => {
  const cwd = createFolder();
  const { exitCode, stderr } = await svc(['--version'], { cwd, env: { XDG_CACHE_HOME: cwd } });
  expect([exitCode, stderr, readdirSync(cwd)]).toEqual([0, '', []]);
});
