/** Which processes a command has left behind. */
import { listProcesses, type ProcessEntry } from './processes.ts';

/** A line of JSON that the watchdog reads: a command to end, or the process id of one that is no longer to be ended. */
export type WatchdogMessage = Quarry | { readonly released: number };

export interface Quarry {
  /** The command. */
  readonly command: number;
  /** The process group in which it and what it starts are looked for. */
  readonly group: number;
  /** Whose group that is, if the command has it not to itself: `svc`, which is not to be ended. */
  readonly host: number | null;
  /** Who else was in that group before the command. */
  readonly others: readonly number[];
}

/** A command in a group of its own. */
export function inOwnGroup(command: number): Quarry {
  return { command, group: command, host: null, others: [] };
}

/**
 * Lists the processes in the process group of this process; the returned function describes a command that joins the group
 * after that. Windows has no groups.
 */
export function inThisGroup(): (command: number) => Quarry {
  if (process.platform === 'win32') return inOwnGroup;
  const processes = listProcesses();
  const host = process.pid;
  const group = processes.find(({ pid }) => pid === host)?.group ?? host;
  const others = processes.filter((each) => each.group === group && each.pid !== host).map(({ pid }) => pid);
  return (command) => ({ command, group, host, others });
}

/** The commands of these messages that were not released. */
export function listHeld(messages: readonly WatchdogMessage[]): Quarry[] {
  const held = new Map<number, Quarry>();
  for (const message of messages) {
    if ('released' in message) held.delete(message.released);
    else held.set(message.command, message);
  }
  return [...held.values()];
}

/** The command, if it still runs, and all that it has started in that group. */
export function listLeft(quarry: Quarry, processes: readonly ProcessEntry[] = listProcesses()): number[] {
  const { group, host } = quarry;
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  return processes
    .filter(({ pid }) => pid !== host)
    .filter((each) => each.group === group && !descendsFromOthers(each.pid, quarry, parents))
    .map(({ pid }) => pid);
}

/** Orphans descend from nobody in the group, and are taken for the command's. */
function descendsFromOthers(
  pid: number,
  { host, others }: Quarry,
  parents: ReadonlyMap<number, number>,
): boolean {
  for (let at: number | undefined = pid; at !== undefined && at !== host; at = parents.get(at)) {
    if (others.includes(at)) return true;
  }
  return false;
}
