/** Decides by the groups of a machine, which this file replaces, whether a group can be trusted. */
import type { Stats } from 'node:fs';
import { beforeEach, expect, it, vi } from 'vitest';
import { findTrustProblem } from '../../src/config/trusted-path.ts';

const machine = vi.hoisted(() => ({ groups: '' as string | null, userName: 'ada' as string | null }));
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  return {
    ...fs,
    readFileSync(path: string, ...rest: never[]) {
      if (path !== '/etc/group') return fs.readFileSync(path, ...rest);
      if (machine.groups === null) throw new Error('no such file');
      return machine.groups;
    },
  };
});
vi.mock('node:os', async (load) => ({
  ...(await load<object>()),
  userInfo() {
    if (machine.userName === null) throw new Error('no such user');
    return { username: machine.userName };
  },
}));

/** The user who runs svc. */
const USER = 1_000;
const GROUP = 2_000;

beforeEach(() => {
  vi.spyOn(process, 'geteuid').mockReturnValue(USER);
});

interface Case {
  readonly title: string;
  readonly groups: string | null;
  readonly gid: number;
  readonly uid?: number;
  readonly userName?: string | null;
  readonly isTrusted: boolean;
}

const cases: readonly Case[] = [
  { title: "the user's ID and nobody else", groups: `ada:x:${USER}:`, gid: USER, isTrusted: true },
  { title: "the user's ID and the user in it", groups: `ada:x:${USER}:ada`, gid: USER, isTrusted: true },
  { title: 'another user in it', groups: `ada:x:${USER}:ada,eve`, gid: USER, isTrusted: false },
  { title: "the user's name", groups: `x:x:1:eve\nada:x:${GROUP}:`, gid: GROUP, isTrusted: true },
  {
    title: "the user's name and another user in it",
    groups: `ada:x:${GROUP}:eve`,
    gid: GROUP,
    isTrusted: false,
  },
  { title: 'another name', groups: `staff:x:${GROUP}:`, gid: GROUP, isTrusted: false },
  {
    title: "the user's name, for a file of another user",
    ...{ groups: `ada:x:${GROUP}:`, gid: GROUP, uid: 3_000, isTrusted: false },
  },
  {
    title: "the owner's ID, for a file of the user who called sudo",
    ...{ groups: 'bob:x:3000:', gid: 3_000, uid: 3_000, isTrusted: true },
  },
  {
    title: 'a name, for a user without one',
    ...{ groups: `ada:x:${GROUP}:`, gid: GROUP, userName: null, isTrusted: false },
  },
  { title: "the user's ID and no entry", groups: 'root:x:0:', gid: USER, isTrusted: true },
  { title: 'another ID and no entry', groups: 'root:x:0:', gid: GROUP, isTrusted: false },
  { title: "the user's ID on a machine without a list of groups", groups: null, gid: USER, isTrusted: true },
];

it.each(cases)(
  'a file that a group with $title can write to is trusted: $isTrusted',
  ({ groups, gid, uid = USER, userName = 'ada', isTrusted }) => {
    Object.assign(machine, { groups, userName });
    const stats = { uid, gid, mode: 0o100664, isSymbolicLink: () => false } as Stats;
    expect(findTrustProblem(stats, [uid])).toBe(isTrusted ? null : `group ${gid} can write to it (mode 664)`);
  },
);
