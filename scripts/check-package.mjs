// Checks the packed package: its package.json and files with publint, and the types of every entry with attw. Run the build first.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-check-package-'));
const run = (command, args) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const check = (file, args) =>
  execFileSync(process.execPath, [join(root, 'node_modules', file), ...args], {
    cwd: root,
    stdio: 'inherit',
  });

try {
  // Without scripts: `prepack` would build again.
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]),
  );
  const tarball = join(folder, filename);
  check('publint/src/cli.js', ['run', tarball, '--strict']);
  // ES modules only: CommonJS programs load them with require() in every Node.js from 20.19 on, which attw does not assume.
  check('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-emoji']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
