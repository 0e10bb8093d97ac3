import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readConfigFile } from '../../src/config/config-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

function createFile(name: string, content: string): string {
  const path = join(createTemporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

describe('readConfigFile', () => {
  it.each([
    ['does not know the feature', {}],
    ['has it turned off', { typescript: false }],
  ])('readConfigFile refuses TypeScript if Node.js %s', async (_, features) => {
    vi.stubGlobal('process', Object.create(process, { features: { value: features } }));
    await expect(readConfigFile(createFile('svc.config.ts', 'export default {};'))).rejects.toMatchObject({
      code: 'usage',
      hint: { text: 'Rename it to svc.config.mjs and remove the types, or use a newer Node.js.' },
    });
  });

  it.skipIf(!Reflect.get(process.features, 'typescript'))(
    'readConfigFile imports TypeScript if Node.js can import it',
    async () => {
      const path = createFile('svc.config.ts', 'export default { port: 1 as number };');
      expect(await readConfigFile(path)).toEqual({ port: 1 });
    },
  );

  it('readConfigFile imports a module that imports others and waits', async () => {
    const path = createFile(
      'svc.config.mjs',
      `import { port } from './port.mjs'; export default { port: await port };`,
    );
    writeFileSync(join(path, '../port.mjs'), 'export const port = Promise.resolve(1);');
    expect(await readConfigFile(path)).toEqual({ port: 1 });
  });

  it('readConfigFile quotes what a module throws, even if it is not an error', async () => {
    const path = createFile('svc.config.mjs', 'throw "no luck";');
    await expect(readConfigFile(path)).rejects.toThrow(`${path} cannot be loaded: no luck.`);
  });
});
