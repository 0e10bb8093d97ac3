// npm run package:binary: packs build/svc for a release, into an archive for this platform.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isWindows = process.platform === 'win32';
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'build') } } });
const out = resolve(values.out);
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
try {
  mkdirSync(out, { recursive: true });
  const platform = { linux: 'linux', darwin: 'macos', win32: 'windows' }[process.platform];
  const archive = join(out, `svc-${version}-${platform}-${process.arch}.${isWindows ? 'zip' : 'tar.gz'}`);
  const files = [isWindows ? 'build/svc.exe' : 'build/svc', 'build/LICENSES.md', 'README.md'];
  for (const file of files) copyFileSync(join(root, file), join(folder, basename(file)));
  // The tar of Windows creates a zip archive because of the name.
  const args = [isWindows ? '-acf' : '-czf', archive, ...files.map((file) => basename(file))];
  await execa('tar', args, { cwd: folder });
  console.log(archive);
} finally {
  rmSync(folder, { recursive: true });
}
