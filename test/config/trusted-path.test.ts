import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listFoldersAbove, listProjectFolders } from '../../src/config/project-folders.ts';
import { createRunFile, createStateFolder, findRunFile, inspectRunFile } from '../../src/config/run-file.ts';
import { assertTrusted, findTrustProblem, isInside, isOpenToAll } from '../../src/config/trusted-path.ts';
import { resolveConfig } from '../../src/config.ts';
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

  it('the folders above a project are the other folders that the search could enter', () => {
    const home = createTemporaryFolder();
    const project = createSubfolder(home, 'work/team/project');
    mkdirSync(join(project, '.git'));
    const above = (cwd: string) => listFoldersAbove({ cwd, env: { HOME: home } });
    expect(above(createSubfolder(project, 'a'))).toEqual([join(home, 'work/team'), join(home, 'work')]);
    expect(above(join(home, 'work'))).toEqual([]);
  });

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

describe('findTrustProblem', () => {
  const stats = (changes: object) =>
    ({ uid: 1000, gid: STRANGER, mode: 0o100644, isSymbolicLink: () => false, ...changes }) as Stats;

  it.each([
    ['a file of the user', {}, [1000], null],
    ['a file of root', { uid: 0 }, [1000], null],
    ['a file of another user', { uid: 7 }, [1000], 'it belongs to user 7, but svc runs as user 1000'],
    ['a file of the user who called sudo', {}, [0, 1000], null],
    [
      'a file of a third user under sudo',
      { uid: 7 },
      [0, 1000],
      'it belongs to user 7, but svc runs as user 0 on behalf of user 1000',
    ],
    [
      'a file that every user can write to',
      { mode: 0o100666 },
      [1000],
      'every user can write to it (mode 666)',
    ],
    ['a program that every user can run', { mode: 0o100755 }, [1000], null],
    [
      'a sticky folder that every user can write to',
      { mode: 0o41777 },
      [1000],
      'every user can write to it (mode 1777)',
    ],
    [
      'a file that a shared group can write to',
      { mode: 0o100664 },
      [1000],
      `group ${STRANGER} can write to it (mode 664)`,
    ],
    [
      'a file that the private group of its owner can write to',
      { uid: STRANGER, mode: 0o100664 },
      [STRANGER],
      null,
    ],
    [
      'a symbolic link, whose mode means nothing',
      { mode: 0o120777, isSymbolicLink: () => true },
      [1000],
      null,
    ],
  ] as const)(
    'findTrustProblem returns a problem or null for %s [files.groups]',
    (_, changes, owners, problem) => {
      expect(findTrustProblem(stats(changes), owners)).toBe(problem);
    },
  );
});

describe.runIf(hasOwners)('a configuration file', () => {
  const untrustedError = (path: string, folder: string, problem: string) => ({
    code: 'untrusted_file',
    message: expect.stringContaining(`${path} is not used: ${problem}`),
    hint: {
      text: expect.stringMatching(
        new RegExp(
          `^(Set|.*, or set) SVC_TRUST_FOLDERS=${folder} if you trust everyone who can change it\\.$`,
        ),
      ),
    },
  });

  it('a configuration file is used when only its owner can write to it and to its folder', async () => {
    expect(await readPort(createProject().folder)).toBe(1234);
  });

  it.each(['svc.config.json', 'svc.config.mjs'])(
    'a configuration file is refused when every user can write to it: %s [files.configuration]',
    async (name) => {
      const { folder, file } = createProject(name, 'throw new Error("executed");');
      chmodSync(file, 0o666);
      await expect(readPort(createSubfolder(folder, 'a'))).rejects.toMatchObject(
        untrustedError(file, folder, 'every user can write to it (mode 666)'),
      );
    },
  );

  it('a configuration file is refused when every user can write to its folder, even when the folder is sticky [files.configuration]', async () => {
    const { folder } = createProject();
    for (const mode of [0o777, 0o1777]) {
      chmodSync(folder, mode);
      await expect(readPort(folder)).rejects.toMatchObject(
        untrustedError(folder, folder, 'every user can write'),
      );
    }
  });

  it('a configuration file is refused with a hint that removes the cause, or that names the variable', async () => {
    const { folder, file } = createProject();
    const trust = `SVC_TRUST_FOLDERS=${folder} if you trust everyone who can change it.`;
    chmodSync(file, 0o666);
    await expect(readPort(folder)).rejects.toMatchObject({
      hint: { text: `Run chmod go-w ${file}, or set ${trust}` },
    });
    chmodSync(file, 0o644);
    chmodSync(folder, 0o777);
    await expect(readPort(folder)).rejects.toMatchObject({
      hint: { text: `Run chmod go-w ${folder}, or set ${trust}` },
    });
    chmodSync(folder, 0o1777);
    await expect(readPort(folder)).rejects.toMatchObject({
      hint: { text: `Move the project to a folder of your own, or set ${trust}` },
    });
  });

  it('a configuration file is refused when it is a FIFO or a device, which could block the process beyond SIGTERM [files.special]', async () => {
    const { folder, file } = createProject();
    rmSync(file);
    symlinkSync('/dev/null', file);
    await expect(readPort(folder, { SVC_TRUST_FOLDERS: '*' })).rejects.toMatchObject({
      code: 'untrusted_file',
      message: `${file} is not used: it is neither a file nor a folder.`,
      hint: { text: 'Remove it', command: `rm ${file}` },
    });
  });

  it('a configuration file is refused when it is a link into a folder that every user can write to [files.configuration]', async () => {
    const { folder } = createProject('other.json');
    const { folder: shared, file } = createProject('shared.json');
    chmodSync(shared, 0o777);
    symlinkSync(file, join(folder, 'svc.config.json'));
    await expect(readPort(folder)).rejects.toMatchObject(
      untrustedError(shared, folder, 'every user can write'),
    );
  });

  it('a configuration file is refused when it is a link to a file that every user can write to', async () => {
    const { folder, file } = createProject('other.json');
    const link = join(folder, 'svc.config.json');
    symlinkSync(file, link);
    chmodSync(file, 0o666);
    await expect(readPort(folder)).rejects.toMatchObject(
      untrustedError(link, folder, 'every user can write'),
    );
  });

  it.runIf(isRoot)(
    'a configuration file is refused when another user owns it, its folder or the link to it [files.configuration]',
    async () => {
      const withForeignFile = createProject();
      chownSync(withForeignFile.file, STRANGER, STRANGER);
      await expect(readPort(withForeignFile.folder)).rejects.toMatchObject(
        untrustedError(
          withForeignFile.file,
          withForeignFile.folder,
          `it belongs to user ${STRANGER}, but svc runs as user 0`,
        ),
      );
      await expect(readPort(withForeignFile.folder)).rejects.toMatchObject({
        hint: {
          text: `Set SVC_TRUST_FOLDERS=${withForeignFile.folder} if you trust everyone who can change it.`,
        },
      });
      const inForeignFolder = createProject();
      chownSync(inForeignFolder.folder, STRANGER, STRANGER);
      await expect(readPort(inForeignFolder.folder)).rejects.toMatchObject({ code: 'untrusted_file' });
      const throughForeignLink = createProject('other.json');
      const link = join(throughForeignLink.folder, 'svc.config.json');
      symlinkSync(throughForeignLink.file, link);
      expect(await readPort(throughForeignLink.folder)).toBe(1234);
      lchownSync(link, STRANGER, STRANGER);
      await expect(readPort(throughForeignLink.folder)).rejects.toMatchObject({
        code: 'untrusted_file',
        message: `${link} is not used: it belongs to user ${STRANGER}, but svc runs as user 0.`,
      });
    },
  );

  it.runIf(isRoot)(
    'a configuration file is used under sudo when the user who called it owns it [files.sudo]',
    async () => {
      const { folder, file } = createProject();
      for (const path of [folder, file]) chownSync(path, STRANGER, STRANGER);
      expect(await readPort(folder, { SUDO_UID: String(STRANGER) })).toBe(1234);
      for (const SUDO_UID of ['', '54322', '54321x']) {
        await expect(readPort(folder, { SUDO_UID }), SUDO_UID).rejects.toMatchObject({
          code: 'untrusted_file',
        });
      }
    },
  );

  it.runIf(isRoot)('SUDO_UID is ignored unless svc runs as root', () => {
    const { folder, file } = createProject();
    chownSync(file, STRANGER, STRANGER);
    vi.spyOn(process, 'geteuid').mockReturnValue(1000);
    expect(() => assertTrusted([file], folder, { SUDO_UID: String(STRANGER) })).toThrow(
      `it belongs to user ${STRANGER}, but svc runs as user 1000.`,
    );
  });

  it('a configuration file is used when SVC_TRUST_FOLDERS names its folder, a folder above it, or all folders [files.trusted-folders]', async () => {
    const { folder, file } = createProject();
    chmodSync(file, 0o666);
    for (const trusted of [folder, dirname(folder), `/nowhere${delimiter}${folder}`, '*']) {
      expect(await readPort(folder, { SVC_TRUST_FOLDERS: trusted }), trusted).toBe(1234);
    }
    for (const other of [`${folder}x`, createTemporaryFolder(), '']) {
      await expect(readPort(folder, { SVC_TRUST_FOLDERS: other }), other).rejects.toThrow('is not used');
    }
  });

  it('a configuration file is refused when SVC_TRUST_FOLDERS has a relative path, which would name every project [files.trusted-folders]', async () => {
    const { folder, file } = createProject();
    chmodSync(file, 0o666);
    await expect(readPort(folder, { SVC_TRUST_FOLDERS: '.' })).rejects.toMatchObject({
      code: 'usage',
      message: 'SVC_TRUST_FOLDERS contains ".", which is not an absolute path.',
    });
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
    for (const find of [findRunFile, inspectRunFile]) {
      expect(() => find(location)).toThrow(
        expect.objectContaining({
          code: 'untrusted_file',
          message: expect.stringContaining(join(folder, path)),
        }),
      );
    }
    expect(findRunFile({ ...location, env: { SVC_TRUST_FOLDERS: folder } })).toEqual(run);
  });

  it.each<[string, (path: string) => void]>([
    ['a link to a file', (path) => symlinkSync(import.meta.filename, path)],
    ['a link to nothing', (path) => symlinkSync('missing', path)],
    ['a FIFO', (path) => void execFileSync('mkfifo', [path])],
  ])('the state folder is refused when it has %s, which svc could write to [files.special]', (_, create) => {
    if (process.platform === 'win32') return;
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, '.svc/snapshots'), { recursive: true });
    writeFileSync(join(folder, '.svc/sandbox.db'), '');
    create(join(folder, '.svc/sandbox.db.key'));
    expect(() => createStateFolder(folder, { SVC_TRUST_FOLDERS: '*' })).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: `${join(folder, '.svc/sandbox.db.key')} is not used: it is a link or a special file.`,
      }),
    );
    rmSync(join(folder, '.svc/sandbox.db.key'));
    expect(createStateFolder(folder, {})).toBe(join(folder, '.svc'));
  });

  it('the state folder is refused when it is a link [files.special]', () => {
    const folder = createTemporaryFolder();
    mkdirSync(join(folder, 'src'));
    symlinkSync('src', join(folder, '.svc'));
    expect(() => createStateFolder(folder, {})).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: expect.stringContaining('.svc is not used'),
      }),
    );
    expect(existsSync(join(folder, 'src/.gitignore'))).toBe(false);
  });

  it('the state folder is refused when the run file is a FIFO or a device [files.special]', () => {
    const folder = createTemporaryFolder();
    createStateFolder(folder, {});
    symlinkSync('/dev/null', join(folder, '.svc/run.json'));
    expect(() => findRunFile({ cwd: folder, env: {} })).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: expect.stringContaining('it is neither a file nor a folder'),
      }),
    );
  });

  it('the state folder is refused when others can read the run file, as after a checkout [files.checkout]', () => {
    const folder = createTemporaryFolder();
    createRunFile(folder, run, {});
    chmodSync(join(folder, '.svc/run.json'), 0o644);
    expect(() => findRunFile({ cwd: folder, env: {} })).toThrow(
      expect.objectContaining({
        code: 'untrusted_file',
        message: expect.stringContaining('its mode is 644, but svc creates it with 600'),
        hint: { text: expect.any(String), command: expect.stringContaining(`rm ${folder}`) },
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

  it('the state folder is not written to when another user can change it [files.run-file]', () => {
    const folder = createTemporaryFolder();
    chmodSync(createSubfolder(folder, '.svc'), 0o777);
    expect(() => createStateFolder(folder, {})).toThrow(expect.objectContaining({ code: 'untrusted_file' }));
  });
});
