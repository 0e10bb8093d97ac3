// npm run bench:receivers: builds the product, bundles the measurement of receivers and runs it. See `npm run bench:receivers -- --help`.
import { execFileSync } from 'node:child_process';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const output = join(import.meta.dirname, '../build/receivers');

/** The expression in the bundle for `import.meta.dirname` or `import.meta.url` of a source file. */
function locate(file, name) {
  const path = relative(output, name === 'dirname' ? dirname(file) : file).replaceAll('\\', '/');
  return name === 'dirname'
    ? `(import.meta.dirname + ${JSON.stringify(`/${path}`)})`
    : `new URL(${JSON.stringify(path)}, import.meta.url).href`;
}

execFileSync(process.execPath, [join(root, 'scripts/build-if-needed.mjs')], { stdio: 'inherit' });
await build({
  cwd: root,
  input: { main: './bench/receivers/main.ts' },
  platform: 'node',
  // Node.js 20 does not know `await using`.
  transform: { target: 'node20.19' },
  // Packages: some cannot be bundled. The modules of the tests import Vitest, but the measurement calls none of its functions.
  external: /^(?!@oxc-project)[^\0./]/,
  // Modules find other files from their own place, not from that of the bundle.
  plugins: [
    {
      name: 'source-locations',
      transform: (code, id) =>
        id.includes('node_modules')
          ? null
          : code.replace(/import\.meta\.(dirname|url)/g, (_, name) => locate(id, name)),
    },
  ],
  output: { dir: output, format: 'esm', cleanDir: true },
  logLevel: 'warn',
});
const { main } = await import(pathToFileURL(join(output, 'main.js')).href);
await main(process.argv.slice(2));
