/**
 * The watchdog process: terminates the children of svc and their descendants when svc exits, even if it was killed.
 *
 * Arguments: the process ID of svc and, optionally, the folder of its temporary files, which the watchdog deletes if svc
 * was killed. Each line of standard input is a {@link WatchdogMessage}. Standard input ends when svc exits. The watchdog
 * runs in its own session, so that Ctrl-C and closing the terminal do not reach it.
 */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listGuarded, listRunning, type ProcessTarget, type WatchdogMessage } from './process-guard.ts';

/** Time from the first SIGTERM to the first SIGKILL. */
const GRACE_MS = 5_000;
/** Maximum time for which SIGKILL is repeated, because a process can start another one before it ends. */
const AFTER_KILL_MS = 1_000;
/** Maximum time to wait for svc to end after its pipe has closed. */
const ORPHAN_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;

const [, , svcPid, folder] = process.argv;
let input = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (text: string) => {
    input += text;
  })
  // Without a listener, an error would end this process. 'close' follows it.
  .on('error', () => undefined)
  .once('close', () => void terminateAll());

async function terminateAll(): Promise<void> {
  // If svc was killed while it wrote, the last line is incomplete.
  const lines = input.split('\n').slice(0, -1);
  const messages = lines.map((line) => JSON.parse(line) as WatchdogMessage);
  await Promise.all(listGuarded(messages).map(terminate));
  if (folder === undefined) return;
  // The pipe of a killed process closes shortly before the process ends.
  if (!messages.some((message) => 'closing' in message)) await waitUntilOrphaned();
  // While svc runs, it deletes the folder itself.
  if (isOrphaned()) rmSync(folder, { recursive: true, force: true });
}

async function waitUntilOrphaned(): Promise<void> {
  const endAt = performance.now() + ORPHAN_TIMEOUT_MS;
  while (!isOrphaned() && performance.now() < endAt) await sleep(POLL_INTERVAL_MS);
}

/** Whether svc has ended. Then this process has another parent. */
function isOrphaned(): boolean {
  return process.ppid !== Number(svcPid);
}

function terminate(target: ProcessTarget): Promise<void> {
  return process.platform === 'win32' ? terminateTree(target) : terminateGroup(target);
}

/** Windows has neither signals nor process groups: the descendants of a command that has exited cannot be found. */
async function terminateTree({ pid }: ProcessTarget): Promise<void> {
  await promisify(execFile)('taskkill', ['/pid', String(pid), '/T', '/F']).catch(() => undefined);
}

async function terminateGroup(target: ProcessTarget): Promise<void> {
  const killAt = performance.now() + GRACE_MS;
  const signaled = new Set<number>();
  for (;;) {
    const running = listRunning(target);
    const time = performance.now();
    if (running.length === 0 || time > killAt + AFTER_KILL_MS) return;
    if (time > killAt) {
      for (const pid of running) sendSignal(pid, 'SIGKILL');
    } else {
      for (const pid of pickForSigterm(running, target).filter((listed) => !signaled.has(listed))) {
        signaled.add(pid);
        sendSignal(pid, 'SIGTERM');
      }
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The command gets its signal before its descendants, because it may terminate them itself. */
function pickForSigterm(running: readonly number[], { pid }: ProcessTarget): readonly number[] {
  return pid !== null && running.includes(pid) ? [pid] : running;
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited meanwhile, or belongs to another user.
  }
}
