/** Which processes a command has left behind. */
import { listProcesses, type ProcessEntry } from './processes.ts';

/** A line of JSON that the watchdog reads: a command to end, or the process id of one that is no longer to be ended. */
export type WatchdogMessage = ProcessTarget | { readonly released: number };

export interface ProcessTarget {
  /** The command. */
  readonly pid: number;
  /** The process group in which it and what it starts are looked for. */
  readonly groupId: number;
  /** Whose group that is, if the command has it not to itself: `svc`, which is not to be ended. */
  readonly hostPid: number | null;
  /** Who else was in that group before the command. */
  readonly otherPids: readonly number[];
}

/** A command in a group of its own. */
export function targetInOwnGroup(command: number): ProcessTarget {
  return { pid: command, groupId: command, hostPid: null, otherPids: [] };
}

/**
 * Lists the processes in the process group of this process; the returned function describes a command that joins the group
 * after that. Windows has no groups.
 */
export function targetInSharedGroup(): (command: number) => ProcessTarget {
  if (process.platform === 'win32') return targetInOwnGroup;
  const processes = listProcesses();
  const host = process.pid;
  const group = processes.find(({ pid }) => pid === host)?.groupId ?? host;
  const others = processes
    .filter((each) => each.groupId === group && each.pid !== host)
    .map(({ pid }) => pid);
  return (command) => ({ pid: command, groupId: group, hostPid: host, otherPids: others });
}

/** The commands of these messages that were not released. */
export function listGuarded(messages: readonly WatchdogMessage[]): ProcessTarget[] {
  const held = new Map<number, ProcessTarget>();
  for (const message of messages) {
    if ('released' in message) held.delete(message.released);
    else held.set(message.pid, message);
  }
  return [...held.values()];
}

/** The command, if it still runs, and all that it has started in that group. */
export function listRunning(
  processTarget: ProcessTarget,
  processes: readonly ProcessEntry[] = listProcesses(),
): number[] {
  const { groupId, hostPid } = processTarget;
  const parents = new Map(processes.map(({ pid, parentPid }) => [pid, parentPid]));
  return processes
    .filter(({ pid }) => pid !== hostPid)
    .filter((each) => each.groupId === groupId && !descendsFromOthers(each.pid, processTarget, parents))
    .map(({ pid }) => pid);
}

/** Orphans descend from nobody in the group, and are taken for the command's. */
function descendsFromOthers(
  pid: number,
  { hostPid, otherPids }: ProcessTarget,
  parents: ReadonlyMap<number, number>,
): boolean {
  for (let at: number | undefined = pid; at !== undefined && at !== hostPid; at = parents.get(at)) {
    if (otherPids.includes(at)) return true;
  }
  return false;
}
