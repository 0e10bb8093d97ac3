import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setVariables, writeEnvFile } from '../../src/cli/env-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

describe('the text of an env file', () => {
  it('has the variables at its end, when it had none of them', () => {
    expect(setVariables('', { A: '1', B: '2' })).toBe('A=1\nB=2\n');
    expect(setVariables('# mine\nC=3', { A: '1' })).toBe('# mine\nC=3\nA=1\n');
  });

  it('has them in their old places, once each, and all else as it was', () => {
    const text = '\nexport A=0\n  B = "x y"\nAB=1\n#A=2\nA=3\nC=4\n\n';
    expect(setVariables(text, { A: '1', B: '2' })).toBe('\nA=1\nB=2\nAB=1\n#A=2\nC=4\n\n');
  });

  it('keeps the line ends of Windows in other lines', () => {
    expect(setVariables('C=3\r\nA=0\r\n', { A: '1' })).toBe('C=3\r\nA=1\n');
  });
});

describe('an env file', () => {
  it.skipIf(process.platform === 'win32')('is for its owner alone, also if others could read it', () => {
    const path = join(createTemporaryFolder(), '.env');
    writeFileSync(path, 'OTHER=1\n', { mode: 0o644 });
    writeEnvFile(path, { SVC_API_KEY: 'svc_test_a' });
    expect(readFileSync(path, 'utf8')).toBe('OTHER=1\nSVC_API_KEY=svc_test_a\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written is a mistake of who names it', () => {
    const path = join(createTemporaryFolder(), 'nowhere', '.env');
    expect(() => writeEnvFile(path, {})).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(path) }),
    );
  });
});
