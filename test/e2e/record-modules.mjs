// Loaded with --import: appends the URL or the name of every module that the process loads to the file in MODULE_RECORD.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(process.env.MODULE_RECORD, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// Hooks do not see modules of Node.js, and those that are loaded with require(). They are in these lists at the end.
process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache);
  const addresses = required.map((path) => `${pathToFileURL(path)}\n`);
  appendFileSync(process.env.MODULE_RECORD, [...addresses, process.moduleLoadList.join('\n')].join(''));
});
