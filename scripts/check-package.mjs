// Checks the packed package: its package.json and files with publint, the types of every entry with attw, and the links of its
// pages. Run the build first.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { npmPack } from './npm-pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-check-package-'));
const check = (file, ...args) =>
  execa(process.execPath, [join(root, 'node_modules', file), ...args], { cwd: root, stdio: 'inherit' });

/** The links to files and folders that are not in the package. Images are left out of it on purpose: they would double its size. */
function listDeadLinks(page, paths) {
  // Code is not a link.
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/`[^`\n]*`/g, '');
  const links = text.matchAll(/(?<!!)\[[^\]]*\]\(([^)\s#]+)/g);
  return Array.from(links, ([, link]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => posix.join(posix.dirname(page), link))
    .filter((target) => !paths.some((path) => `${path}/`.startsWith(`${target}/`)))
    .map((target) => `${page} links to ${target}, which is not in the package.`);
}

try {
  const { filename, files } = await npmPack(folder);
  const paths = files.map(({ path }) => path);
  const deadLinks = paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) => listDeadLinks(page, paths));
  if (deadLinks.length > 0) throw new Error(deadLinks.join('\n'));
  const tarball = join(folder, filename);
  await check('publint/src/cli.js', 'run', tarball, '--strict');
  const checkTypes = (profile, entries, name) =>
    check('@arethetypeswrong/cli/dist/index.js', tarball, '--no-emoji', '--profile', profile, entries, name);
  await checkTypes('strict', '--exclude-entrypoints', 'vitest');
  // Vitest cannot be required.
  await checkTypes('esm-only', '--entrypoints', 'vitest');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
