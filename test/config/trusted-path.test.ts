import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listProjectFolders } from '../../src/config/project-folders.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { createRunFile, createStateFolder, findRunFile } from '../../src/config/run-file.ts';
import { assertTrusted, isInside, isOpenToAll } from '../../src/config/trusted-path.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const hasOwners = process.geteuid !== undefined;
const isRoot = process.geteuid?.() === 0;
/** A user id that does not exist. */
const STRANGER = 54_321;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A project with a configuration file that only its owner can change. */
function createProject(name = 'svc.config.json', content = '{"port": 1234}') {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, name), content, { mode: 0o644 });
  return { folder, file: join(folder, name) };
}

async function readPort(cwd: string, env: Record<string, string> = {}): Promise<number> {
  return (await resolveConfig({ options: {}, env, cwd })).values.port;
}

function chownAndMode(file: string, mode: number): void {
  if (isRoot) chownSync(file, 0, STRANGER);
  chmodSync(file, isRoot ? mode : 0o666);
}

function replaceWithSharedLink(file: string): void {
  const target = `${file}.shared`;
  writeFileSync(target, '{}');
  chmodSync(target, 0o666);
  rmSync(file);
  symlinkSync(target, file);
}

function createSubfolder(folder: string, path: string): string {
  const subfolder = join(folder, path);
  mkdirSync(subfolder, { recursive: true });
  return subfolder;
}

describe('the search for the files of a project', () => {
  const list = (cwd: string, env: Record<string, string> = {}) => listProjectFolders({ cwd, env });

  it.each(['package.json', '.git', '.svc'])(
    'the search ends at the nearest folder with %s [files.search-root]',
    (marker) => {
      const folder = createTemporaryFolder();
      writeFileSync(join(folder, 'package.json'), '{}');
      const root = createSubfolder(folder, 'root');
      mkdirSync(join(root, marker));
      const subfolder = createSubfolder(root, 'a/b');
      expect(list(subfolder)).toEqual([subfolder, dirname(subfolder), root]);
      expect(list(root)).toEqual([root]);
    },
  );

  it('the search is limited to the working folder when no folder above is a project root [files.search-root]', () => {
    const subfolder = createSubfolder(createTemporaryFolder(), 'a/b');
    expect(list(subfolder)).toEqual([subfolder]);
  });

  it('the search does not enter the home folder from a folder in it [files.shared-folders]', () => {
    const home = createTemporaryFolder();
    writeFileSync(join(home, 'package.json'), '{}');
    const subfolder = createSubfolder(home, 'projects/a');
    expect(list(subfolder, { HOME: home })).toEqual([subfolder]);
    expect(list(home, { HOME: home })).toEqual([home]);
    expect(list(dirname(subfolder), { HOME: subfolder })).toEqual([dirname(subfolder)]);
  });

  it.runIf(hasOwners)(
    'the search does not enter a folder in which every user can create files, such as /tmp [files.shared-folders]',
    () => {
      const shared = createTemporaryFolder();
      writeFileSync(join(shared, 'package.json'), '{}');
      chmodSync(shared, 0o1777);
      const subfolder = createSubfolder(shared, 'mine');
      expect(list(subfolder)).toEqual([subfolder]);
      expect(list(subfolder, { SVC_TRUST_FOLDERS: shared })).toEqual([subfolder, shared]);
    },
  );

  it('svc.config.mjs in a folder above the project is not executed [files.search-root]', async () => {
    const outer = createTemporaryFolder();
    writeFileSync(join(outer, 'svc.config.mjs'), 'throw new Error("executed");');
    const project = createSubfolder(outer, 'project/.git');
    expect(await readPort(dirname(project))).toBe(4777);
    expect(await readPort(createSubfolder(outer, 'without-marker'))).toBe(4777);
  });
});

it.each([
  ['/a', '/a', true],
  ['/a/b/c', '/a', true],
  ['/a/..b', '/a', true],
  ['/a/..b/c', '/a', true],
  ['/ab', '/a', false],
  ['/', '/a', false],
  ['/b', '/a', false],
])('isInside(%j, %j) is %j', (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected);
});

describe.runIf(hasOwners)('a configuration file', () => {
  it.each<[string, (file: string, folder: string) => void]>([
    ['every user can write to it', (file) => chmodSync(file, 0o666)],
    ['a shared group can write to it', (file) => chownAndMode(file, 0o664)],
    ['every user can write to its folder, even a sticky one', (_, folder) => chmodSync(folder, 0o1777)],
    ['it is a link to a file that every user can write to', (file) => replaceWithSharedLink(file)],
  ])(
    'a configuration file is refused before it is executed when %s [files.configuration]',
    async (_, share) => {
      const { folder, file } = createProject('svc.config.mjs', 'throw new Error("executed");');
      share(file, folder);
      await expect(readPort(folder)).rejects.toMatchObject({
        code: 'untrusted_file',
        message: expect.stringMatching(/ is not used: others can write to it \(mode (?:666|664|1777)\)\.$/),
        hint: { text: expect.stringContaining(`or set SVC_TRUST_FOLDERS=${folder} if you trust everyone`) },
      });
    },
  );

  it('a configuration file is used when only its owner and the group with the same ID can write to it [files.groups]', async () => {
    const { folder, file } = createProject();
    expect(await readPort(folder)).toBe(1234);
    if (isRoot) {
      chmodSync(file, 0o664);
      expect(await readPort(folder)).toBe(1234);
    }
  });

  it.runIf(isRoot)(
    'a configuration file is refused when another user owns it or its folder [files.configuration]',
    async () => {
      for (const name of ['.', 'svc.config.json']) {
        const { folder } = createProject();
        chownSync(join(folder, name), STRANGER, STRANGER);
        await expect(readPort(folder)).rejects.toThrow(
          `belongs to user ${STRANGER}, but svc runs as user 0.`,
        );
      }
    },
  );

  it('a configuration file is used when SVC_TRUST_FOLDERS names its folder, a folder above it, or all folders [files.trusted-folders]', async () => {
    const { folder, file } = createProject();
    chmodSync(file, 0o666);
    for (const trusted of [folder, dirname(folder), `/nowhere${delimiter}${folder}`, '*']) {
      expect(await readPort(folder, { SVC_TRUST_FOLDERS: trusted }), trusted).toBe(1234);
    }
    for (const other of [`${folder}x`, createTemporaryFolder(), '', '.']) {
      await expect(readPort(folder, { SVC_TRUST_FOLDERS: other }), other).rejects.toThrow('is not used');
    }
  });
});

describe('a system without user IDs, such as Windows', () => {
  it('every path is trusted, and no folder is open to all', () => {
    const folder = createTemporaryFolder();
    chmodSync(folder, 0o777);
    vi.stubGlobal('process', Object.create(process, { geteuid: { value: undefined } }));
    expect(assertTrusted([folder], folder, {})).toBeUndefined();
    expect(isOpenToAll(folder, {})).toBe(false);
  });
});

it('a folder that does not exist is not open to all', () => {
  expect(isOpenToAll(join(createTemporaryFolder(), 'missing'), {})).toBe(false);
});

describe.runIf(hasOwners)('the state folder', () => {
  const run = {
    ...{ pid: process.pid, started_at: '2026-11-20T12:00:00.000Z', version: '0.1.0' },
    control_url: 'http://127.0.0.1:4777/_svc',
  };

  it.each([
    ['the run file', '.svc/run.json', 0o666],
    ['its folder', '.svc', 0o777],
  ])('the state folder is refused when every user can write to %s [files.run-file]', (_, path, mode) => {
    const folder = createTemporaryFolder();
    createRunFile(folder, run, {});
    chmodSync(join(folder, path), mode);
    const location = { cwd: createSubfolder(folder, 'a'), env: {} };
    expect(() => findRunFile(location)).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: expect.stringContaining(join(folder, path)),
      }),
    );
    if (path === '.svc') expect(() => createRunFile(folder, run, {})).toThrow('is not used');
    expect(findRunFile({ ...location, env: { SVC_TRUST_FOLDERS: folder } })).toEqual(run);
  });

  it('the state folder is refused when others can read the run file, as after a checkout [files.checkout]', () => {
    const folder = createTemporaryFolder();
    createRunFile(folder, run, {});
    chmodSync(join(folder, '.svc/run.json'), 0o644);
    expect(() => findRunFile({ cwd: folder, env: {} })).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: expect.stringContaining('svc did not write it, or others can read it'),
        hint: { text: 'Remove it', command: `rm ${join(folder, '.svc/run.json')}` },
      }),
    );
  });

  it.runIf(isRoot)(
    'the state folder is refused when another user owns the run file or its folder [files.run-file]',
    () => {
      for (const path of ['.svc/run.json', '.svc']) {
        const folder = createTemporaryFolder();
        createRunFile(folder, run, {});
        chownSync(join(folder, path), STRANGER, STRANGER);
        expect(() => findRunFile({ cwd: folder, env: {} }), path).toThrow(`belongs to user ${STRANGER}`);
      }
    },
  );

  it('the state folder is created so that only its owner can write to it, whatever the umask [files.state-folder]', () => {
    const folder = createTemporaryFolder();
    const before = process.umask(0);
    try {
      createStateFolder(folder, {});
    } finally {
      process.umask(before);
    }
    expect(() => assertTrusted([join(folder, '.svc')], folder, {})).not.toThrow();
  });
});
