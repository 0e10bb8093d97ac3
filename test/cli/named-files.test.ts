import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createFakeHost } from './fake-context.ts';

const start = 'emulator start --port 0 --db :memory:';

describe.skipIf(process.platform === 'win32')('a file that an option names', () => {
  it.each([
    'events import device.json',
    'trigger order.shipped --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --data @device.json',
    'sign --secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --payload @device.json',
    'fixtures run ./device.json',
    `${start} --seed device.json`,
    `${start} --ca device.json`,
    `${start} --tls-cert device.json --tls-key device.json`,
    `${start} --write-env device.json`,
    'emulator start --port 0 --db device.json',
    'emulator exec --log device.json -- node --version',
  ])('a device or a FIFO is refused at once: svc %s [files.special]', async (args) => {
    const cwd = createTemporaryFolder();
    symlinkSync('/dev/null', join(cwd, 'device.json'));
    const { host, capturedOutput } = createFakeHost({ cwd });
    const exitCode = await runCommandLine(args.split(' '), host);
    expect({ exitCode, out: capturedOutput.out }).toEqual({ exitCode: 2, out: '' });
    expect(capturedOutput.err).toMatch(/device\.json.*(?: it)? is not a regular file\.\n/);
  });
});
