import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDataFile } from '../../src/platform/read-data-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

function read(name: string, text: string) {
  const path = join(createTemporaryFolder(), name);
  writeFileSync(path, text);
  return readDataFile(path);
}

describe('a seed file', () => {
  const content = { workspaces: [{ name: 'A', clock: { now: '2026-11-20T12:00:00Z' } }] };

  it.each([
    ['seed.json', JSON.stringify(content)],
    ['seed.yaml', 'workspaces:\n  - name: A\n    clock:\n      now: 2026-11-20T12:00:00Z\n'],
    ['seed.yml', JSON.stringify(content)],
  ])('a seed file is read by its extension: %s', async (name, text) => {
    expect(await read(name, text)).toEqual(content);
  });

  it.each([
    ['seed.json', '{\n  "a": 1,\n}', /is not valid JSON: see line 3, column 1\.$/],
    ['seed.yaml', 'a: 1\nb: [1,\n', /is not valid YAML: .* at line 3, column 1\.$/],
    ['seed.yaml', 'a: 1\na: 2\n', /is not valid YAML: Map keys must be unique at line 2, column 1\.$/],
    ['seed.yaml', 'a: 1\n---\nb: 1\n', /: Source contains multiple documents at line 2, column 1\.$/],
    ['seed.yaml', '# nothing yet\n', /is empty\.$/],
    ['seed.json', 'null', /is empty\.$/],
  ])('the error for an invalid seed file says where the mistake is: %s %j', async (name, text, message) => {
    await expect(read(name, text)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it('the error for a folder instead of a seed file says that it is a folder', async () => {
    await expect(readDataFile(createTemporaryFolder())).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be read: it is a folder\.$/),
      hint: undefined,
    });
  });

  it('a seed file that does not exist is refused', async () => {
    await expect(readDataFile(join(createTemporaryFolder(), 'seed.yaml'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^The file .*seed\.yaml does not exist\.$/),
    });
  });
});
