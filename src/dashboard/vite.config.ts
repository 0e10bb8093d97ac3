import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const emulator = process.env.SVC_URL ?? 'http://127.0.0.1:4777';

/** The page shares its words and its types with other rooms: what of them needs Node.js must not end up in it. */
const browserOnly: Plugin = {
  name: 'browser-only',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('node:') ? { id, external: true, moduleSideEffects: false } : null),
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      const [needed] = (chunk.type === 'chunk' && /\bnode:\w+/.exec(chunk.code)) || [];
      if (needed !== undefined) throw new Error(`The dashboard cannot load ${needed}.`);
    }
  },
};

/** `npx vite src/dashboard` serves the page while it is worked on, beside the emulator at `SVC_URL`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [browserOnly],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, '../../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the page refuses what is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/_svc': emulator, '/v1': emulator } },
});
