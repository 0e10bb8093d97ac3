/** Starts receivers: those of `svc receiver example`, each if its interpreter is installed, and other programs. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';
import { type ReceiverExample, readReceiverExample } from '../../src/fixtures/receiver-examples.ts';
import { driverFolder } from '../support/sqlite.ts';

type Command = readonly [string, ...string[]];

/** A row of `runtimes.yaml`. */
interface Runtime {
  /** A command that succeeds if the receiver can run (default: Node.js imports `packages`). */
  readonly needs?: Command;
  readonly packages?: readonly string[];
  /** Builds a receiver in its folder. */
  readonly build?: Command;
  /** For `needs` and `build`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The processes of the receiver; the last one is the web server. */
  readonly run: readonly Command[];
  /** Matches the output of the listening program, with the port in its first group. */
  readonly ready?: string;
}

/** Matches the output of our own receivers. In Python, the output of another thread can come in the same line. */
export const ready = /listening on (\d+)\D/;

/** Serve the handlers of the frameworks that need a build. */
const servers = ['route-server.mjs', 'worker-server.mjs', 'lambda-server.mjs'];
const commandResults = new Map<string, boolean>();
/** The Python with FastAPI: the packages of Debian belong to its own Python. */
const fastapiPython =
  ['python3', '/usr/bin/python3'].find((python) => canRun([python, '-c', 'import fastapi, uvicorn'])) ??
  'python3';

const runtimes: Readonly<Record<string, Runtime>> = parse(
  readFileSync(join(import.meta.dirname, 'runtimes.yaml'), 'utf8')
    .replaceAll('{node}', process.execPath)
    .replaceAll('{fastapi_python}', fastapiPython),
);

/** Whether a command succeeds. Each command runs once. */
function canRun(command: Command, env: Runtime['env'] = {}): boolean {
  const key = command.join(' ');
  const known = commandResults.get(key);
  if (known !== undefined) return known;
  const options = { stdio: 'ignore', cwd: import.meta.dirname, env: { ...process.env, ...env } } as const;
  const succeeds = spawnSync(command[0], command.slice(1), options).status === 0;
  commandResults.set(key, succeeds);
  return succeeds;
}

function runtimeOf(framework: string): Runtime {
  const runtime = runtimes[framework];
  if (runtime === undefined) throw new Error(`The ${framework} receiver has no runtime.`);
  return runtime;
}

/** Whether the receiver can run here. Prints a warning if not. */
export function isPresent(framework: string): boolean {
  const { packages = [], env, ...runtime } = runtimeOf(framework);
  const imports = `for (const name of ${JSON.stringify(packages)}) await import(name);`;
  const needs: Command = runtime.needs ?? [process.execPath, '--input-type=module', '-e', imports];
  if (canRun(needs, env)) return true;
  process.stderr.write(`SKIPPED: the ${framework} receiver; \`${needs.join(' ')}\` fails.\n`);
  return false;
}

/**
 * Writes the files of `svc receiver example`, with what they need to run.
 * @param scratch an empty folder
 * @param getContent the content of a file (default: that of the example)
 * @returns the folder of the receiver in `scratch`
 */
export async function writeReceiver(
  framework: string,
  scratch: string,
  getContent = ({ content }: ReceiverExample['files'][number]) => content,
): Promise<string> {
  const folder = join(scratch, framework);
  const { files } = readReceiverExample(framework);
  for (const file of files) {
    mkdirSync(join(folder, dirname(file.path)), { recursive: true });
    writeFileSync(join(folder, file.path), getContent(file));
  }
  const dependencies = { 'better-sqlite3': '*' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  linkPackages(scratch, folder, ['bun', 'deno'].includes(framework));
  for (const server of servers) copyFileSync(join(import.meta.dirname, server), join(folder, server));
  if (framework === 'nest') await compile(folder);
  const { build = [], env = {} } = runtimeOf(framework);
  const [command, ...args] = build;
  // Asynchronous, so that other tests continue during the build.
  if (command !== undefined) await execa(command, args, { cwd: folder, env });
  return folder;
}

/** Links the packages of this project, and in a closer folder, which takes precedence, the SQLite driver for this Node.js or for Node-API. */
function linkPackages(scratch: string, folder: string, isNodeApi: boolean): void {
  const own = join(import.meta.dirname, '../../node_modules');
  symlinkSync(own, join(scratch, 'node_modules'));
  const driver = isNodeApi ? join(own, 'better-sqlite3-13') : driverFolder;
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(driver, join(folder, 'node_modules/better-sqlite3'));
}

/** Compiles the decorators, as tsx does. */
async function compile(folder: string): Promise<void> {
  const bundle = await rolldown({
    ...{
      cwd: folder,
      input: './receiver.mts',
      platform: 'node',
      external: /^(?!@oxc-project)[^\0./]|deliveries/,
    },
  });
  await bundle.write({ file: join(folder, 'receiver.js'), format: 'esm' });
}

export interface RunningReceiver {
  readonly port: number;
  /** Resolves to all output so far as soon as it matches `pattern`. */
  printed(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
  /** Like `kill -9`: the receiver cannot finish anything. */
  kill(): Promise<void>;
}

export interface RunningExample extends RunningReceiver {
  /** The URL for deliveries. */
  readonly url: string;
  /** The URL that returns the side effects, for `--observe`. */
  readonly sideEffectsUrl: string;
  /** Returns the IDs of the events that had a side effect. */
  readSideEffects(): Promise<readonly string[]>;
}

interface ExampleOptions extends Pick<ProgramOptions, 'secret' | 'port' | 'maxLifetimeMs'> {
  /** The folder that {@link writeReceiver} returns. */
  readonly folder: string;
}

/** Starts the receiver. */
export async function startReceiver(
  framework: string,
  { folder, port = 0, ...options }: ExampleOptions,
): Promise<RunningExample> {
  const runtime = runtimeOf(framework);
  const pattern = runtime.ready === undefined ? ready : new RegExp(runtime.ready);
  const processes: RunningReceiver[] = [];
  for (const [command, ...args] of runtime.run) {
    const isServer = processes.length === runtime.run.length - 1;
    const withPort = args.map((arg) => arg.replace('{port}', String(port))) as string[];
    processes.push(
      await startProgram([command, ...withPort], {
        ...{ ...options, scratch: folder, port },
        ready: isServer ? pattern : /^/,
      }),
    );
  }
  const server = processes.at(-1);
  if (server === undefined) throw new Error(`The ${framework} receiver has no process.`);
  const origin = `http://127.0.0.1:${server.port}`;
  const isRoute = ['next', 'next-pages', 'sveltekit'].includes(framework);
  const sideEffectsUrl = isRoute ? `${origin}/webhooks` : `${origin}/side-effects`;
  return {
    ...server,
    url: `${origin}/webhooks`,
    sideEffectsUrl,
    readSideEffects: async () => ((await (await fetch(sideEffectsUrl)).json()) as { ids: string[] }).ids,
    stop: async () => void (await Promise.all(processes.map(({ stop }) => stop()))),
    kill: async () => void (await Promise.all(processes.map(({ kill }) => kill()))),
  };
}

interface ProgramOptions {
  /** Matches the output of the program when it listens, with the port in its first group. */
  readonly ready: RegExp;
  readonly secret: string;
  /** Working folder of the receiver. */
  readonly scratch: string;
  /** Default: a free port. */
  readonly port?: number;
  /** After this time, the process is terminated (default: five minutes). */
  readonly maxLifetimeMs?: number;
}

/** Starts a receiver. */
export async function startProgram(
  [command, ...args]: Command,
  { secret, scratch, ready, port = 0, maxLifetimeMs = 300_000 }: ProgramOptions,
): Promise<RunningReceiver> {
  const subprocess = execa(command, args, {
    cwd: scratch,
    env: { PORT: String(port), SVC_WEBHOOK_SECRET: secret },
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: maxLifetimeMs,
  });
  const output = subprocess.all.setEncoding('utf8');
  let text = '';
  output.on('data', (chunk: string) => {
    text += chunk;
  });
  const exitError = subprocess.then(() => {
    throw new Error(`The receiver exited. Its output:\n${text}`);
  });
  exitError.catch(() => undefined); // It may exit while no test waits for output.
  const printed = async (pattern: RegExp) => {
    while (!pattern.test(text)) await Promise.race([once(output, 'data'), exitError]);
    return text;
  };
  const end = async (signal: NodeJS.Signals) => {
    subprocess.kill(signal);
    await subprocess;
  };
  return {
    port: Number(ready.exec(await printed(ready))?.[1]),
    printed,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
