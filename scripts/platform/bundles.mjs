// What the files of the build load at their start, and how large they are.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root } from './projects.mjs';

const dist = join(root, 'dist');
/** A statement in which a module loads others at its start. */
const DECLARATION = /^(?:const|let|var|import|require|\}\)\)).*/gm;
const LOADED = /(?:^require\(| = require\(|\bgetBuiltinModule\(| from )"([^"]+)"/gm;

/** What a file can leave to others, as source files, packages and modules of Node.js. */
const parts = {
  'anything but its own code and node:crypto': /^(?!src\/|node:crypto$|scripts\/|\\0rolldown)/,
  'the command line': /src\/cli\/|\/commander\//,
  'the emulator': /^src\/(?:emulator|store)\//,
  'the schemas of operations and resources': /src\/(?:operations|profile|resources)\/|string-width/,
  'the operations of the control plane': /src\/operations\//,
  'the OpenAPI documents': /openapi-/,
  'the code for fuzzing': /^src\/receivers\/fuzz\//,
  'fast-check': /node_modules\/(?:fast-check|pure-rand)\//,
  'the protocol of coding agents': /node_modules\/(?:@modelcontextprotocol|zod)\/|^src\/mcp\/tools\//,
  listhen: /node_modules\/(?:listhen|node-forge)\/|^listhen$/,
  'another Vitest': /\/vitest\//,
  'node:crypto': /^node:crypto$/,
  'modules of Node.js that few commands need':
    /^node:(?:child_process|dns|fs\/promises|https|net|readline|stream\/web|tls|zlib)$/,
};
const late = parts['modules of Node.js that few commands need'];

/** An entry point or the name of a chunk, something that it loads at its start, and the parts that it does not load. */
const loads = [
  ['signature.js', /^src\/signature\/verify\.ts$/, ['anything but its own code and node:crypto']],
  [
    'index.js',
    /^src\/store\/store\.ts$/,
    [
      ...['the command line', 'the OpenAPI documents', 'the code for fuzzing', 'fast-check', 'listhen'],
      ...['the protocol of coding agents', 'modules of Node.js that few commands need'],
    ],
  ],
  ['vitest.mjs', /^vitest$/, ['another Vitest', 'the protocol of coding agents']],
  ['vitest.mjs', /^src\/store\/store\.ts$/, []],
  [
    'cli.js',
    /^src\/cli\/main\.ts$/,
    [
      ...['the schemas of operations and resources', 'fast-check', 'the protocol of coding agents'],
      'modules of Node.js that few commands need',
    ],
  ],
  ['trigger', /^src\/cli\/commands\/trigger\.ts$/, ['the emulator', 'node:crypto']],
  [
    'signature',
    /^src\/cli\/commands\/signature\.ts$/,
    ['the emulator', 'the operations of the control plane'],
  ],
  ['receiver-fuzz', /^src\/cli\/commands\/receiver-fuzz\.ts$/, ['fast-check']],
  ['random-sequences', parts['fast-check'], []],
  ['mcp', /^src\/cli\/commands\/mcp\.ts$/, ['the protocol of coding agents']],
  ['serve-stdio', parts['the protocol of coding agents'], []],
];

/** Names of files, how many bytes they have at most when they are compressed, and their folder. */
const sizes = [
  ['the server for coding agents', 200_000, () => [findChunk('serve-stdio')]],
  ['the dashboard with all views', 300_000, () => listFiles('dashboard')],
];

export const rows = [
  ...loads.map(([name, loaded, others]) => ({
    title: `${name} loads ${loaded}${others.map((part) => `, and not ${part}`).join('')}`,
    run() {
      const ids = listLoaded(name.includes('.') ? join(dist, name) : findChunk(name, loaded));
      assert.ok(ids.some((id) => loaded.test(id)));
      for (const part of others)
        assert.deepEqual(
          ids.filter((id) => parts[part].test(id)),
          [],
          `loads ${part}`,
        );
    },
  })),
  {
    title: 'no command loads modules of Node.js that few commands need',
    run() {
      const commands = listFiles('chunks').filter((chunk) =>
        listLoaded(chunk).some((id) => id.startsWith('src/cli/commands/')),
      );
      assert.ok(commands.length > 10);
      assert.deepEqual(
        commands.flatMap(listLoaded).filter((id) => late.test(id)),
        [],
      );
    },
  },
  {
    title: 'the build contains listhen, and does not import the package',
    run() {
      const ids = listFiles('chunks')
        .flatMap(listLoaded)
        .filter((id) => parts.listhen.test(id));
      assert.ok(ids.length > 0 && !ids.includes('listhen'));
    },
  },
  {
    title: 'the public types need no package but the test runner of the project and those of Node.js',
    run() {
      const types = listFiles('types').filter((path) => /\.d\.m?ts$/.test(path));
      const targets = types.flatMap((path) =>
        Array.from(
          readFileSync(path, 'utf8').matchAll(/\b(?:from |import\()["']([^."'][^"']*)["']/g),
          ([, target]) => target,
        ),
      );
      const allowed = /^(?:vitest|@playwright\/test|node:.*)$/;
      assert.deepEqual(
        targets.filter((target) => !allowed.test(target)),
        [],
      );
    },
  },
  {
    title:
      'the emulator contains the descriptions of the OpenAPI documents, and the dashboard and svc --help do not',
    async run() {
      const { createEmulator } = await import(pathToFileURL(join(dist, 'index.js')));
      const emulator = await createEmulator();
      const response = await fetch(`${emulator.url}/_svc/openapi.json`);
      const document = JSON.stringify(await response.json(), (key, value) =>
        key.startsWith('example') ? undefined : value,
      );
      await emulator.close();
      const descriptions = [...new Set(document.match(/(?<="description":")[^"\\]{30,}/g))];
      const findIn = (files) => {
        const code = files.map((file) => readFileSync(file, 'utf8')).join('');
        return descriptions.filter((description) => code.includes(description));
      };
      assert.ok(findIn(listFiles('chunks')).length > 200);
      assert.deepEqual(findIn(listFiles('dashboard/assets')), []);
      assert.deepEqual(findIn(listFilesLoaded(join(dist, 'cli.js'))), []);
    },
  },
  ...sizes.map(([name, limit, list]) => ({
    title: `${name} has at most ${limit} bytes when it is compressed`,
    run() {
      const files = list();
      const total = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0);
      assert.ok(files.length > 0 && total < limit, `${total} bytes`);
    },
  })),
];

function listFiles(folder) {
  return readdirSync(join(dist, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** The chunk with this name; of several, the one that loads a file. */
function findChunk(name, loaded = /^/) {
  const pattern = new RegExp(`[\\\\/]${name}-[\\w-]{8}\\.js$`);
  const named = listFiles('chunks').filter((path) => pattern.test(path));
  const chunk = named.find((path) => listLoaded(path).some((id) => loaded.test(id)));
  assert.ok(chunk, `no chunk is called ${name}`);
  return chunk;
}

const readModules = new Map();

/** What a file of the build loads at its start, and the source files in it. */
function readModule(file) {
  if (!readModules.has(file)) {
    const text = readFileSync(file, 'utf8');
    const declarations = (text.match(DECLARATION) ?? []).join('\n');
    readModules.set(file, {
      ids: Array.from(declarations.matchAll(LOADED), ([, id]) => id),
      sources: Array.from(text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ([, source]) => source),
    });
  }
  return readModules.get(file);
}

/** A file and the files of the build that it and its imports load. */
function listFilesLoaded(entry) {
  const files = new Set([entry]);
  for (const file of files)
    for (const id of readModule(file).ids) if (id.startsWith('.')) files.add(join(dirname(file), id));
  return [...files];
}

/** The source files, the packages and the modules of Node.js that a file and its imports load. */
function listLoaded(entry) {
  return listFilesLoaded(entry)
    .map(readModule)
    .flatMap(({ ids, sources }) => [...sources, ...ids.filter((id) => !id.startsWith('.'))]);
}
