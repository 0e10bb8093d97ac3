/** Runs the built program, or its source in this process, without SVC_ variables. */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { vi } from 'vitest';
import { createProcessIo } from '../../src/cli/io.ts';
import { hasFlag, runCommandLine } from '../../src/cli/program.ts';
import { systemClock } from '../../src/platform/wall-clock.ts';

/** The single executable to test instead of the npm package: `SVC_BIN=build/svc npx vitest run test/e2e`. */
export const binary = process.env.SVC_BIN ? resolve(process.env.SVC_BIN) : null;
export const program = binary ?? join(import.meta.dirname, '../../bin/svc.js');
/** The command line that starts svc. */
export const svcFile = binary ?? process.execPath;
export const svcArgs: readonly string[] = binary === null ? [program] : [];

export interface Ready {
  readonly url: string;
  readonly base_url: string;
  readonly control_url: string;
  readonly dashboard_url: string;
  /** Exists when other machines can reach the emulator. */
  readonly control_token?: string;
  readonly workspace_id: string;
  readonly api_key: string;
  readonly webhook_id: string;
  readonly webhook_secret: string;
  readonly pid: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program without standard input and without SVC_ variables. An exit code other than 0 is a result. */
export const runProgram = execa({
  stdin: 'ignore',
  reject: false,
  extendEnv: false,
  env: cleanEnvironment(),
});

/**
 * Runs one command. An exit code other than 0 is a result.
 * @param timeout milliseconds after which the process is killed
 */
export function svc(
  args: readonly string[],
  { cwd, env = {}, input = '', timeout = 30_000 }: RunOptions & { readonly timeout?: number },
) {
  return execa(svcFile, [...svcArgs, ...args], {
    ...{ cwd, input, reject: false, stripFinalNewline: false, timeout, forceKillAfterDelay: 1000 },
    env: { ...cleanEnvironment(), ...env },
    extendEnv: false,
  });
}

/** Starts one command in this process. `output` grows while it runs. */
export function startInProcess(args: readonly string[], { cwd, env = {}, input = '' }: RunOptions) {
  const output = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof output) =>
    new Writable({
      write(chunk, _, done) {
        output[name] += chunk;
        done();
      },
    });
  const streams = { stdout: collect('stdout'), stderr: collect('stderr') };
  const stdin = Readable.from([Buffer.from(input)]);
  const host = { ...streams, stdin, env: { ...cleanEnvironment(), ...env } };
  const interruption = new AbortController();
  setMaxListeners(0, interruption.signal);
  const ended = runCommandLine(args, {
    io: createProcessIo(host as unknown as NodeJS.Process, hasFlag(args, '--no-color')),
    env: host.env,
    cwd,
    now: systemClock.now,
    signal: interruption.signal,
    handleSignals: () => () => {},
    commandLine: [],
  }).then((exitCode) => ({ exitCode, ...output }));
  return { output, ended, interrupt: () => interruption.abort() };
}

/** Runs one command like {@link svc}, but in this process, which takes a tenth of the time. Its child processes must not print. */
export const svcInProcess = (args: readonly string[], options: RunOptions) =>
  startInProcess(args, options).ended;

/** Starts an emulator in `cwd` on a free port in this process, and waits for its ready line. */
export async function startEmulator(cwd: string, args: readonly string[] = [], env = {}) {
  const command = ['emulator', 'start', '--port', '0', '--json', ...args];
  const { output, ended, interrupt } = startInProcess(command, { cwd, env });
  const isReadyOrFailed = () => output.stdout !== '' || output.stderr.includes('{"error":');
  await vi.waitUntil(isReadyOrFailed, { timeout: 30_000, interval: 5 });
  if (output.stdout === '') throw new Error(`The emulator did not start: ${output.stderr}`);
  async function stop(): Promise<void> {
    interrupt();
    await ended;
  }
  return { ready: JSON.parse(output.stdout) as Ready, stop };
}

/** Creates an empty folder, and a function that removes it. */
export function createTempFolder(): { cwd: string; remove(): void } {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  return { cwd, remove: () => rmSync(cwd, { recursive: true, force: true, maxRetries: 3 }) };
}

export function cleanEnvironment(): Record<string, string> {
  const foreign =
    /^(?:SVC_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$|NODE_(?:DISABLE_)?COMPILE_CACHE$|VITEST|LC_|LANG$)/;
  const entries = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const caches = { XDG_CACHE_HOME: join(import.meta.dirname, '../../node_modules/.cache') };
  return { ...(Object.fromEntries(entries) as Record<string, string>), ...caches };
}

/** Variables that place temporary files in `folder`. */
export function temporaryFilesIn(folder: string): Record<string, string> {
  return { TMPDIR: folder };
}
