/** Lists the folders of a project: the working folder and those above it up to the project root. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type EnvironmentVariables, isInside, isOpenToAll } from './trusted-path.ts';

/** Entries that identify the root of a project. */
const ROOT_MARKERS = ['package.json', '.git', '.svc'] as const;

export interface ProjectLocation {
  readonly cwd: string;
  readonly env: EnvironmentVariables;
}

/**
 * From `cwd` up to the nearest folder that has `package.json`, `.git` or `.svc`; only `cwd` if there is none. The search
 * does not enter the home folder, its parent folders, or a folder in which every user can create files.
 */
export function listProjectFolders(location: ProjectLocation): string[] {
  const folders = listReachableFolders(location);
  const rootIndex = folders.findIndex((folder) =>
    ROOT_MARKERS.some((name) => existsSync(join(folder, name))),
  );
  return folders.slice(0, Math.max(rootIndex, 0) + 1);
}

function listReachableFolders({ cwd, env }: ProjectLocation): string[] {
  const home = env.HOME || homedir();
  let folder = resolve(cwd);
  const folders = [folder];
  for (;;) {
    const parent = dirname(folder);
    if (parent === folder || isInside(home, parent) || isOpenToAll(parent, env)) return folders;
    folders.push(parent);
    folder = parent;
  }
}
