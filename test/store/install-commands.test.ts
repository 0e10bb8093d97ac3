import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findPackageManager } from '../../src/store/install-commands.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

function createProject(...files: string[]): string {
  const project = createTemporaryFolder();
  const installed = join(project, 'node_modules/svc-emulator/dist');
  mkdirSync(installed, { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), '');
  }
  return installed;
}

it.each([
  ['npm', ['node_modules/.package-lock.json']],
  ['pnpm', ['node_modules/.modules.yaml']],
  ['yarn', ['node_modules/.yarn-state.yml']],
  ['yarn', ['.pnp.cjs']],
  ['bun', ['bun.lock']],
  ['npm', ['node_modules/.package-lock.json', 'bun.lock']],
])('findPackageManager finds %s by %j', (name, files) => {
  expect(findPackageManager(createProject(...files))).toEqual({ name, major: null, isGlobal: false });
});

it('findPackageManager reads the version from the user agent of the same package manager', () => {
  const folder = createProject('node_modules/.package-lock.json');
  expect(findPackageManager(folder, 'npm/12.2.0 node/v24.19.0 linux x64').major).toBe(12);
  expect(findPackageManager(folder, 'pnpm/12.21.0 npm/? node/v24.19.0 linux x64').major).toBeNull();
});

it('findPackageManager treats a folder outside a project as a global npm installation', () => {
  expect(findPackageManager(createProject())).toEqual({ name: 'npm', major: null, isGlobal: true });
});
