import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSecrets, requireSecretOption } from '../../src/cli/secret-option.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createFakeHost } from './fake-context.ts';

describe('the option --secret', () => {
  const env = { SVC_WEBHOOK_SECRET: 'whsec_env' };

  it('the option takes precedence over SVC_WEBHOOK_SECRET', async () => {
    const { host } = createFakeHost({ env });
    expect(await readSecrets(['whsec_option', 'my secret'], host)).toEqual(['whsec_option', 'my secret']);
    expect(await readSecrets(undefined, host)).toEqual(['whsec_env']);
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

  it('a secret that was copied from the docs is refused as a placeholder', async () => {
    const { host } = createFakeHost();
    await expect(readSecrets('whsec_…', host)).rejects.toThrow('The secret whsec_… is a placeholder.');
  });

  it('a command that needs a secret names both ways to pass one', async () => {
    const { host } = createFakeHost();
    expect(await readSecrets(undefined, host)).toEqual([]);
    await expect(requireSecretOption(undefined, host)).rejects.toMatchObject({
      message: 'The secret is missing: neither --secret nor SVC_WEBHOOK_SECRET is set.',
      // `svc env` prints only the secret of --forward-to.
      hint: { text: expect.stringContaining('svc listen'), command: 'svc webhooks get ID --show-secret' },
    });
  });
});
