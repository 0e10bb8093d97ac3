import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  listGuarded,
  listRunning,
  targetInOwnGroup,
  targetInSharedGroup,
} from '../../src/watchdog/process-target.ts';
import { listProcesses } from '../../src/watchdog/processes.ts';

const entry = (pid: number, parent: number, group: number) => ({ pid, parentPid: parent, groupId: group });

describe('what a command has left', () => {
  it('is its whole group where it has one to itself, orphans too', () => {
    const processes = [
      entry(1, 0, 1),
      entry(20, 10, 20),
      entry(21, 20, 20),
      entry(22, 1, 20),
      entry(30, 20, 30),
    ];
    expect(listRunning(targetInOwnGroup(20), processes)).toEqual([20, 21, 22]);
  });

  // npm (5) runs sh (6), that runs svc (10), that runs the command (20); a pager (7) reads from them.
  const target = { pid: 20, groupId: 5, hostPid: 10, otherPids: [5, 6, 7] };
  const job = [entry(1, 0, 1), entry(5, 1, 5), entry(6, 5, 5), entry(7, 1, 5)];
  const command = [entry(20, 10, 5), entry(21, 20, 5)];

  it('in a group that it shares is neither svc nor who was there before', () => {
    expect(listRunning(target, [...job, entry(10, 6, 5), ...command])).toEqual([20, 21]);
  });

  it('in such a group is an orphan, but not what others have started meanwhile', () => {
    const orphan = entry(22, 1, 5);
    const next = entry(40, 6, 5);
    expect(listRunning(target, [...job, entry(20, 1, 5), orphan, next])).toEqual([20, 22]);
  });

  it('in another group is nothing of it', () => {
    expect(listRunning(target, [...job, entry(30, 20, 30)])).toEqual([]);
  });
});

it('the watchdog ends the commands that it was told of, without those that were released', () => {
  const [first, second] = [targetInOwnGroup(20), targetInOwnGroup(30)];
  expect(listGuarded([first, second, { released: 20 }])).toEqual([second]);
  expect(listGuarded([first, { released: 20 }, first])).toEqual([first]);
});

describe.skipIf(process.platform === 'win32')('the processes of this machine', () => {
  it('have parents and groups', async () => {
    const toTarget = targetInSharedGroup();
    const child = spawn('sleep', ['600']);
    onTestFinished(() => void child.kill());
    const pid = child.pid ?? Number.NaN;
    const processes = listProcesses();
    const own = processes.find((each) => each.pid === process.pid);
    expect(processes.find((each) => each.pid === pid)).toEqual({ ...own, pid, parentPid: process.pid });
    const left = listRunning(toTarget(pid));
    expect(left).toContain(pid);
    expect(left).not.toContain(process.pid);
    expect(left).not.toContain(process.ppid);
  });
});
