/** Programs that compete: each prints one line of JSON with its `url` when it answers, and ends on SIGTERM. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
/** No contestant lives longer, whatever happens to the benchmark. */
const LIFE_MS = 600_000;

export interface Contestant {
  readonly url: string;
  /** Empty where the program has none. */
  readonly apiKey: string;
  readonly workspaceId: string;
  /** From its start until its first answer, in milliseconds. */
  readonly bootMs: number;
  /** Resident memory in bytes. */
  memory(): number;
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

/** Starts a program and waits for the answer to a first request. */
export async function startContestant(
  program: string,
  args: readonly string[],
  options: { readonly profileTo?: string | undefined } = {},
): Promise<Contestant> {
  const startedAt = performance.now();
  const profiling = options.profileTo ? ['--cpu-prof', `--cpu-prof-dir=${options.profileTo}`] : [];
  const child = spawn(process.execPath, [...profiling, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIFE_MS,
  });
  const abandon = () => child.kill('SIGKILL');
  process.once('exit', abandon);
  const exited = once(child, 'exit').finally(() => process.off('exit', abandon));
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => null)]);
  if (line === null) throw new Error(`${program} left before it was ready.`);
  const status = JSON.parse(String(line[0])) as ReadyLine;
  const { url, api_key: apiKey = '', workspace_id: workspaceId = '' } = status;
  await (await fetch(`${url}/healthz`)).arrayBuffer();
  return {
    ...{ url, apiKey, workspaceId },
    bootMs: performance.now() - startedAt,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) * 1024,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
