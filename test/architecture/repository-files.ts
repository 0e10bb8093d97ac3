import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const notOurs = /(?:^|\/)(?:node_modules|dist|\.git|\.svc|coverage|\.clients-\w+)\//;

/** Every file of the repository, with `/`, relative to its root; only those of `folder`, which ends with `/`, if one is given. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    // Tested as a folder in any case: in a worktree `.git` is a file.
    if (notOurs.test(`${path}/`)) return [];
    if (entry.isDirectory()) return listFiles(`${path}/`);
    return entry.isFile() ? [path] : [];
  });
}
