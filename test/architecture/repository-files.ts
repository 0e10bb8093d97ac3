import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const ignoredFolders =
  /(?:^|\/)(?:node_modules|dist|build|bench\/(?:build|results)|\.git|\.svc|coverage|\.clients-\w+)\//;

/** The files of the repository, or of a folder whose path ends with `/`. Paths are relative to the root and contain `/`. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    // Tested as a folder in any case: in a worktree `.git` is a file.
    if (ignoredFolders.test(`${path}/`)) return [];
    if (entry.isDirectory()) return listFiles(`${path}/`);
    return entry.isFile() ? [path] : [];
  });
}
