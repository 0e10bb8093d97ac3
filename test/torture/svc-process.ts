/** Runs `svc emulator start` in a child process that can be killed. */
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import type { ReadyLine } from '../../src/cli/ready-line.ts';

const program = new URL('../../bin/svc.js', import.meta.url).pathname;
const killPointsModule = new URL('kill-points.mjs', import.meta.url).href;

/** Points at which a process can be killed, in the order of a delivery's life. `kill-points.mjs` detects them. */
export const killPoints = [
  'event.before_commit',
  'event.after_commit',
  'delivery.claimed',
  'attempt.before_send',
  'attempt.sent',
  'attempt.response_received',
  'attempt.before_commit',
  'attempt.after_commit',
] as const;
export type KillPoint = (typeof killPoints)[number];

export interface SvcOptions {
  /** The folder of the project; its database is `svc.db`, see {@link databaseIn}. */
  readonly folder: string;
  /** Schedule seconds per real second (default: as stored). */
  readonly speed?: number;
  /** Kills itself when it passes the point for the nth time. */
  readonly killAt?: { readonly point: KillPoint | 'snapshot.copied'; readonly nth: number } | undefined;
  /** A command that runs the command in its arguments, such as `prlimit`. */
  readonly wrapper?: readonly string[];
}

export interface SvcExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Complete standard error. */
  readonly stderr: string;
}

export interface SvcProcess extends AsyncDisposable {
  readonly pid: number;
  /** The ready line; null if it exited before. */
  readonly ready: Promise<ReadyLine | null>;
  readonly exited: Promise<SvcExit>;
  /** Standard error so far. */
  readonly stderr: string;
  /** Sends a signal. Resolves when the process has exited. */
  end(signal: NodeJS.Signals): Promise<SvcExit>;
}

export function databaseIn(folder: string): string {
  return `${folder}/svc.db`;
}

/**
 * At 20,000 times real time, the default of 24 hours would be four seconds. A client can then repeat a request after a slow
 * restart when its key is no longer stored.
 */
const config = {
  overrides: { 'idempotency.scope': { unique_within: 'api_key_method_path', retention: '30d' } },
};

export function startSvc({ folder, speed, killAt, wrapper = [] }: SvcOptions): SvcProcess {
  const configFile = `${folder}/svc.config.json`;
  // Not again, because the disk can be full by then.
  if (!existsSync(configFile)) writeFileSync(configFile, JSON.stringify(config));
  const start = ['emulator', 'start', '--json', '--port', '0', '--db', databaseIn(folder)];
  const clock = speed === undefined ? [] : ['--speed', String(speed)];
  const probes = killAt ? ['--import', killPointsModule] : [];
  const [command = '', ...args] = [...wrapper, process.execPath, ...probes, program, ...start, ...clock];
  const subprocess = execa(command, args, {
    cwd: folder,
    stdin: 'ignore',
    env: { PATH: process.env.PATH, ...(killAt && { TORTURE_KILL_AT: `${killAt.point}:${killAt.nth}` }) },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    forceKillAfterDelay: false,
  });
  let stderr = '';
  subprocess.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = subprocess.then(({ exitCode = null, signal = null }) => ({
    code: exitCode,
    signal,
    stderr,
  }));
  const ready = new Promise<ReadyLine | null>((resolve) => {
    createInterface(subprocess.stdout).once('line', (line) => resolve(JSON.parse(line)));
    exited.then(() => resolve(null));
  });
  const end = (signal: NodeJS.Signals) => {
    subprocess.kill(signal);
    return exited;
  };
  return {
    pid: subprocess.pid ?? Number.NaN,
    ready,
    exited,
    get stderr() {
      return stderr;
    },
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

/** @throws Error with standard error if it did not start. */
export async function waitUntilReady(svc: SvcProcess): Promise<ReadyLine> {
  const ready = await svc.ready;
  if (ready === null) throw new Error(`svc did not start: ${JSON.stringify(await svc.exited)}`);
  return ready;
}
