// Bundles src as CommonJS modules: an entry for each program, and chunks for shared and lazily loaded modules.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'rolldown';
import moduleTimers from './module-timers.cjs';

const root = join(import.meta.dirname, '..');
/** The version of the package. */
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const MODULE_TIMERS = join(root, 'scripts/module-timers.cjs');

const FETCH_CLASSES = join(root, 'scripts/fetch-classes.mjs').replaceAll('\\', '/');
/** See scripts/fetch-classes.mjs. A build fails if one of these modules declares the same names. */
export const replaceFetchClasses = {
  name: 'replace-fetch-classes',
  transform: {
    filter: { id: /\/node_modules\/(?:h3|srvx)\// },
    handler: (code) =>
      `import { Headers, ReadableStream, Request, Response, ownGlobals as globalThis } from '${FETCH_CLASSES}';\n${code}`,
  },
};

/**
 * Modules of Node.js that few commands need, and that take longest to load. They are loaded when one of their exports is first used.
 * Without `node:http`, whose functions a test can replace with mocks after it has imported svc.
 */
const lateModules = [
  'node:child_process',
  'node:crypto',
  'node:dns',
  'node:fs/promises',
  'node:https',
  'node:net',
  'node:readline',
  'node:stream/web',
  'node:tls',
  'node:zlib',
];
const SIGNATURE = /\/src\/signature\//;

/** commander would load it for subcommands that are programs of their own, which svc does not have. */
const withoutPrograms = {
  name: 'without-programs',
  transform: {
    filter: { id: /\/commander\// },
    handler: (code) => code.replace("require('node:child_process')", 'null'),
  },
};

/** The modules that `entry` imports, directly or through others, without `import()`. */
function listImported(entry, context) {
  // Packages import the timers.
  const imported = new Set([entry, MODULE_TIMERS]);
  // The loop also visits the modules that it adds.
  for (const module of imported)
    for (const target of context.getModuleInfo(module)?.importedIds ?? []) imported.add(target);
  return imported;
}

/** A name for the modules that all `entries` import. Without those that import the module `without`. */
const nameModules = (name, entries, without) => (id, context) =>
  entries.every((entry) => listImported(join(root, entry), context).has(id)) &&
  !listImported(id, context).has(without)
    ? name
    : null;

const signing = join(root, 'src/signature/sign.ts');
/** The modules of each chunk; the first group that matches wins. Without groups a command would load fifty chunks instead of ten. */
const chunkGroups = [
  // `svc-emulator/signature` loads only these four chunks. `svc --help` needs the first two, and most commands the third one as well.
  {
    name: 'base',
    importedBy: ['src/signature.ts'],
    without: 'node:crypto',
    test: /\/src\/(?!signature\/)|\/module-timers/,
  },
  { name: 'schemes', importedBy: ['src/cli/main.ts'], without: 'node:crypto', test: SIGNATURE },
  { name: 'mistakes', without: 'node:crypto', test: SIGNATURE },
  { name: 'signature', test: SIGNATURE },
  // Shared by `svc --help` and the library, which does not load `program`. execa needs the process too.
  { name: 'common', importedBy: ['src/cli/main.ts'], test: /\/src\/(?!cli\/)|\/global-process\.cjs$/ },
  // The entry itself stays apart, or the library would run it.
  { name: 'program', importedBy: ['src/cli/main.ts'], test: /\/src\/cli\/(?!main)|\/commander\// },
  // Shared by commands and the emulator, and by several commands. Without schemas, which `svc verify` does not need.
  {
    name: 'domain',
    test: /\/src\/(?:domain|signature|diagnosis|config|profile|platform|mcp\/connected)/,
    minShareCount: 2,
  },
  {
    name: 'operations',
    test: /\/src\/(?:resources|operations|client|fixtures)\/(?!openapi)/,
    minShareCount: 3,
  },
  { name: 'verify', importedBy: ['src/cli/commands/signature.ts'], test: /\/src\/cli\/(?!commands\/)/ },
  { name: 'commands', without: signing, test: /\/src\/cli\/(?!commands\/|main)/, minShareCount: 2 },
  {
    name: 'database',
    importedBy: ['src/store/database.ts'],
    test: /\/src\/(?:platform\/cache-folder|store\/)/,
  },
].map(({ name, importedBy = [], without, ...group }, index, { length }) => ({
  ...group,
  name: nameModules(name, importedBy, without),
  debugName: name,
  priority: length - index,
}));

/** Replacements for imported modules. */
export const alias = {
  'node:process': join(root, 'scripts/global-process.cjs'),
  // The colors of cli-table3, which we do not use.
  '@colors/colors/safe': false,
  // Its main file is a UMD module, whose parts a bundler does not find.
  'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
};

/** Functions and classes keep their names, for stack traces. */
export const minify = { mangle: { keepNames: true }, compress: true, codegen: false };

/**
 * @param input the source of each entry
 * @param options of rolldown for the output; by default it has chunks
 * @param packages replacements for more packages
 * @returns the files
 */
export async function bundle(input, options, packages = {}) {
  const { output } = await build({
    cwd: root,
    input,
    platform: 'node',
    plugins: [
      withoutPrograms,
      replaceFetchClasses,
      { name: 'get-builtin-modules', renderChunk: getBuiltinModules },
    ],
    resolve: { alias: { ...alias, ...packages } },
    transform: {
      target: 'node20.19',
      define: {
        __SVC_VERSION__: JSON.stringify(version),
        __SVC_FIXTURES__: JSON.stringify(readFixtures()),
        // CommonJS modules have `__dirname` instead.
        'import.meta.dirname': 'undefined',
        // listhen reads it. Only Vite defines it.
        'import.meta.env': 'undefined',
      },
      inject: Object.fromEntries(Object.keys(moduleTimers).map((name) => [name, [MODULE_TIMERS, name]])),
    },
    output: {
      format: 'cjs',
      // V8 stores a file with any other character in twice the memory.
      charset: 'ascii',
      sourcemap: false,
      minify,
      comments: { jsdoc: false },
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: chunkGroups },
      ...options,
    },
    logLevel: 'warn',
  });
  return output;
}

/**
 * Replaces `require()` of modules of Node.js, which an application that is bundled as ES modules does not have. Named imports are read
 * when a chunk is loaded, as in an ES module, because a test can replace them with mocks later. Those of late modules are read at each
 * use.
 */
function getBuiltinModules(code, { name: chunk }) {
  // With `globalThis`, because commander has a variable named `process`. In parentheses for `new`.
  const get = (id) => `(globalThis.process.getBuiltinModule("${id}"))`;
  let result = code;
  const declarations = (code.match(/^(?:let|const) .*require\(.*/gm) ?? []).join('\n');
  for (const [declaration, variable, id] of declarations.matchAll(/\b(node_\w+) = require\("([^"]+)"\)/g)) {
    // Default and namespace imports are the module itself.
    result = result
      .replace(new RegExp(`^${variable} = \\S+\\(${variable}, 1\\);$`, 'm'), '')
      .replace(new RegExp(`\\b${variable}(?:\\.default\\b|\\b(?!\\.| = ))`, 'g'), get(id));
    const uses = new RegExp(`\\b${variable}\\.(\\w+)`, 'g');
    const names = [...new Set(Array.from(result.matchAll(uses), ([, name]) => name))].join(', ');
    // Signing needs `node:crypto` at once.
    const isLate = lateModules.includes(id) && chunk !== 'signature';
    if (isLate) result = result.replace(uses, `${get(id)}.$1`);
    const value = isLate || names === '' ? 'null' : `(({ ${names} }) => ({ ${names} }))(${get(id)})`;
    result = result.replace(declaration, `${variable} = ${value}`);
  }
  return result.replace(/(?<![\w$.])require\("([^"]+)"\)/g, (call, id) => (isBuiltin(id) ? get(id) : call));
}

/** The fixtures that an emulator reads, by their path in `fixtures`. */
function readFixtures() {
  const folder = join(root, 'fixtures');
  const files = ['events', 'scripts', 'senders'].flatMap((kind) =>
    readdirSync(join(folder, kind), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
  );
}
