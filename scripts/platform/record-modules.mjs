// Loaded with --import: appends the URL of every module that the process loads to the file in MODULE_RECORD, and the internal name
// of every module of Node.js, such as `NativeModule http`.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(process.env.MODULE_RECORD, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// svc runs its own modules as scripts.
const { Script } = vm;
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options);
    appendFileSync(process.env.MODULE_RECORD, `${pathToFileURL(options.filename)}\n`);
  }
};

// Hooks do not see modules that are loaded with require(). They are in the cache at the end.
process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache);
  const addresses = required.map((path) => pathToFileURL(path).href);
  appendFileSync(process.env.MODULE_RECORD, [...addresses, ...process.moduleLoadList].join('\n'));
});
