// Bundles src into an entry for each program and chunks for shared and lazily loaded modules: for the npm package as ES modules, for
// the single executable as CommonJS modules.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '..');
/** The version of the package. */
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const [timersModule] = (await build({ cwd: root, input: 'src/timers.ts', platform: 'node', write: false }))
  .output;
/** The globals that src/timers.ts exports. */
export const timers = timersModule.exports.filter((name) => name in globalThis);
/**
 * Replaces these globals in bundled packages, because test runners replace them with fakes. A CommonJS module, because
 * bundling src/timers.ts into CommonJS packages would wrap it in a function. No module of Node.js exports `queueMicrotask`.
 */
const MODULE_TIMERS = 'module-timers.cjs';
const moduleTimers = {
  name: 'module-timers',
  resolveId: (id) => (id === MODULE_TIMERS ? id : null),
  load: (id) =>
    id === MODULE_TIMERS
      ? `const timers = require('node:timers');
         const queueMicrotask = (task) => void Promise.resolve().then(task);
         module.exports = { ${timers.map((name) => (name === 'queueMicrotask' ? name : `${name}: timers.${name}`)).join(', ')} };`
      : null,
};

/** Modules of Node.js that few commands need, and that take longest to load. */
const lateModules = [
  'node:child_process',
  'node:fs/promises',
  'node:http2',
  'node:https',
  'node:readline',
  'node:tls',
  'node:zlib',
];
const toLateId = (name) => `late-${name.replace(/[:/]/g, '-')}`;
/**
 * Loads these modules when one of their exports is first used, even in bundled packages. A CommonJS module, because the bundler
 * reads its properties at each use.
 */
const loadLate = {
  name: 'load-late',
  resolveId: (id) => (lateModules.includes(id) ? toLateId(id) : null),
  load(id) {
    const name = lateModules.find((module) => toLateId(module) === id);
    if (name === undefined) return null;
    const getters = Object.keys(process.getBuiltinModule(name)).map(
      (key) => `get ${key}() { return process.getBuiltinModule('${name}').${key}; }`,
    );
    return { code: `module.exports = { ${getters.join(', ')} };`, moduleSideEffects: false };
  },
};

/** Selects exactly these files. A path that does not exist stops the build: otherwise a rename would silently move the file to another chunk. */
function listed(...paths) {
  const ids = paths.map((path) => join(root, path));
  const missing = ids.filter((id) => !existsSync(id));
  if (missing.length > 0)
    throw new Error(`A chunk group lists files that do not exist: ${missing.join(', ')}`);
  return (id) => ids.includes(id);
}

/** Parts of the control plane that only a running emulator needs. */
const runsInEmulator = listed(
  'src/control/clock-handlers.ts',
  'src/control/control-handlers.ts',
  'src/control/delivery-handlers.ts',
  'src/control/explain-delivery.ts',
  'src/control/rejection-evidence.ts',
  'src/control/overview-handlers.ts',
  'src/control/map-in-slices.ts',
  'src/control/request-handlers.ts',
  'src/control/export/export-deliveries.ts',
  'src/control/export/har-export.ts',
  'src/control/webhook-handlers.ts',
  'src/control/store-filters.ts',
  'src/control/trace-event.ts',
  'src/control/in-process-control-plane.ts',
  'src/control/shared-changes.ts',
  'src/control/live-stream.ts',
);

/** Parts of the control plane that `svc verify` needs, and that import no schemas. */
const describesDelivery = listed('src/control/describe-fault.ts', 'src/control/describe-phases.ts');

/** Small modules that the emulator shares with a few commands. */
const isShared = listed(
  'src/network/address-policy.ts',
  'src/network/track-sockets.ts',
  'src/watchdog/process-guard.ts',
);

/** Small modules that `svc --help` and the library share. */
const isCommon = listed(
  'src/config/project-folders.ts',
  'src/config/read-data-file.ts',
  'src/config/trusted-path.ts',
  'src/create-folder.ts',
  'src/domain/message-parts.ts',
  'src/package-files.ts',
  'src/package-info.ts',
  'src/control/run-file.ts',
  'src/domain/address.ts',
  'src/domain/delivery.ts',
  'src/domain/http-url.ts',
  'src/domain/json-error-position.ts',
  'src/domain/retry-policy.ts',
  'src/domain/shell.ts',
);

/** The modules of each chunk; the first group that matches wins. Without groups a command would load fifty chunks instead of ten. */
const chunkGroups = [
  // Modules that everything needs and that import little: `svc --help` stays quick and `svc-emulator/signature` self-contained.
  {
    name: 'base',
    test: listed(
      'src/clock/wall-clock.ts',
      'src/domain/duration.ts',
      'src/domain/ids.ts',
      'src/domain/invisible-characters.ts',
      'src/domain/json-path.ts',
      'src/domain/json.ts',
      'src/domain/json-tokens.ts',
      'src/domain/json-tree.ts',
      'src/errors.ts',
      'src/timers.ts',
    ),
  },
  { name: 'signature', test: /\/src\/domain\/signature/ },
  // Needed by both `svc --help` and the library. A group also contains what its modules import, so without this group, the
  // library would load `program`.
  {
    name: 'common',
    test: (id) => /^module-timers|^late-node-|rolldown\/runtime/.test(id) || isCommon(id),
  },
  // Needed by `svc --help`: `$initial` selects what an entry imports without `import()`. The entry itself stays apart, or the
  // library would run it.
  { name: 'program', test: /\/src\/cli\/(?!main)|\/commander\//, tags: ['$initial'] },
  // Shared by commands and the emulator, and by several commands. Without the schemas of the control plane, which `svc verify` does
  // not need.
  {
    name: 'domain',
    test: (id) => /\/src\/(?:domain|config|profile)[./]/.test(id) || describesDelivery(id) || isShared(id),
    minShareCount: 3,
  },
  // The control plane without the emulator behind it.
  {
    name: 'contract',
    test: (id) => /\/src\/(?:contract|control|fixtures)\/(?!openapi-)/.test(id) && !runsInEmulator(id),
    minShareCount: 3,
  },
  {
    name: 'rendering',
    test: listed('src/cli/option-parsers.ts', 'src/cli/render/deliveries.ts'),
    minShareCount: 3,
  },
  { name: 'client', test: /\/src\/cli\/(?!commands|main)/, minShareCount: 3 },
  { name: 'database', test: /\/src\/(?:cache-folder|store\/(?:addon-cache|database|driver|schema|sql))\.ts/ },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

export const minify = { mangle: false, compress: true, codegen: false };

/**
 * @param input the source of each entry
 * @returns the files
 */
export async function bundle(input, { dir, format, extension }) {
  const { output } = await build({
    cwd: root,
    input,
    platform: 'node',
    external: ['better-sqlite3', 'vitest'],
    plugins: [
      moduleTimers,
      loadLate,
      {
        // `import` reads all properties of a module: `node:crypto` would load Web Crypto, for example. The signature keeps its
        // `import`, which every bundler understands.
        name: 'get-builtin-modules',
        renderChunk: (code, { name }) =>
          name === 'signature'
            ? null
            : code.replace(
                /^import \{ ([^}]+) \} from "(node:[^"]+)";$/gm,
                (_, names, id) =>
                  `var { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule("${id}");`,
              ),
      },
      {
        name: 'require-without-import-meta-url',
        // An application that is bundled as CommonJS has no `import.meta.url`. Only modules of Node.js are required that way.
        // `__SVC_REQUIRE__` becomes `require`, so that the bundler of such an application finds a literal path.
        renderChunk: (code) =>
          code
            .replaceAll('__SVC_REQUIRE__(', 'require(')
            .replaceAll(
              'createRequire(import.meta.url)',
              'createRequire(import.meta.url ?? process.execPath)',
            ),
      },
    ],
    resolve: { alias: { 'node:process': join(root, 'scripts/global-process.cjs') } },
    transform: {
      target: 'node20.19',
      define: {
        __SVC_VERSION__: JSON.stringify(version),
        __SVC_FIXTURES__: JSON.stringify(readFixtures()),
        // listhen reads it. Only Vite defines it.
        'import.meta.env': 'undefined',
        __SVC_UNDICI__: JSON.stringify('../undici.cjs'),
      },
      inject: Object.fromEntries(timers.map((name) => [name, [MODULE_TIMERS, name]])),
    },
    output: {
      dir,
      format,
      sourcemap: false,
      minify,
      comments: { jsdoc: false },
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunks/[name]-[hash].${extension}`,
      codeSplitting: { groups: chunkGroups },
    },
    logLevel: 'warn',
  });
  return output;
}

/** The fixtures that an emulator reads, by their path in `fixtures`. */
function readFixtures() {
  const folder = join(root, 'fixtures');
  const names = ['events', 'scripts'].flatMap((kind) =>
    readdirSync(join(folder, kind)).map((name) => `${kind}/${name}`),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
