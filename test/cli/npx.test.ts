import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

function read(path: string): { path: string; text: string }[] {
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:md|tsx?|m?js|json)$/.test(entry.name))
    .filter(({ parentPath }) => !parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({ path: file, text: readFileSync(file, 'utf8') }));
}

const files = [
  ...['docs', 'src', 'examples', 'fixtures'].flatMap(read),
  ...['README.md', 'CONTRIBUTING.md'].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
];

it('npx svc-emulator runs the same program as svc', () => {
  expect(manifest.bin['svc-emulator']).toBe(manifest.bin.svc);
  expect(Object.keys(manifest.bin)).toContain(manifest.name);
});

it('no document or message uses npx svc before it explains how to install the package', () => {
  const early = files.filter(({ text }) => {
    const run = text.search(/npx svc(?![-\w])/);
    if (run < 0) return false;
    const installed = text.search(/npm (?:i|install) (?:-D|--save-dev) (?:\.\/)?svc-emulator/);
    return installed < 0 || installed > run;
  });
  expect(early.map(({ path }) => path)).toEqual([]);
});
