import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

/** A module is a folder of src, or an entry point at its top level. It may import the modules in the lines above its own. */
const layers = [
  ['domain'],
  ['signature'],
  ['platform'],
  ['resources'],
  ['profile'],
  ['operations'],
  ['diagnosis'],
  ['client'],
  ['config', 'fixtures', 'store'],
  ['receivers', 'recordings'],
  ['emulator', 'mcp'],
  ['http'],
  ['emulator.ts'],
  ['library'],
  ['index.ts'],
  ['vitest.ts', 'playwright.ts'],
];

/** Modules with their own list. The command line talks to an emulator and does not contain one. */
const allowed: Record<string, readonly string[]> = {
  cli: [
    'domain',
    'signature',
    'diagnosis',
    'platform',
    'resources',
    'profile',
    'operations',
    'config',
    'fixtures',
    'recordings',
    'receivers',
    'client',
    'mcp',
  ],
  // Checks and fuzzing need no code of the emulator. `diagnosis` says why a connection failed.
  receivers: ['domain', 'signature', 'platform', 'resources', 'profile', 'diagnosis'],
  'signature.ts': ['domain', 'signature', 'platform'],
  // The entries of the npm package's command and of the single executable.
  'start.ts': ['platform'],
  'executable.ts': ['platform', 'cli'],
  // The modules that have parts for the browser. The build of the dashboard refuses parts that need Node.js.
  dashboard: ['domain', 'signature', 'diagnosis', 'platform', 'resources', 'operations', 'client'],
};

/** Files that may load another module lazily with `import()`, and import its types. */
const lazyImports: Record<string, string> = {
  'start.ts': 'cli',
  'cli/boot-emulator.ts': 'emulator.ts',
  'cli/commands/emulator-start.ts': 'emulator.ts',
  'cli/foreground-emulator.ts': 'emulator.ts',
  'cli/commands/emulator-exec.ts': 'emulator.ts',
  'cli/commands/doctor.ts': 'store',
  'cli/commands/emulator.ts': 'store',
  'cli/commands/gaps-check.ts': 'emulator.ts',
};

/** Packages that `svc --help` and `svc verify` must not load, because they are slow to load. */
const slowPackages = ['better-sqlite3', 'h3', 'listhen'];

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
const internalImports = imports.filter(({ target }) => /\.tsx?$/.test(target));

const moduleOf = (file: string) => file.replace(/\/.*$/, '');

function mayImport({ file, target, kind }: Import): boolean {
  const [from, to] = [moduleOf(file), moduleOf(target)];
  if (from === to || (kind !== 'static' && lazyImports[file] === to)) return true;
  const above = layers.slice(
    0,
    layers.findIndex((layer) => layer.includes(from)),
  );
  return (allowed[from] ?? above.flat()).includes(to);
}

/** The files and packages that `entry` loads with static imports, directly or through other files. */
function listLoaded(entry: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(entry)) return loaded;
  loaded.add(entry);
  for (const { file, target, kind } of imports) {
    if (file === entry && kind === 'static') listLoaded(target, loaded);
  }
  return loaded;
}

/** Groups of files that import each other, directly or through others (strongly connected components, after Tarjan). */
function findCycles(): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of internalImports) targets.set(file, [...(targets.get(file) ?? []), target]);
  const order = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  /** @returns the earliest file on the stack that `file` reaches */
  const search = (file: string): number => {
    const position = order.size;
    order.set(file, position);
    stack.push(file);
    let earliest = position;
    for (const target of targets.get(file) ?? []) {
      const targetPosition = order.get(target);
      if (targetPosition === undefined) earliest = Math.min(earliest, search(target));
      else if (stack.includes(target)) earliest = Math.min(earliest, targetPosition);
    }
    if (earliest === position) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) cycles.push(group);
    }
    return earliest;
  };
  for (const file of targets.keys()) if (!order.has(file)) search(file);
  return cycles;
}

describe('the imports', () => {
  it('every module has a layer or a list of its own', () => {
    const knownModules = [...layers.flat(), ...Object.keys(allowed)];
    const modules = new Set(
      internalImports.flatMap(({ file, target }) => [moduleOf(file), moduleOf(target)]),
    );
    expect([...modules].filter((module) => !knownModules.includes(module))).toEqual([]);
  });

  it('no module imports a module of a higher layer', () => {
    const forbidden = internalImports.filter((entry) => !mayImport(entry));
    expect(forbidden.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('the server does not import its clients', () => {
    const servers = ['emulator', 'http', 'emulator.ts'];
    const forbidden = internalImports.filter(
      ({ file, target }) => servers.includes(moduleOf(file)) && moduleOf(target) === 'client',
    );
    expect(forbidden.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('no files import each other in a cycle, types included', () => {
    expect(findCycles()).toEqual([]);
  });

  it('the command line loads no slow package at its start', () => {
    expect([...listLoaded('cli/main.ts')].filter((path) => slowPackages.includes(path))).toEqual([]);
  });

  it('the signature module loads only its own files and node:crypto', () => {
    const loaded = [...listLoaded('signature.ts')];
    expect(loaded.filter((path) => !path.endsWith('.ts') && path !== 'node:crypto')).toEqual([]);
  });
});
