/** Starts the watchdog process, and finds the processes that the watchdog terminates when svc exits, even if it is killed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getWatchdogCommand } from '../package-files.ts';

export interface ProcessGuard {
  /**
   * Starts a child process, which is terminated with its descendants when this process exits, even if it is killed.
   * @param group `own` so that signals of the terminal do not reach the child; `shared` with this process so that the child
   *   can read from the terminal, which only one group can
   * @param spawnChild passes `detached` to `spawn`
   */
  start<Child extends StartedChild>(
    group: 'own' | 'shared',
    spawnChild: (options: { readonly detached: boolean }) => Child,
  ): Child;
  /** Stops guarding a child and its descendants. */
  release(child: StartedChild): void;
  /** Terminates all guarded children and their descendants, within six seconds. Ends the watchdog. */
  terminate(): Promise<void>;
}

/** A child process. It has no ID if it could not be started. */
interface StartedChild {
  readonly pid?: number | undefined;
}

const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/** @param folder with temporary files, which the watchdog deletes if this process is killed; null for none. */
export async function createProcessGuard(
  env: Readonly<Record<string, string | undefined>>,
  folder: string | null = null,
): Promise<ProcessGuard> {
  const [program, ...args] = getWatchdogCommand();
  const watchdog = spawn(program, [...args, String(process.pid), ...(folder === null ? [] : [folder])], {
    // Modules that `NODE_OPTIONS` preloads are meant for the command, not for the watchdog.
    env: { ...env, NODE_OPTIONS: undefined },
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(watchdog, 'spawn');
  const exited = once(watchdog, 'exit');
  // If the watchdog was killed, svc continues without it.
  watchdog.stdin.on('error', () => undefined);
  const send = (message: WatchdogMessage) => void watchdog.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    start(group, spawnChild) {
      if (group === 'own' || !HAS_PROCESS_GROUPS) {
        const child = spawnChild({ detached: HAS_PROCESS_GROUPS });
        // The process group has the ID of the child, which exists only now.
        if (child.pid !== undefined) send({ pid: child.pid, ...createOwnGroup(child.pid) });
        return child;
      }
      const sharedGroup = findSharedGroup();
      // Guards the group before the child starts, because this process can be killed before it knows the ID of the child.
      send({ pid: null, ...sharedGroup });
      try {
        const child = spawnChild({ detached: false });
        if (child.pid !== undefined) send({ pid: child.pid, ...sharedGroup });
        return child;
      } finally {
        send({ released: null });
      }
    },
    release({ pid }) {
      if (pid !== undefined) send({ released: pid });
    },
    async terminate() {
      watchdog.stdin.end(`${JSON.stringify({ closing: true } satisfies WatchdogMessage)}\n`);
      await exited;
    },
  };
}

/** A line of JSON for the watchdog: a command to guard, one to stop guarding, or that svc closes the pipe itself. */
export type WatchdogMessage =
  | ProcessTarget
  | { readonly released: ProcessTarget['pid'] }
  | { readonly closing: true };

/** A command to terminate with its descendants. */
export interface ProcessTarget extends TargetGroup {
  /** Process ID of the command; null while it is being started. */
  readonly pid: number | null;
}

/** The process group of a command and its descendants. */
interface TargetGroup {
  readonly groupId: number;
  /** Process ID of svc, which is not terminated, if the command shares its group; null otherwise. */
  readonly svcPid: number | null;
  /** Other processes that were in the group before the command. */
  readonly earlierPids: readonly number[];
}

export function createOwnGroup(pid: number): TargetGroup {
  return { groupId: pid, svcPid: null, earlierPids: [] };
}

/** The group of this process, for a command that joins it later. Not for Windows. */
export function findSharedGroup(): TargetGroup {
  const processes = listProcesses();
  const svcPid = process.pid;
  // If the processes cannot be listed: a shell starts each command as the leader of a group.
  const groupId = processes.find(({ pid }) => pid === svcPid)?.groupId ?? svcPid;
  const earlierPids = processes
    .filter((entry) => entry.groupId === groupId && entry.pid !== svcPid)
    .map(({ pid }) => pid);
  return { groupId, svcPid, earlierPids };
}

/** The commands in the messages that were not released. */
export function listGuarded(messages: readonly WatchdogMessage[]): ProcessTarget[] {
  const guarded = new Map<number | null, ProcessTarget>();
  for (const message of messages) {
    if ('released' in message) guarded.delete(message.released);
    else if ('pid' in message) guarded.set(message.pid, message);
  }
  return [...guarded.values()];
}

/** The process IDs of the command, if it still runs, and of its descendants in the group. */
export function listRunning(
  target: TargetGroup,
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
  { svcPid, earlierPids }: TargetGroup,
  parents: ReadonlyMap<number, number>,
): boolean {
  let ancestor: number | undefined = pid;
  while (ancestor !== undefined && ancestor !== svcPid) {
    if (earlierPids.includes(ancestor)) return true;
    ancestor = parents.get(ancestor);
  }
  return false;
}

interface ProcessEntry {
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
