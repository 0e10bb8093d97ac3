/** The processes of this machine, where there are process groups: everywhere but on Windows. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  /** Its process group. */
  readonly groupId: number;
}

/** Those that have ended and whose parent has not asked yet how are not among them. */
export function listProcesses(): ProcessEntry[] {
  // Slim images of Linux have no `ps`.
  return process.platform === 'linux' ? listByProc() : listByPs();
}

/** `PID (NAME) STATE PARENT GROUP …`; a name may hold anything. */
const STAT = /^(?<pid>\d+) \(.*\) (?<state>\S) (?<parent>\d+) (?<group>\d+) /s;

function listByProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => toEntry(STAT.exec(readStat(pid))));
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

const PS_LINE = /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+)\s+(?<state>\S)/;

function listByPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => toEntry(PS_LINE.exec(line)));
}

function toEntry(match: RegExpExecArray | null): ProcessEntry[] {
  const { pid, parent, group, state } = match?.groups ?? {};
  if (pid === undefined || state === 'Z') return [];
  return [{ pid: Number(pid), parentPid: Number(parent), groupId: Number(group) }];
}
