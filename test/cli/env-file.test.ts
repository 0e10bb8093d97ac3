import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setVariables, writeEnvFile } from '../../src/cli/env-variables.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

describe('setVariables', () => {
  it('setVariables appends variables that the text does not contain', () => {
    expect(setVariables('', { A: '1', B: '2' })).toBe('A=1\nB=2\n');
    expect(setVariables('# mine\nC=3', { A: '1' })).toBe('# mine\nC=3\nA=1\n');
  });

  it('setVariables replaces existing variables in place, removes duplicates and keeps all other lines', () => {
    const text = '\nexport A=0\n  B = "x y"\nAB=1\n#A=2\nA=3\nC=4\n\n';
    expect(setVariables(text, { A: '1', B: '2' })).toBe('\nA=1\nB=2\nAB=1\n#A=2\nC=4\n\n');
  });

  it('setVariables keeps variables that have the name of a property of every object', () => {
    const text = 'constructor=1\ntoString=2\n';
    expect(setVariables(text, { A: '1' })).toBe(`${text}A=1\n`);
  });

  it('setVariables keeps CRLF line endings of other lines', () => {
    expect(setVariables('C=3\r\nA=0\r\n', { A: '1' })).toBe('C=3\r\nA=1\n');
  });
});

describe('writeEnvFile', () => {
  it.skipIf(process.platform === 'win32')(
    'an env file can be read only by its owner, even if others could read it before',
    () => {
      const path = join(createTemporaryFolder(), '.env');
      writeFileSync(path, 'OTHER=1\n', { mode: 0o644 });
      writeEnvFile(path, { SVC_API_KEY: 'svc_test_a' });
      expect(readFileSync(path, 'utf8')).toBe('OTHER=1\nSVC_API_KEY=svc_test_a\n');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  it('a path that cannot be written is a usage error', () => {
    const path = join(createTemporaryFolder(), 'nowhere', '.env');
    expect(() => writeEnvFile(path, {})).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(path) }),
    );
  });
});
