// Builds src into dist: the page of the dashboard, and bundles of the rest, one file a public entry, shared and lazily loaded parts as chunks beside them. Everything is
// bundled but what cannot be (native code) or is seldom loaded, because reading hundreds of small files is what makes
// a command slow to start.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { build as buildPage } from 'vite';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dist = join(root, 'dist');
const entries = {
  index: 'src/index.ts',
  cli: 'src/cli/main.ts',
  signature: 'src/signature.ts',
  vitest: 'src/vitest.ts',
  watchdog: 'src/watchdog/main.ts',
};

/** Globals that test runners replace with fake ones. */
const timers = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
];

/** What goes into one chunk, the first group first. Left alone, a command would load fifty chunks instead of ten. */
const chunkGroups = [
  // What everything needs. It imports nothing, so that `svc --help` is quick and `svc-emulator/signature` is on its own.
  {
    name: 'base',
    test: /\/src\/(clock\/wall|domain\/(duration|ids|invisible-characters|json)|errors|timers|version)/,
  },
  { name: 'signature', test: /\/src\/domain\/signature/ },
  // What `svc --help` needs; the entry itself stays apart, or the library would run it.
  { name: 'program', test: /\/src\/cli\/(?!main)|\/commander\//, tags: ['$initial'] },
  // What commands and the emulator share, and what commands share.
  { name: 'domain', test: /\/src\/domain/, minShareCount: 3 },
  // Of the control plane without what is behind it, which would bring the whole emulator along.
  {
    name: 'contract',
    test: /\/src\/(config|contract|control\/(?!local|stream|filters|\w+-calls)|fixtures|profile)/,
    minShareCount: 3,
  },
  { name: 'client', test: /\/src\/cli\/(?!commands|main)/, minShareCount: 3 },
].map((group, index, { length }) => ({ ...group, priority: length - index }));

const minify = { mangle: false, compress: true, codegen: false };

rmSync(dist, { recursive: true, force: true });
const { output } = await build({
  cwd: root,
  input: entries,
  platform: 'node',
  external: ['better-sqlite3', 'listhen', 'vitest'],
  resolve: { alias: { 'node:process': join(root, 'scripts/global-process.cjs') } },
  transform: {
    target: 'node20.19',
    define: { __SVC_VERSION__: JSON.stringify(manifest.version), __SVC_UNDICI__: '"dist/undici.cjs"' },
    // undici and others wait with these too: fake timers of a test runner must not stop them.
    inject: Object.fromEntries(timers.map((name) => [name, [join(root, 'src/timers.ts'), name]])),
  },
  output: {
    dir: dist,
    format: 'esm',
    sourcemap: false,
    minify,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: chunkGroups },
  },
  logLevel: 'warn',
});
// A CommonJS file of its own, see src/delivery/undici.ts: a function of the timers, because it is loaded late.
const undici = await build({
  cwd: root,
  input: { undici: 'undici' },
  platform: 'node',
  output: {
    ...{ dir: dist, format: 'cjs', entryFileNames: '[name].cjs', minify },
    postBanner: `module.exports = ({ ${timers.join(', ')} }) => { const module = { exports: {} }; let { exports } = module;`,
    postFooter: 'return module.exports; };',
  },
  logLevel: 'warn',
});
const page = await buildPage({ configFile: join(root, 'src/dashboard/vite.config.ts'), logLevel: 'warn' });
writeNotices([...output, ...undici.output, ...page.output]);
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});

/** The licences of what is bundled travel with it. */
function writeNotices(chunks) {
  const names = new Set();
  for (const chunk of chunks) {
    for (const id of chunk.moduleIds ?? []) {
      const inside = id.split('/node_modules/').at(-1);
      if (!id.includes('/node_modules/')) continue;
      const [first, second] = inside.split('/');
      names.add(first.startsWith('@') ? `${first}/${second}` : first);
    }
  }
  const notices = [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `## ${name} ${version} (${license})\n\n${licenceText(folder)}`;
  });
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), `# Bundled packages\n\n${notices.join('\n\n')}\n`);
}

function licenceText(folder) {
  for (const name of [
    'LICENSE',
    'LICENSE.md',
    'LICENSE.txt',
    'license',
    'LICENCE',
    'MIT-LICENSE.txt',
    'license.md',
  ]) {
    try {
      return readFileSync(join(folder, name), 'utf8').trim();
    } catch {
      // The next spelling, or none.
    }
  }
  return 'See the package for its licence text.';
}
