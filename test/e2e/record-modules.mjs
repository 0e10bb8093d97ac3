// Loaded with --import: appends the address of every module that the process loads to the file named by MODULE_RECORD.
import { register } from 'node:module';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(process.env.MODULE_RECORD, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
