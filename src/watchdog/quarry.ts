/** Which processes a command has left behind. */
import { listProcesses, type ProcessEntry } from './processes.ts';

/** What the watchdog is told, as a line of JSON. */
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

/** Says who is in the process group of this process, and makes a quarry of a command that is about to join it. */
export function inThisGroup(): (command: number) => Quarry {
  const processes = listProcesses();
  const host = process.pid;
  const group = processes.find(({ pid }) => pid === host)?.group ?? host;
  const others = processes.filter((each) => each.group === group && each.pid !== host).map(({ pid }) => pid);
  return (command) => ({ command, group, host, others });
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
