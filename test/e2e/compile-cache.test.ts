import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binary, svc } from './cli-program.ts';
import { createFolder } from './test-resources.ts';

const hasCompileCache = 'enableCompileCache' in nodeModule;

// The single executable contains its code cache.
it.skipIf(binary !== null)('svc turns on the compile cache of a Node.js that has one', async () => {
  const cwd = createFolder();
  const preload = join(cwd, 'preload.cjs');
  writeFileSync(
    preload,
    `const nodeModule = require('node:module');
    nodeModule.enableCompileCache = () => process.stderr.write('cache on\\n');
    nodeModule.syncBuiltinESMExports();`,
  );
  // syncBuiltinESMExports() cannot add an export that Node.js does not have.
  const { stderr, exitCode } = await svc(['--version'], {
    cwd,
    env: { NODE_OPTIONS: `--require=${preload}` },
  });
  expect(exitCode).toBe(0);
  expect(stderr).toBe(hasCompileCache ? 'cache on\n' : '');
});

it.runIf(hasCompileCache && binary === null)(
  'svc obeys the variables of Node.js for the compile cache',
  async () => {
    const cwd = createFolder();
    const cache = join(cwd, 'cache');
    mkdirSync(cache);
    const env = { NODE_COMPILE_CACHE: cache };
    const off = await svc(['--version'], { cwd, env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } });
    expect([off.exitCode, readdirSync(cache)]).toEqual([0, []]);
    const on = await svc(['--version'], { cwd, env });
    expect([on.exitCode, on.stdout, on.stderr]).toEqual([0, off.stdout, '']);
    expect(readdirSync(cache)).not.toEqual([]);
  },
);
