/** The packages of the single executable: what a person without Node.js does, from the installation to a delivered event. */
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createReceiver } from '../support/test-receiver.ts';

const root = join(import.meta.dirname, '../..');
/** Packing compresses 270 MB. */
const TIMEOUT_MS = 240_000;
/** The user and group `nobody`, who has no home folder. */
const NOBODY = 65_534;

/** Only root can install a package. A package that the user has installed must stay. */
async function canInstall(): Promise<boolean> {
  if (process.geteuid?.() !== 0 || (await execa('dpkg', ['--version'], { reject: false })).failed)
    return false;
  return (await execa('dpkg', ['--status', 'svc-emulator'], { reject: false })).failed;
}

it.skipIf(!(await canInstall()))(
  'a user without Node.js gets from the .deb to a delivered event with four commands, and its removal leaves no file',
  async () => {
    const packages = createTemporaryFolder();
    await execa(process.execPath, [join(root, 'scripts/package-binary.mjs'), 'archives', '--out', packages]);
    const names = readdirSync(packages).sort();
    expect(names).toEqual([
      expect.stringMatching(/^svc-[\d.]+-linux-\w+\.tar\.gz$/),
      expect.stringMatching(/^svc-emulator_[\d.]+_\w+\.deb$/),
    ]);
    const [archive = '', deb = ''] = names.map((name) => join(packages, name));
    const { stdout: files } = await execa('tar', ['-tzf', archive]);
    expect(files.split('\n').sort()).toEqual(['LICENSES.md', 'README.md', 'svc']);

    const receiver = await createReceiver();
    onTestFinished(receiver.close);
    const cwd = createTemporaryFolder();
    chownSync(cwd, NOBODY, NOBODY);
    const env = { HOME: '/nonexistent', TMPDIR: cwd, PATH: '/nonexistent' };
    const run = (command: string, ...args: string[]) =>
      execa(command, args, { cwd, env, extendEnv: false, uid: NOBODY, gid: NOBODY });

    await execa('dpkg', ['--install', deb]);
    onTestFinished(() => execa('dpkg', ['--purge', 'svc-emulator'], { reject: false }).then(() => undefined));
    const { stdout: listed } = await execa('dpkg', ['--listfiles', 'svc-emulator']);
    const installed = listed.split('\n').filter((path) => path.includes('svc'));
    expect(installed).toEqual(
      expect.arrayContaining([
        '/usr/bin/svc',
        '/usr/bin/svc-emulator',
        '/usr/share/bash-completion/completions/svc',
        '/usr/share/doc/svc-emulator/copyright',
        '/usr/share/doc/svc-emulator/docs/README.md',
      ]),
    );
    onTestFinished(() =>
      run('/usr/bin/svc', 'emulator', 'stop').then(
        () => undefined,
        () => undefined,
      ),
    );
    await run('/usr/bin/svc', 'emulator', 'start', '--detach', '--port', '0', '--forward-to', receiver.url);
    const trigger = await run('/usr/bin/svc-emulator', 'trigger', 'order.shipped', '--wait');
    expect(trigger.stdout).toMatch(/succeeded/);
    expect(receiver.requests).toHaveLength(1);
    await run('/usr/bin/svc', 'emulator', 'stop');

    await execa('dpkg', ['--remove', 'svc-emulator']);
    expect(installed.filter(existsSync)).toEqual([]);
  },
  TIMEOUT_MS,
);
