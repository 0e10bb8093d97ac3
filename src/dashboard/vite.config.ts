import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const emulator = process.env.SVC_URL ?? 'http://127.0.0.1:4777';

/** The page shares code with other modules, but nothing that needs Node.js. */
const browserOnly: Plugin = {
  name: 'browser-only',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id.startsWith('node:'))
      throw new Error(`The dashboard cannot load ${id}, which ${importer} imports.`);
  },
};

/** The page does not show the descriptions of fields and operations, or their options and conditions in SQL. */
const DESCRIPTION =
  /(\b(?:described|resource|textFilter)\(\s*|\bidField\(\s*'\w+',\s*|\b(?:summary|detail|description|defaultText|option|optionSummary|sql):\s*)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;
const withoutDescriptions: Plugin = {
  name: 'without-descriptions',
  enforce: 'pre',
  transform: (code, id) =>
    /\/src\/(?:resources|operations)\//.test(id)
      ? { code: code.replace(DESCRIPTION, "$1''"), map: null }
      : null,
};

/** `npx vite src/dashboard` serves the page during development, with the emulator at `SVC_URL`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [browserOnly, withoutDescriptions],
  // Not by NODE_ENV, which is `test` when a test builds the page: JSX for development is a tenth larger.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir: join(import.meta.dirname, '../../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the page blocks inlined assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // Keeps the host of this page, because the emulator accepts requests only from its own pages.
  server: { proxy: { '^/(?:_svc|v1)/': { target: emulator, changeOrigin: false } } },
});
