// Compiles the modules of the single executable with all their functions, so that a start only reads the result. Runs in the Node.js
// of the executable.
// Usage: compile-modules.mjs ASSETS
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileModule } from '../src/executable/executable.ts';

const [, , assets] = process.argv;
for (const name of readdirSync(join(assets, 'modules'), { recursive: true })) {
  if (!name.endsWith('.js')) continue;
  const path = name.replaceAll('\\', '/');
  const source = readFileSync(join(assets, 'modules', path), 'utf8');
  // By default, V8 compiles a function when it is first called.
  setFlagsFromString('--no-lazy');
  const script = compileModule(path, source);
  // V8 accepts the code only with the flags that it was created with.
  setFlagsFromString('--lazy');
  const code = script.createCachedData();
  if (compileModule(path, source, code).cachedDataRejected)
    throw new Error(`V8 rejects the code of ${path}.`);
  const file = join(assets, 'code', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
}
