import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSecrets } from '../../src/cli/secret-option.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createFakeHost } from './fake-context.ts';

describe('the option --secret', () => {
  const env = { SVC_WEBHOOK_SECRET: 'whsec_env' };

  it('the option takes precedence over SVC_WEBHOOK_SECRET', async () => {
    const { host } = createFakeHost({ env });
    expect(await readSecrets(['whsec_option', 'my secret'], host)).toEqual(['whsec_option', 'my secret']);
    expect(await readSecrets(undefined, host)).toEqual(['whsec_env']);
    expect(await readSecrets(undefined, createFakeHost().host)).toEqual([]);
  });

  it('the option can be a file or standard input with one secret per line', async () => {
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'secrets.txt'), '\ufeffwhsec_a\r\n\nwhsec_b\n');
    const { host } = createFakeHost({ cwd, input: 'whsec_c\n' });
    expect(await readSecrets('@secrets.txt', host)).toEqual(['whsec_a', 'whsec_b']);
    expect(await readSecrets(['-', 'whsec_d'], host)).toEqual(['whsec_c', 'whsec_d']);
  });

  it('an empty option is refused, although SVC_WEBHOOK_SECRET is set', async () => {
    const { host } = createFakeHost({ env, input: '\n' });
    for (const empty of ['', [''], [], '-']) {
      await expect(readSecrets(empty, host)).rejects.toThrow('--secret contains no secret.');
    }
  });
});
