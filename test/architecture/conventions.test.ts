import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
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

describe('the conventions', () => {
  it.each([
    ['process.exit', /\bprocess\.exit\b/, ['src/cli/main.ts']],
    // It silences a library.
    ['console', /\bconsole\./, ['src/fixtures/openapi-events.ts']],
    ['the wall clock', /\bDate\.now\b|\bnew Date\(\)/, ['src/platform/wall-clock.ts']],
  ])('%s is used only in %j', (_, pattern, owners) => {
    const users = sources.filter((path) => pattern.test(read(path).replace(commentLine, '')));
    expect(users).toEqual(owners);
  });

  it('the emulator imports its timers from src/platform/timers.ts, so that fake timers of a test runner do not stop it', () => {
    // Fake timers do not replace those of a socket.
    const timer = /(?<!\bsocket\.)\b(?:set|clear)(?:Timeout|Interval|Immediate)\(|performance\.now\(/;
    const emulator = sources.filter(
      (path) => !/^src\/(?:cli|dashboard|receivers|platform\/timers)\b/.test(path),
    );
    const users = emulator.filter((path) => timer.test(read(path).replace(commentLine, '')));
    expect(users.filter((path) => !read(path).includes("/timers.ts';"))).toEqual([]);
  });

  it.each([
    ['AbortSignal.timeout', 'whose limit Node.js 20 can garbage-collect'],
    ['AbortSignal.any', 'whose result Node.js 20 keeps as long as the signal that lives longest'],
    ['URL.canParse', 'which rejects valid URLs after thousands of calls in Node.js 20 and 22'],
  ])('no source that runs in Node.js uses %s, %s', (name) => {
    const users = sources.filter(
      (path) => !path.startsWith('src/dashboard/') && read(path).replace(commentLine, '').includes(name),
    );
    expect(users).toEqual([]);
  });

  it('no test is focused or skipped', () => {
    const pattern = /\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/;
    expect(tests.filter((path) => pattern.test(read(path)))).toEqual([]);
  });

  it('the lockfile names no registry', () => {
    expect(read('package-lock.json').match(/"resolved": "https?:.*/)).toBeNull();
  });

  it('the lockfile contains the optional packages of every platform, because `npm ci` fails otherwise', () => {
    const packages = Object.entries((JSON.parse(read('package-lock.json')) as Lock).packages);
    const locked = new Set(
      packages.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
    );
    const pinned = packages.flatMap(([, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).filter(([, version]) => /^\d/.test(version)),
    );
    const missing = pinned
      .map(([name, version]) => `${name}@${version}`)
      .filter((entry) => !locked.has(entry));
    expect(missing).toEqual([]);
  });

  it('no file contains the path of this checkout or of the home folder', () => {
    const places = [root, homedir()].map((path) => `${path}/`);
    expect(files.filter((path) => places.some((place) => read(path).includes(place)))).toEqual([]);
  });
});
