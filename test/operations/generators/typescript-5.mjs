// Loaded with `node --import`: `typescript` is version 5, whose compiler API the generators use.
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const typescript = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href;
const hooks = `export const resolve = (specifier, context, next) =>
  next(specifier === 'typescript' ? ${JSON.stringify(typescript)} : specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
