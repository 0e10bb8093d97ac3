import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepEnvFile, setVariables, toEnvVariables, writeEnvFile } from '../../src/cli/env-variables.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

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
    'an env file can be read only by its owner, even if others could read it before [files.env-file-mode]',
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
