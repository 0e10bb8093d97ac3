/**
 * A process beside another one, which names itself and, where it has one, the folder of its temporary files in the
 * arguments. Standard input has a line for each child of that process (a second one when the child is no longer to be ended) and ends when that process does, however it ended:
 * then the watchdog ends the children and what they have left behind, and itself, and removes the folder if nothing else
 * can. It has a session of its own, where no Ctrl-C and no hang-up of the terminal reaches it.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listGuarded, listRunning, type ProcessTarget, type WatchdogMessage } from './process-target.ts';

/** What a process gets to end by itself. */
const GRACE_MS = 5_000;
/** How long one that was killed may take to be gone. */
const LAST_MS = 1_000;
const LOOK_EVERY_MS = 20;

const [, , svc, folder] = process.argv;
let told = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (text: string) => {
    told += text;
  })
  // A pipe that breaks has ended too.
  .on('error', () => undefined)
  .once('close', () => void clean());

async function clean(): Promise<void> {
  // The last line is cut where the process was killed while it wrote it.
  const lines = told.split('\n').slice(0, -1);
  await Promise.all(listGuarded(lines.map((line) => JSON.parse(line) as WatchdogMessage)).map(end));
  // Orphans have another parent.
  if (folder !== undefined && process.ppid !== Number(svc)) rmSync(folder, { recursive: true, force: true });
}

function end(processTarget: ProcessTarget): Promise<void> {
  return process.platform === 'win32' ? endTree(processTarget) : endGroup(processTarget);
}

/** Windows has no signals to ask with, and no groups: once the command has ended, nobody knows what it has started. */
async function endTree({ pid }: ProcessTarget): Promise<void> {
  await promisify(execFile)('taskkill', ['/pid', String(pid), '/T', '/F']).catch(() => undefined);
}

async function endGroup(processTarget: ProcessTarget): Promise<void> {
  const killAt = performance.now() + GRACE_MS;
  const asked = new Set<number>();
  for (;;) {
    const left = listRunning(processTarget);
    const now = performance.now();
    if (left.length === 0 || now > killAt + LAST_MS) return;
    if (now > killAt) {
      for (const pid of left) signal(pid, 'SIGKILL');
    } else {
      for (const pid of listFirst(left, processTarget).filter((each) => !asked.has(each))) {
        asked.add(pid);
        signal(pid, 'SIGTERM');
      }
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** The command before what it has started: it may know better how to end that. */
function listFirst(left: readonly number[], { pid }: ProcessTarget): readonly number[] {
  return left.includes(pid) ? [pid] : left;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile, or is another user's.
  }
}
