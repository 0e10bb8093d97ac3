import { writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileModule, createExecutable } from '../../src/executable/executable.ts';
import { openExecutable } from '../../src/package-files.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** @param assets by key */
function createFrom(assets: Record<string, string | Buffer>) {
  const read = (key: string) => Buffer.from(assets[key] ?? '');
  return createExecutable({ keys: Object.keys(assets), read });
}

describe('modules', () => {
  it('a module loads others by relative paths, packages by their names, and modules of Node.js', () => {
    const { require } = createFrom({
      'modules/cli.js': `exports.all = [require('./chunks/a.js'), require('driver'), require('node:path').sep];`,
      'modules/chunks/a.js': `module.exports = require('../b.js') + 1;`,
      'modules/b.js': 'module.exports = 1;',
      'modules/driver.js': `module.exports = 'driver';`,
    });
    expect(require('./cli.js')).toEqual({ all: [2, 'driver', expect.stringMatching(/[/\\]/)] });
  });

  it('a module runs once, even if another module loads it while it runs', () => {
    const { require } = createFrom({
      'modules/a.js': `exports.early = true; exports.partner = require('./b.js').partnerOf;`,
      'modules/b.js': `exports.partnerOf = require('./a.js').early;`,
    });
    expect(require('./a.js')).toEqual({ early: true, partner: true });
    expect(require('./a.js')).toBe(require('./a.js'));
  });

  it('a module that failed can be loaded again', () => {
    const { require } = createFrom({
      'modules/a.js': `globalThis.attempts = (globalThis.attempts ?? 0) + 1; if (attempts === 1) throw new Error('busy');`,
    });
    expect(() => require('./a.js')).toThrow('busy');
    expect(require('./a.js')).toEqual({});
    Reflect.deleteProperty(globalThis, 'attempts');
  });

  it('a module that is not in the executable is not searched on disk', () => {
    const { require } = createFrom({});
    for (const id of ['vitest', './package.json']) {
      expect(() => require(id)).toThrow(expect.objectContaining({ code: 'MODULE_NOT_FOUND' }));
    }
  });

  it('a module runs the code that was compiled when the executable was built', () => {
    const code = compileModule('a.js', 'module.exports = 2;').createCachedData();
    // V8 compares only the lengths of the sources, so the result shows which code has run.
    const { require } = createFrom({ 'modules/a.js': 'module.exports = 1;', 'code/a.js': code });
    expect(require('./a.js')).toBe(2);
  });

  it('a module imports files of users and modules of Node.js', async () => {
    const file = join(createTemporaryFolder(), 'svc.config.mjs');
    writeFileSync(file, 'export default 1;');
    const { require } = createFrom({
      'modules/a.js': `exports.load = async (url) => [(await import(url)).default, (await import('node:path')).sep];`,
    });
    const { load } = require('./a.js') as { load(url: string): Promise<unknown> };
    expect(await load(pathToFileURL(file).href)).toEqual([1, sep]);
  });

  it('a module knows the executable, and is in no folder', () => {
    const executable = createFrom({
      'modules/a.js': 'module.exports = [__SVC_EXECUTABLE__, __dirname, __filename];',
    });
    expect(executable.require('./a.js')).toEqual([executable, undefined, process.execPath]);
  });
});

describe('files', () => {
  const executable = createFrom({
    'files/docs/README.md': '# svc',
    'files/docs/reference/errors.md': '# Errors',
    'files/docs/reference/library.md': '# Library',
    'files/other/file.txt': '',
  });

  it('a folder of the executable lists the files below it', () => {
    expect(openExecutable(executable, 'docs').list()).toEqual([
      'README.md',
      'reference/errors.md',
      'reference/library.md',
    ]);
    expect(openExecutable(executable, 'missing').list()).toEqual([]);
  });

  it('a folder of the executable reads only its files', () => {
    const docs = openExecutable(executable, 'docs');
    expect(docs.read('README.md')?.toString()).toBe('# svc');
    expect([docs.read('missing.md'), docs.read('../other/file.txt'), docs.read('reference')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

it('the addon has a name and a content', () => {
  const { readAddon } = createFrom({ 'addon/driver-a1b2.node': 'native code' });
  expect(readAddon()).toEqual({ name: 'driver-a1b2.node', bytes: Buffer.from('native code') });
});
