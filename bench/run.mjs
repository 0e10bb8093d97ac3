// npm run bench: builds the product and bundles the benchmarks, then runs them. See `npm run bench -- --help`.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { alias, replaceFetchClasses } from '../scripts/bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const entries = {
  main: 'main.ts',
  emulator: 'children/emulator.ts',
  library: 'children/library.ts',
  'bare-pipeline': 'children/bare-pipeline.ts',
  'bare-server': 'children/bare-server.ts',
};

/** The library is measured as it is published, because a bundle of its own would load other chunks. */
const publishedLibrary = {
  name: 'published-library',
  resolveId: (id) => (id.endsWith('/src/index.ts') ? { id: '../../dist/index.js', external: true } : null),
};

execFileSync(process.execPath, [join(here, '../scripts/build-if-needed.mjs')], { stdio: 'inherit' });
await build({
  cwd: here,
  input: entries,
  platform: 'node',
  external: ['listhen', 'playwright-core'],
  // The emulator responds with the same classes as the published one.
  plugins: [publishedLibrary, replaceFetchClasses],
  resolve: { alias },
  output: { dir: join(here, 'build'), format: 'esm', cleanDir: true },
  logLevel: 'warn',
});
const { main } = await import(pathToFileURL(join(here, 'build/main.js')).href);
await main(process.argv.slice(2));
