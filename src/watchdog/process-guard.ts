/** Starts the watchdog process, and finds the processes that it terminates when this process exits, even if it is killed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPackageFolder } from '../package-info.ts';

export interface ProcessGuard {
  /** Guards a child, which must not outlive this process. */
  add(target: ProcessTarget): void;
  /** Stops guarding a child and its descendants. */
  remove(pid: number): void;
  /** Terminates all guarded children and their descendants, within six seconds. */
  terminate(): Promise<void>;
}

/** @param folder temporary files that the watchdog deletes if this process is killed; null for none. */
export async function createProcessGuard(
  env: Readonly<Record<string, string | undefined>>,
  folder: string | null = null,
): Promise<ProcessGuard> {
  const args = [
    join(getPackageFolder(), 'dist/watchdog.js'),
    String(process.pid),
    ...(folder === null ? [] : [folder]),
  ];
  const watchdog = spawn(process.execPath, args, {
    // Modules that `NODE_OPTIONS` preloads are meant for the command, not for the watchdog.
    env: { ...env, NODE_OPTIONS: undefined },
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(watchdog, 'spawn');
  const exited = once(watchdog, 'exit');
  watchdog.stdin.on('error', () => undefined);
  const send = (message: WatchdogMessage) => void watchdog.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    add: send,
    remove: (pid) => send({ released: pid }),
    async terminate() {
      watchdog.stdin.end(`${JSON.stringify({ closing: true } satisfies WatchdogMessage)}\n`);
      await exited;
    },
  };
}

/**
 * A line of JSON for the watchdog: a command to guard, the process id of a command to stop guarding, or that svc closes
 * the pipe itself.
 */
export type WatchdogMessage = ProcessTarget | { readonly released: number } | { readonly closing: true };

/** A command to terminate with its descendants. */
export interface ProcessTarget {
  /** Process id of the command. */
  readonly pid: number;
  /** The process group of the command and its descendants. */
  readonly groupId: number;
  /** Process id of svc, which is not terminated, if the command shares its group; null otherwise. */
  readonly svcPid: number | null;
  /** Other processes that were in the group before the command. */
  readonly earlierPids: readonly number[];
}

/** A command in its own process group. */
export function targetInOwnGroup(pid: number): ProcessTarget {
  return { pid, groupId: pid, svcPid: null, earlierPids: [] };
}

/**
 * Lists the processes in the group of this process. The returned function describes a command that joins the group later.
 * Windows has no groups.
 */
export function targetInSharedGroup(): (pid: number) => ProcessTarget {
  if (process.platform === 'win32') return targetInOwnGroup;
  const processes = listProcesses();
  const svcPid = process.pid;
  const groupId = processes.find(({ pid }) => pid === svcPid)?.groupId ?? svcPid;
  const earlierPids = processes
    .filter((entry) => entry.groupId === groupId && entry.pid !== svcPid)
    .map(({ pid }) => pid);
  return (pid) => ({ pid, groupId, svcPid, earlierPids });
}

/** The commands in the messages that were not released. */
export function listGuarded(messages: readonly WatchdogMessage[]): ProcessTarget[] {
  const guarded = new Map<number, ProcessTarget>();
  for (const message of messages) {
    if ('released' in message) guarded.delete(message.released);
    else if ('pid' in message) guarded.set(message.pid, message);
  }
  return [...guarded.values()];
}

/** The process ids of the command, if it still runs, and of its descendants in the group. */
export function listRunning(
  target: ProcessTarget,
  processes: readonly ProcessEntry[] = listProcesses(),
): number[] {
  const { groupId, svcPid } = target;
  const parents = new Map(processes.map(({ pid, parentPid }) => [pid, parentPid]));
  return processes
    .filter(({ pid }) => pid !== svcPid)
    .filter((entry) => entry.groupId === groupId && !descendsFromEarlier(entry.pid, target, parents))
    .map(({ pid }) => pid);
}

/**
 * Whether a process is one of those that were in the group before the command, or their descendant. An orphan descends
 * from no process in the group, so it is treated as a descendant of the command.
 */
function descendsFromEarlier(
  pid: number,
  { svcPid, earlierPids }: ProcessTarget,
  parents: ReadonlyMap<number, number>,
): boolean {
  let ancestor: number | undefined = pid;
  while (ancestor !== undefined && ancestor !== svcPid) {
    if (earlierPids.includes(ancestor)) return true;
    ancestor = parents.get(ancestor);
  }
  return false;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
}

/** Lists all processes of this machine except zombies. Not for Windows. */
export function listProcesses(): ProcessEntry[] {
  // Slim Linux images have no `ps`.
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

/** `PID (NAME) STATE PARENT GROUP …`; the name may contain any character. */
const STAT = /^(?<pid>\d+) \(.*\) (?<state>\S) (?<parent>\d+) (?<group>\d+) /s;

function listFromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => toEntry(STAT.exec(readStat(pid))));
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has exited meanwhile.
    return '';
  }
}

const PS_LINE = /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+)\s+(?<state>\S)/;

function listFromPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => toEntry(PS_LINE.exec(line)));
}

function toEntry(match: RegExpExecArray | null): ProcessEntry[] {
  const { pid, parent, group, state } = match?.groups ?? {};
  if (pid === undefined || state === 'Z') return [];
  return [{ pid: Number(pid), parentPid: Number(parent), groupId: Number(group) }];
}
