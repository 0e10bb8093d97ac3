import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createOwnGroup,
  findSharedGroup,
  listGuarded,
  listProcesses,
  listRunning,
  type ProcessTarget,
} from '../../src/watchdog/process-guard.ts';

const entry = (pid: number, parentPid: number, groupId: number) => ({ pid, parentPid, groupId });

describe('listRunning', () => {
  it('all processes of a command with its own group are listed, including orphans', () => {
    const processes = [
      entry(1, 0, 1),
      entry(20, 10, 20),
      entry(21, 20, 20),
      entry(22, 1, 20),
      entry(30, 20, 30),
    ];
    expect(listRunning(createOwnGroup(20), processes)).toEqual([20, 21, 22]);
  });

  // npm (5) runs sh (6), which runs svc (10), which runs the command (20). A pager (7) reads their output.
  const group = { groupId: 5, svcPid: 10, earlierPids: [5, 6, 7] };
  const job = [entry(1, 0, 1), entry(5, 1, 5), entry(6, 5, 5), entry(7, 1, 5)];
  const command = [entry(20, 10, 5), entry(21, 20, 5)];

  it('in a shared group, svc and earlier processes are not listed', () => {
    expect(listRunning(group, [...job, entry(10, 6, 5), ...command])).toEqual([20, 21]);
  });

  it('in a shared group, orphans are listed, but not descendants of earlier processes', () => {
    const orphan = entry(22, 1, 5);
    const next = entry(40, 6, 5);
    expect(listRunning(group, [...job, entry(20, 1, 5), orphan, next])).toEqual([20, 22]);
  });

  it('processes of other groups are not listed', () => {
    expect(listRunning(group, [...job, entry(30, 20, 30)])).toEqual([]);
  });
});

it('listGuarded returns the commands that were not released', () => {
  const [first, second] = [20, 30].map((pid) => ({ pid, ...createOwnGroup(pid) })) as [
    ProcessTarget,
    ProcessTarget,
  ];
  expect(listGuarded([first, second, { released: 20 }])).toEqual([second]);
  expect(listGuarded([first, { released: 20 }, first, { closing: true }])).toEqual([first]);
  const starting = { ...first, pid: null };
  expect(listGuarded([starting])).toEqual([starting]);
  expect(listGuarded([starting, first, { released: null }])).toEqual([first]);
});

describe.skipIf(process.platform === 'win32')('listProcesses', () => {
  it('processes have parents and groups', async () => {
    const group = findSharedGroup();
    const child = spawn('sleep', ['600']);
    onTestFinished(() => void child.kill());
    const pid = child.pid ?? Number.NaN;
    const processes = listProcesses();
    const own = processes.find((entry) => entry.pid === process.pid);
    expect(processes.find((entry) => entry.pid === pid)).toEqual({ ...own, pid, parentPid: process.pid });
    const running = listRunning(group);
    expect(running).toContain(pid);
    expect(running).not.toContain(process.pid);
    expect(running).not.toContain(process.ppid);
  });
});
