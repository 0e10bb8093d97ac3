import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setVariables, writeEnvFile } from '../../src/cli/env-variables.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it.each([
  ['appends to an empty text', '', 'A=1\nB=2\n'],
  ['appends after a line without a line break', '# mine\nC=3', '# mine\nC=3\nA=1\nB=2\n'],
  ['replaces each line of a variable', '\nB = "x y"\nAB=1\n#A=2\nA=3\n\nA=4', '\nAB=1\n#A=2\n\nA=1\nB=2\n'],
  ['replaces exports and indented lines', 'export A=0\n  export B=0\n', 'A=1\nB=2\n'],
  ['keeps the line breaks of other lines', 'C=3\r\nA=0\r\n', 'C=3\r\nA=1\nB=2\n'],
  ['keeps quoted values of several lines', 'C="x\ny"\nA=0\n', 'C="x\ny"\nA=1\nB=2\n'],
])('setVariables %s', (_, text, expected) => {
  const result = setVariables(text, { A: '1', B: '2' });
  expect(result).toBe(expected);
  // As Node.js reads the file.
  expect(parseEnv(result)).toEqual({ ...parseEnv(text), A: '1', B: '2' });
});

describe('writeEnvFile', () => {
  it.skipIf(process.platform === 'win32')(
    'an env file can be read only by its owner, even if others could read it before [files.env-file-mode]',
    () => {
      const path = join(createTemporaryFolder(), '.env');
      writeFileSync(path, 'OTHER=1\n', { mode: 0o644 });
      writeEnvFile(path, { SVC_API_KEY: 'svc_test_a' });
      expect(readFileSync(path, 'utf8')).toBe('OTHER=1\nSVC_API_KEY=svc_test_a\n');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  it.each([
    ['Latin-1', Buffer.from('DB_PASSWORD=caf\xe9\n', 'latin1')],
    ['UTF-16', Buffer.from('\uFEFFA=1\n', 'utf16le')],
  ])('a file in %s is refused, and stays', (_, bytes) => {
    const path = join(createTemporaryFolder(), '.env');
    writeFileSync(path, bytes);
    expect(() => writeEnvFile(path, { A: '1' })).toThrow(`The file ${path} is not UTF-8`);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it.skipIf(process.platform === 'win32')('a path that is not a regular file is refused', async () => {
    const path = join(createTemporaryFolder(), 'socket');
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { mode } = statSync(path);
    expect(() => writeEnvFile(path, { A: '1' })).toThrow(`${path} is not a regular file.`);
    expect(statSync(path).mode).toBe(mode);
  });

  it('a path that cannot be written is a usage error', () => {
    const path = join(createTemporaryFolder(), 'nowhere', '.env');
    expect(() => writeEnvFile(path, {})).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(path) }),
    );
  });
});
