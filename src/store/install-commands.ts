/** Detects the package manager that installed this package, and creates its commands for the SQLite driver. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface PackageManager {
  readonly name: PackageManagerName;
  /** Major version; null if the package manager did not start this process. */
  readonly major: number | null;
  /** Whether the package was installed with `npm install --global`: no folder above it has files of a project. */
  readonly isGlobal: boolean;
}

/** Files that each package manager creates in a project. `bun.lock` comes last, because it can be next to `node_modules` of another one. */
const projectFiles: Record<PackageManagerName, readonly string[]> = {
  pnpm: ['node_modules/.modules.yaml'],
  yarn: ['.pnp.cjs', 'node_modules/.yarn-state.yml', 'node_modules/.yarn-integrity'],
  npm: ['node_modules/.package-lock.json'],
  bun: ['bun.lock', 'bun.lockb'],
};

/**
 * @param folder of this package
 * @param userAgent `npm_config_user_agent`, such as `npm/12.2.0 node/v24.19.0 linux x64`
 */
export function findPackageManager(folder: string, userAgent = ''): PackageManager {
  const detectedName = process.versions.pnp === undefined ? detectByFiles(folder) : 'yarn';
  const name = detectedName ?? 'npm';
  const major = new RegExp(`^${name}/(\\d+)`).exec(userAgent)?.[1];
  return { name, major: major === undefined ? null : Number(major), isGlobal: detectedName === null };
}

function detectByFiles(folder: string): PackageManagerName | null {
  for (const name of Object.keys(projectFiles) as PackageManagerName[]) {
    if (projectFiles[name].some((file) => existsSync(join(folder, file)))) return name;
  }
  const parent = dirname(folder);
  return parent === folder ? null : detectByFiles(parent);
}

const DRIVER = 'better-sqlite3';

/** Command that installs the driver. */
export function getInstallCommand({ name, isGlobal }: PackageManager): string {
  if (isGlobal) return 'npm install --global svc-emulator';
  return `${name} ${name === 'npm' ? 'install' : 'add'} ${DRIVER}`;
}

/** Command that moves the driver to the newest version that this package allows on this version of Node.js. */
export function getUpdateCommand({ name, isGlobal }: PackageManager): string {
  if (isGlobal) return 'npm install --global svc-emulator';
  return {
    npm: `npm update ${DRIVER}`,
    pnpm: `pnpm update --depth Infinity ${DRIVER}`,
    yarn: `yarn up --recursive ${DRIVER}`,
    bun: `bun update ${DRIVER}`,
  }[name];
}

/** Command that runs the install script of the driver, which recent package managers skip. */
export function getBuildCommand({ name, major, isGlobal }: PackageManager): string {
  const scope = isGlobal ? '--global ' : '';
  const npm11 = `npm rebuild ${scope}${DRIVER}`;
  const npm12 = `npm install-scripts approve ${scope}${DRIVER} && ${npm11}`;
  if (name === 'npm' && major === null) return `${npm11} (with npm 12: ${npm12})`;
  return {
    npm: (major ?? 0) < 12 ? npm11 : npm12,
    pnpm: `pnpm approve-builds ${DRIVER} && pnpm rebuild ${DRIVER}`,
    yarn: `yarn config set enableScripts true && yarn rebuild ${DRIVER}`,
    bun: `bun pm trust ${DRIVER}`,
  }[name];
}
