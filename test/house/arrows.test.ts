import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** A room is a folder of src, or a file at its top. It may import from the rooms of the lines above its own. */
const floors = [
  ['errors', 'package-folder', 'timers', 'version'],
  ['domain', 'watchdog'],
  ['network'],
  ['profile'],
  ['contract'],
  ['config', 'fixtures', 'receiver', 'store', 'clock'],
  ['sandbox'],
  ['delivery'],
  ['control'],
  ['http'],
  ['emulator'],
  ['library'],
  ['index'],
  ['vitest'],
];

/** Rooms with a list of their own: the command line talks to an emulator, it does not contain one. */
const allowed: Record<string, readonly string[]> = {
  cli: [
    'errors',
    'version',
    'package-folder',
    'timers',
    'watchdog',
    'domain',
    'profile',
    'contract',
    'config',
    'clock',
    'fixtures',
    'receiver',
    'control',
  ],
  signature: ['domain', 'clock'],
  // What a browser can load of the rooms that the page shares words and types with; its build refuses the rest.
  dashboard: ['errors', 'timers', 'domain', 'contract', 'control'],
};

/** Files that may load a room with `import()` when they run, and know its types; it brings what the command line never loads otherwise. */
const lazily: Record<string, string> = {
  'cli/boot.ts': 'emulator',
  'cli/commands/emulator/start.ts': 'emulator',
  'cli/commands/emulator/exec.ts': 'emulator',
  'cli/doctor/database.ts': 'store',
  'cli/doctor/sqlite-driver.ts': 'store',
};

/** What `svc --help` and `svc verify` must not load. */
const heavy = ['better-sqlite3', 'h3', 'listhen'];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly kind: 'static' | 'type' | 'dynamic';
}

const IMPORT =
  /(?:^(?:import|export)\s+(?<type>type\s)?(?:[^'"=;]*\sfrom\s+)?|(?<dynamic>\bimport\(\s*))['"](?<target>[^'"]+)['"]/gm;

const imports: Import[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) => {
    const file = path.replaceAll('\\', '/');
    return Array.from(
      readFileSync(join(source, file), 'utf8').matchAll(IMPORT),
      ({ groups = {} }): Import => {
        const target = groups.target ?? '';
        const kind = groups.dynamic ? 'dynamic' : groups.type ? 'type' : 'static';
        return {
          file,
          target: target.startsWith('.') ? posix.join(posix.dirname(file), target) : target,
          kind,
        };
      },
    );
  });
const inside = imports.filter(({ target }) => /\.tsx?$/.test(target));

const roomOf = (file: string) => file.replace(/\.tsx?$|\/.*$/, '');

function mayImport({ file, target, kind }: Import): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to || (kind !== 'static' && lazily[file] === to)) return true;
  const above = floors.slice(
    0,
    floors.findIndex((floor) => floor.includes(from)),
  );
  return (allowed[from] ?? above.flat()).includes(to);
}

/** Everything that runs when `entry` is loaded: files of ours and names of packages. */
function loadedBy(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { file, target, kind } of imports) {
    if (file === entry && kind === 'static') loadedBy(target, seen);
  }
  return seen;
}

describe('the arrows between the rooms', () => {
  it('knows every room', () => {
    const known = [...floors.flat(), ...Object.keys(allowed)];
    const rooms = new Set(inside.flatMap(({ file, target }) => [roomOf(file), roomOf(target)]));
    expect([...rooms].filter((room) => !known.includes(room))).toEqual([]);
  });

  it('point one way', () => {
    const back = inside.filter((each) => !mayImport(each));
    expect(back.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('keep what is slow to load out of the command line', () => {
    expect([...loadedBy('cli/main.ts')].filter((each) => heavy.includes(each))).toEqual([]);
  });

  it('let the signature module load nothing but itself and node:crypto', () => {
    const loaded = [...loadedBy('signature.ts')];
    expect(loaded.filter((each) => !each.endsWith('.ts') && each !== 'node:crypto')).toEqual([]);
  });
});
