/** Starts the measured programs. Ours print a JSON line with their `url` when they are ready, and stop on SIGTERM. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');
/** Maximum lifetime of a program, even if the benchmark fails. */
const MAX_LIFETIME_MS = 1_200_000;
const RESPONSE_LIMIT_MS = 30_000;
const POLL_INTERVAL_MS = 50;

export interface RunningProgram {
  readonly url: string;
  /** Empty if the program has no API keys. */
  readonly apiKey: string;
  readonly workspaceId: string;
  /** Milliseconds from its start to its first response. */
  readonly bootMs: number;
  /** Resident memory in bytes. */
  memory(): number;
  /** Processor time of all threads in milliseconds; NaN if the system does not provide it. */
  processorMs(): number;
  stop(): Promise<void>;
}

interface ReadyLine {
  readonly url: string;
  readonly api_key?: string;
  readonly workspace_id?: string;
}

export const programs = {
  /** The library, with settings that have no flag. */
  emulator: join(import.meta.dirname, 'emulator.js'),
  /** The library inside a test process. */
  library: join(import.meta.dirname, 'library.js'),
  barePipeline: join(import.meta.dirname, 'bare-pipeline.js'),
  bareServer: join(import.meta.dirname, 'bare-server.js'),
  /** The command line. */
  svc: join(root, 'bin/svc.js'),
} as const;

/** Starts one of our programs and waits for the response to a first request. */
export async function startProgram(
  program: string,
  args: readonly string[],
  options: { readonly profileTo?: string | undefined } = {},
): Promise<RunningProgram> {
  const startedAt = performance.now();
  const profiling = options.profileTo ? ['--cpu-prof', `--cpu-prof-dir=${options.profileTo}`] : [];
  const { child, exited, processorMs } = spawnNode([...profiling, program, ...args]);
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => null)]);
  if (line === null) throw new Error(`${program} exited before it was ready.`);
  const status = JSON.parse(String(line[0])) as ReadyLine;
  const { url, api_key: apiKey = '', workspace_id: workspaceId = '' } = status;
  await (await fetch(`${url}/healthz`)).arrayBuffer();
  return {
    url,
    apiKey,
    workspaceId,
    processorMs,
    bootMs: performance.now() - startedAt,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) * 1024,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** Starts another program in its folder and requests `url` until any response arrives. */
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
  const deadline = performance.now() + RESPONSE_LIMIT_MS;
  while (!(await isResponding(url))) {
    if (child.exitCode !== null) throw new Error(`The program exited with code ${child.exitCode}.`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`The program did not respond within ${RESPONSE_LIMIT_MS} ms.`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
  return { stop, processorMs };
}

async function isResponding(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** With a folder, warnings of the program are ignored. */
function spawnNode(command: readonly string[], folder?: string) {
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', folder === undefined ? 'inherit' : 'ignore'],
    cwd: folder,
    timeout: MAX_LIFETIME_MS,
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').finally(() => process.off('exit', kill));
  return { child, exited, processorMs: () => findProcessorMs(child.pid) };
}

/** Reads `utime` and `stime` of a process on Linux, in ticks of 10 ms. */
function findProcessorMs(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The name before them may contain spaces.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
