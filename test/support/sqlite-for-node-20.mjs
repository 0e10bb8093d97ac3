// Loaded with `node --import`: on Node.js 20, `better-sqlite3` is the version that runs there (see ARCHITECTURE.md).
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

if (process.versions.node.startsWith('20.')) {
  const driver = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3-node-20')).href;
  const hooks = `export const resolve = (specifier, context, next) =>
    specifier === 'better-sqlite3' ? { url: ${JSON.stringify(driver)}, format: 'commonjs', shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
