/** The commands of `docs/reference/control-plane.md`, run by a shell against an emulator. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { startTestEmulator } from '../support/emulator.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/control-plane.md'), 'utf8');
const [definition = '', ...examples] = Array.from(
  page.matchAll(/^```sh\n(.*?)^```$/gms),
  ([, code = '']) => code,
);

const curl = await execa('curl', ['--version'], { reject: false });

it.skipIf(curl.failed)('every example in docs/reference/control-plane.md succeeds', async () => {
  await using emulator = await startTestEmulator();
  const { control_url } = emulator.status();
  await emulator.api('POST', '/webhooks', {
    ...{
      workspace_id: emulator.status().workspace_id,
      url: 'http://127.0.0.1:9/',
      events: ['order.shipped'],
    },
  });
  await emulator.api('POST', '/events', { type: 'order.shipped' });
  const script = [
    'set -eu',
    definition.replace(/^eval .*$/m, ''),
    'control POST /clock/settle "{}"',
    ...examples,
  ];
  const { stdout } = await execa('bash', ['-c', script.join('\n')], {
    env: { SVC_CONTROL_URL: control_url },
    timeout: 15_000,
  });
  expect(examples.length).toBeGreaterThan(4);
  expect(stdout).toContain('event: ready');
});
