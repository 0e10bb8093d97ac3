// Checks the packed package: its package.json and files with publint, and the types of every entry with attw. Run the build first.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-check-package-'));
const check = (file, ...args) =>
  execa(process.execPath, [join(root, 'node_modules', file), ...args], { cwd: root, stdio: 'inherit' });

try {
  // Without scripts: `prepack` would build again.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await execa('npm', pack, { cwd: root, stderr: 'inherit' });
  const tarball = join(folder, JSON.parse(stdout)[0].filename);
  await check('publint/src/cli.js', 'run', tarball, '--strict');
  // ES modules only: CommonJS programs load them with require() in every Node.js from 20.19 on, which attw does not assume.
  await check('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only', '--no-emoji');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
