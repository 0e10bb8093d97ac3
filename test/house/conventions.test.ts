import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, root } from './repository-files.ts';

const binary = /\.(?:png|ico|jpe?g|gif|webp|woff2?|tgz|db(?:-\w+)?)$/;
const commentLine = /^\s*(?:\/\/|\/?\*).*$/gm;

interface Lock {
  readonly packages: Readonly<
    Record<string, { version?: string; optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

const files = listFiles().filter((path) => !binary.test(path));
const sources = files.filter((path) => /^src\/.*\.tsx?$/.test(path));
const tests = files.filter((path) => /^test\/.*\.ts$/.test(path));

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

describe('the conventions of the house', () => {
  it.each([
    ['process.exit', /\bprocess\.exit\b/, 'src/cli/main.ts'],
    ['console', /\bconsole\./, 'src/cli/io.ts'],
    ['the wall clock', /\bDate\.now\b|\bnew Date\(\)/, 'src/clock/wall.ts'],
  ])('%s lives in one file', (_, pattern, home) => {
    const users = sources.filter((path) => pattern.test(read(path).replace(commentLine, '')));
    expect(users.filter((path) => path !== home)).toEqual([]);
  });

  it('takes the timers of the emulator from one file, which a test runner does not put fake ones into', () => {
    const timer = /\b(?:set|clear)(?:Timeout|Interval|Immediate)\(|performance\.now\(/;
    const emulator = sources.filter(
      (path) => !/^src\/(?:cli|dashboard|receiver|timers|watchdog)\b/.test(path),
    );
    const users = emulator.filter((path) => timer.test(read(path).replace(commentLine, '')));
    expect(users.filter((path) => !read(path).includes("/timers.ts';"))).toEqual([]);
  });

  it('sets no time limit that garbage collection can take away', () => {
    const users = sources.filter((path) =>
      read(path).replace(commentLine, '').includes('AbortSignal.timeout'),
    );
    expect(users).toEqual([]);
  });

  it('names files for what they hold, in kebab-case', () => {
    const odd = [...sources, ...tests].filter((path) => {
      const name = basename(path).replace(/(?:\.test|\.config)?\.tsx?$/, '');
      return !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || /\b(?:utils?|helpers?|common|manager)\b/.test(path);
    });
    expect(odd).toEqual([]);
  });

  it('leaves no test focused or skipped', () => {
    const pattern = /\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/;
    expect(tests.filter((path) => pattern.test(read(path)))).toEqual([]);
  });

  it('names no registry in the lock file', () => {
    expect(read('package-lock.json').match(/"resolved": "https?:.*/)).toBeNull();
  });

  it('locks what every platform needs, or `npm ci` fails', () => {
    const packages = Object.entries((JSON.parse(read('package-lock.json')) as Lock).packages);
    const locked = new Set(
      packages.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
    );
    const pinned = packages.flatMap(([, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).filter(([, version]) => /^\d/.test(version)),
    );
    const missing = pinned.map(([name, version]) => `${name}@${version}`).filter((each) => !locked.has(each));
    expect(missing).toEqual([]);
  });

  it('names no place of the machine it was written on', () => {
    const pattern = /(?<![\w.-])\/work\/|\.\.\/shared\/|[.]library\//;
    expect(files.filter((path) => pattern.test(read(path)))).toEqual([]);
  });
});
