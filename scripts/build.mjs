// Builds src into dist: the library and the command line as CommonJS modules, and the dashboard. Everything is bundled except native
// code and test runners, because reading hundreds of small files makes a command slow to start, and each dependency makes the installation
// slower.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { build as buildPage } from 'vite';
import { bundle, minify, version } from './bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
// Windows cannot remove a driver that an emulator has loaded.
for (const name of readdirSync(dist)) {
  if (name !== 'better-sqlite3') rmSync(join(dist, name), { recursive: true });
}
const entries = {
  index: 'src/index.ts',
  signature: 'src/signature.ts',
  'test-runners': 'src/library/test-runners.ts',
  cli: 'src/cli/main.ts',
};
const modules = await bundle(entries, { dir: dist });
// So that Node.js and TypeScript read the files as CommonJS.
writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');

/** Bundles a file, but requires or imports those that are entries of their own. */
const buildAround = (input, output) =>
  build({
    cwd: root,
    input,
    platform: 'node',
    external: ['vitest', '@playwright/test'],
    plugins: [
      {
        name: 'entries',
        resolveId(id, importer) {
          const source = importer && relative(root, join(dirname(importer), id)).replaceAll('\\', '/');
          const name = Object.keys(entries).find((entry) => entries[entry] === source);
          return name === undefined ? null : { id: `./${name}.js`, external: true };
        },
      },
    ],
    transform: { target: 'node20.19', define: { __SVC_VERSION__: JSON.stringify(version) } },
    output: { minify, comments: { jsdoc: false }, ...output },
    logLevel: 'warn',
  });
// Lets Node.js cache compiled code before it loads the command line.
await buildAround('src/start.ts', { file: join(dist, 'start.js'), format: 'cjs' });
// An ES module, because Vitest cannot be required.
await buildAround('src/vitest.ts', { file: join(dist, 'vitest.mjs'), format: 'esm' });
await buildAround('src/playwright.ts', { file: join(dist, 'playwright.js'), format: 'cjs' });
const page = await buildPage({ configFile: join(root, 'src/dashboard/vite.config.ts'), logLevel: 'warn' });
writeNotices([...modules, ...page.output]);
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
completeTypes();

/**
 * Keeps only the declarations that the public entries refer to, and adds those of valibot, so that a project needs no other
 * package for the types.
 */
function completeTypes() {
  const types = join(dist, 'types');
  const declarations = readFileSync(join(root, 'node_modules/valibot/dist/index.d.mts'), 'utf8');
  writeFileSync(join(types, 'valibot.d.ts'), declarations.replace(/^[ \t]*\/\*\*.*?\*\/\n/gms, ''));
  // The loop also visits the files that it adds.
  // `.d.mts`, because TypeScript would read the types of Vitest for CommonJS otherwise.
  renameSync(join(types, 'vitest.d.ts'), join(types, 'vitest.d.mts'));
  const kept = new Set(
    ['index.d.ts', 'signature.d.ts', 'vitest.d.mts', 'playwright.d.ts'].map((name) => join(types, name)),
  );
  for (const file of kept) {
    const toRoot = relative(dirname(file), types).replaceAll('\\', '/') || '.';
    const text = readFileSync(file, 'utf8').replace(
      /(?<=\b(?:from |import\()["'])valibot(?=["'])/g,
      `${toRoot}/valibot.ts`,
    );
    writeFileSync(file, text);
    for (const [, target] of text.matchAll(/\b(?:from |import\()["'](\.[^"']+)\.ts["']/g)) {
      kept.add(join(dirname(file), `${target}.d.ts`));
    }
  }
  for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(path)) rmSync(path);
  }
}

/** Writes the licenses of the bundled packages. */
function writeNotices(chunks) {
  const names = new Set(['better-sqlite3-13']);
  for (const chunk of chunks) {
    for (const id of chunk.moduleIds ?? []) {
      if (!id.includes('/node_modules/')) continue;
      const [first, second] = id.split('/node_modules/').at(-1).split('/');
      names.add(first.startsWith('@') ? `${first}/${second}` : first);
    }
  }
  const notices = [...names].sort().map((path) => {
    const folder = join(root, 'node_modules', path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `## ${name} ${version} (${license})\n\n${readLicense(folder)}`;
  });
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.md'), `# Bundled packages\n\n${notices.join('\n\n')}\n`);
}

function readLicense(folder) {
  const name = readdirSync(folder).find((file) => /^(?:mit-)?licen[cs]e(?:\.md|\.txt)?$/i.test(file));
  if (name === undefined) return 'See the package for its license text.';
  return readFileSync(join(folder, name), 'utf8').trim();
}
