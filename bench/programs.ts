/** Programs that compete: each prints one line of JSON with its `url` when it answers, and ends on SIGTERM. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
/** No contestant lives longer, whatever happens to the benchmark. */
const LIFE_MS = 600_000;
const ANSWER_LIMIT_MS = 30_000;
const ASK_EVERY_MS = 50;

export interface RunningProgram {
  readonly url: string;
  /** Empty where the program has none. */
  readonly apiKey: string;
  readonly workspaceId: string;
  /** From its start until its first answer, in milliseconds. */
  readonly bootMs: number;
  /** Resident memory in bytes. */
  memory(): number;
  /** Processor time so far, of all its threads; NaN where the system does not tell. */
  processorMs(): number;
  stop(): Promise<void>;
}

interface ReadyLine {
  readonly url: string;
  readonly api_key?: string;
  readonly workspace_id?: string;
}

export const programs = {
  /** The library, with settings that no flag has. */
  emulator: join(import.meta.dirname, 'emulator.js'),
  /** The library in the process of a test. */
  library: join(import.meta.dirname, 'library.js'),
  barePipeline: join(import.meta.dirname, 'bare-pipeline.js'),
  bareServer: join(import.meta.dirname, 'bare-server.js'),
  /** The command line. */
  svc: join(root, 'bin/svc.js'),
} as const;

/** Starts a program of ours and waits for the answer to a first request. */
export async function startProgram(
  program: string,
  args: readonly string[],
  options: { readonly profileTo?: string | undefined } = {},
): Promise<RunningProgram> {
  const startedAt = performance.now();
  const profiling = options.profileTo ? ['--cpu-prof', `--cpu-prof-dir=${options.profileTo}`] : [];
  const { child, exited, processorMs } = spawnNode([...profiling, program, ...args]);
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => null)]);
  if (line === null) throw new Error(`${program} left before it was ready.`);
  const status = JSON.parse(String(line[0])) as ReadyLine;
  const { url, api_key: apiKey = '', workspace_id: workspaceId = '' } = status;
  await (await fetch(`${url}/healthz`)).arrayBuffer();
  return {
    ...{ url, apiKey, workspaceId, processorMs },
    bootMs: performance.now() - startedAt,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) * 1024,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** Starts a program of others in its folder and asks `url` until it answers, whatever that is. */
export async function startPeer(
  command: readonly string[],
  folder: string,
  url: string,
): Promise<Pick<RunningProgram, 'stop' | 'processorMs'>> {
  const { child, exited, processorMs } = spawnNode(command, folder);
  child.stdout.resume();
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const deadline = performance.now() + ANSWER_LIMIT_MS;
  while (!(await isAnswering(url))) {
    if (child.exitCode !== null) throw new Error(`It left with exit code ${child.exitCode}.`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`It did not answer within ${ANSWER_LIMIT_MS} ms.`);
    }
    await sleep(ASK_EVERY_MS);
  }
  return { stop, processorMs };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** In a folder of its own, its warnings are nobody's business. */
function spawnNode(command: readonly string[], folder?: string) {
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', folder === undefined ? 'inherit' : 'ignore'],
    cwd: folder,
    timeout: LIFE_MS,
  });
  const abandon = () => child.kill('SIGKILL');
  process.once('exit', abandon);
  const exited = once(child, 'exit').finally(() => process.off('exit', abandon));
  return { child, exited, processorMs: () => findProcessorMs(child.pid) };
}

/** From the fields `utime` and `stime` that Linux keeps for each process, in ticks of 10 ms. */
function findProcessorMs(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The name before it may hold spaces.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
