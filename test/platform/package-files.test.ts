import { describe, expect, it } from 'vitest';
import { openExecutable } from '../../src/platform/package-files.ts';

const contents: Readonly<Record<string, string>> = {
  'docs/README.md': '# svc',
  'docs/reference/errors.md': '# Errors',
  'docs/reference/library.md': '# Library',
  'other/file.txt': '',
};
const executable = {
  paths: Object.keys(contents),
  read: (path: string) => Buffer.from(contents[path] ?? ''),
};

describe('openExecutable', () => {
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
