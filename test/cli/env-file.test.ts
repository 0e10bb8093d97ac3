import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { keepEnvFile, setVariables, toEnvVariables, writeEnvFile } from '../../src/cli/env-variables.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

describe('setVariables', () => {
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

  it('setVariables removes earlier variables', () => {
    expect(setVariables('A=0\nC=3\n', { B: '2' }, ['A'])).toBe('C=3\nB=2\n');
  });
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

  it('a path that cannot be written is a usage error', () => {
    const path = join(createTemporaryFolder(), 'nowhere', '.env');
    expect(() => writeEnvFile(path, {})).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(path) }),
    );
  });
});

describe('keepEnvFile', () => {
  const forwardTo = { url: 'http://127.0.0.1:9/in', events: ['order.shipped'] };

  async function startWithEnvFile() {
    const path = join(createTemporaryFolder(), '.env');
    const emulator = await startTestEmulator({ forwardTo });
    const errors: unknown[] = [];
    const getVariables = () => toEnvVariables(emulator.status(), null);
    keepEnvFile(path, getVariables, emulator.onEndpointChange, (error) => errors.push(error));
    const { webhook_id: id = '', webhook_secret: secret } = emulator.status();
    return { path, emulator, errors, id, secret };
  }

  it('the file has the current secret as soon as a rotation, a deletion or a reset has a response', async () => {
    const { path, emulator, errors, id, secret } = await startWithEnvFile();
    await using _ = emulator;
    const readSecret = () => /^SVC_WEBHOOK_SECRET=(.*)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    expect(readSecret()).toBe(secret);
    const rotated = await emulator.control.rotateWebhookSecret({ id });
    expect(readSecret()).toBe(rotated.secret);
    await emulator.control.deleteWebhook({ id });
    expect(readSecret()).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toContain('SVC_API_KEY=');
    await emulator.control.reset({});
    expect(readSecret()).toBe(secret);
    expect(errors).toEqual([]);
  });

  it('the file is not written when no variable has changed, so that changes of the user stay', async () => {
    const { path, emulator, id } = await startWithEnvFile();
    await using _ = emulator;
    writeFileSync(path, 'MINE=1\n');
    await emulator.control.updateWebhook({ id, disabled: true });
    expect(readFileSync(path, 'utf8')).toBe('MINE=1\n');
  });

  it('a file that can no longer be written is reported, and the rotation succeeds', async () => {
    const { path, emulator, errors, id } = await startWithEnvFile();
    await using _ = emulator;
    rmSync(path);
    mkdirSync(path);
    const { secret } = await emulator.control.rotateWebhookSecret({ id });
    expect(emulator.status().webhook_secret).toBe(secret);
    expect(errors).toEqual([expect.objectContaining({ code: 'usage' })]);
  });
});
