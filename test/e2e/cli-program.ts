/** Runs the built program in a new folder, without SVC_ variables. */
import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
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

/** Runs one command like {@link svc}, but in this process, which takes a tenth of the time. For commands that start no process. */
export async function svcInProcess(args: readonly string[], { cwd, env = {}, input = '' }: RunOptions) {
  const streams = { stdout: createSink(), stderr: createSink(), stdin: Readable.from([Buffer.from(input)]) };
  const host = { ...streams, env: { ...cleanEnvironment(), ...env } };
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const exitCode = await runCommandLine(args, {
    io: createProcessIo(host as unknown as NodeJS.Process, hasFlag(args, '--no-color')),
    env: host.env,
    cwd,
    now: systemClock.now,
    signal,
    handleSignals: () => () => {},
    commandLine: [],
  });
  return { exitCode, stdout: streams.stdout.text, stderr: streams.stderr.text };
}

/** A stream that collects the text that is written to it. */
function createSink(): Writable & { text: string } {
  const sink = new Writable({
    write(chunk, _, done) {
      stream.text += chunk;
      done();
    },
  });
  const stream = Object.assign(sink, { text: '' });
  return stream;
}

/** Longer than any test file takes, even on a busy machine. */
const EMULATOR_TIMEOUT_MS = 600_000;

/** Starts an emulator in `cwd` on a free port, and waits for its ready line. */
export async function startEmulator(cwd: string, ...args: string[]) {
  const command = [...svcArgs, 'emulator', 'start', '--port', '0', '--json', ...args];
  const subprocess = runProgram(svcFile, command, { cwd, timeout: EMULATOR_TIMEOUT_MS });
  const failed = subprocess.then(({ stderr }) => {
    throw new Error(`The emulator did not start: ${stderr}`);
  });
  const [line] = await Promise.race([once(createInterface(subprocess.stdout), 'line'), failed]);
  return { ready: JSON.parse(line) as Ready, subprocess };
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
