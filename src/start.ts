/** The entry of the npm package's `svc` command: starts the command line with the code that V8 compiled at an earlier start. */
import module from 'node:module';
import { enableCompileCache } from './platform/compile-cache.ts';

// `@types/node` 20 does not have it.
enableCompileCache((module as { enableCompileCache?: (folder: string) => unknown }).enableCompileCache);
// Not with `import()`, which would load the loader of ES modules: costly at startup.
require('./cli/main.ts');
