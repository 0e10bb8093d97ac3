import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createModuleLoader } from '../../src/launcher/module-loader.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it('a module in a folder knows its file, and finds packages like any other file', () => {
  const folder = createTemporaryFolder();
  const driver = join(folder, 'node_modules/driver');
  mkdirSync(driver, { recursive: true });
  writeFileSync(join(driver, 'index.js'), `module.exports = 'driver';`);
  const load = createModuleLoader({
    folder: join(folder, 'dist'),
    find: () => `module.exports = [__filename, __dirname, require('driver'), typeof __SVC_EXECUTABLE__];`,
    findCodeCache: () => null,
    importModule: (id) => import(id),
  });
  expect(load('./program/cli.cjs')).toEqual([
    join(folder, 'dist/program/cli.cjs'),
    join(folder, 'dist/program'),
    'driver',
    'undefined',
  ]);
});
