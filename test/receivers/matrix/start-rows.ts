/** Starts the receivers of the matrix: several rows in one process where the language allows it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../support/local-server.ts';
import { frameworkLanguages, type Language, type Row } from './rows.ts';

export interface StartedRow {
  readonly row: Row;
  readonly url: string;
}

interface StartOptions {
  readonly secret: string;
  readonly scratch: string;
  /** The folder with the packages of Node.js. */
  readonly packages: string;
}

interface WrittenRow {
  readonly row: Row;
  readonly folder: string;
  readonly port: number;
}

const programs = join(import.meta.dirname, 'programs');
const START_LIMIT_MS = 120_000;

const programFiles: Readonly<Record<Language, readonly [extension: string, shared: string | null]>> = {
  node: ['mjs', 'verify.mjs'],
  next: ['mjs', 'verify.mjs'],
  python: ['py', 'verify.py'],
  ruby: ['rb', null],
  php: ['php', null],
  go: ['go', null],
};

/** A Python with a module: the packages of Debian belong to its own. */
export function findPython(module: string): string | null {
  const needed: Readonly<Record<string, string>> = { fastapi: 'uvicorn', flask: 'flask_wtf' };
  const modules = [module, ...(needed[module] === undefined ? [] : [needed[module]])].join(', ');
  const hasModules = (python: string) =>
    spawnSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' }).status === 0;
  return ['/usr/bin/python3', 'python3'].find(hasModules) ?? null;
}

/** Starts rows of one framework. @returns the rows, with a function that ends their processes */
export async function startRows(
  rows: readonly Row[],
  options: StartOptions,
): Promise<AsyncDisposable & { readonly started: readonly StartedRow[] }> {
  const [first] = rows;
  if (first === undefined) throw new Error('There is no row to start.');
  const { framework } = first;
  const language = frameworkLanguages[framework];
  const written: WrittenRow[] = [];
  // Next.js accepts no packages outside its project. All its routes belong to one server.
  const root =
    language === 'next' ? dirname(options.packages) : join(options.scratch, framework.replace(' ', '-'));
  const nextPort = await findFreePort();
  for (const [index, row] of rows.entries()) {
    const folder = language === 'next' ? join(root, `app/row-${index}`) : join(root, `row-${index}`);
    writeRow(row, folder, language);
    written.push({ row, folder, port: language === 'next' ? nextPort : await findFreePort() });
  }
  const link = join(root, 'node_modules');
  // It exists if the receivers are started again.
  if (language === 'node' && !existsSync(link)) symlinkSync(options.packages, link);
  const processes = startProcesses(language, root, written, { ...options, module: framework });
  const end = async () => {
    for (const { subprocess } of processes) {
      if (subprocess.pid === undefined || subprocess.exitCode !== null) continue;
      process.kill(-subprocess.pid, 'SIGKILL');
      await once(subprocess, 'exit');
    }
  };
  try {
    await Promise.all(written.map(({ port }) => waitForPort(port, processes)));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    started: written.map(({ row, port }, index) => ({
      row,
      url: `http://127.0.0.1:${port}${language === 'next' ? `/row-${index}` : '/webhooks'}`,
    })),
    [Symbol.asyncDispose]: end,
  };
}

function writeRow(row: Row, folder: string, language: Language): void {
  mkdirSync(folder, { recursive: true });
  const [extension, shared] = programFiles[language];
  const name = `${row.framework.split(' ')[0]}.${extension}`;
  const names = { [name]: language === 'next' ? 'route.js' : `receiver.${extension}` };
  if (shared !== null) names[shared] = shared;
  const unused = new Set(row.patch);
  for (const [source, target] of Object.entries(names)) {
    let text = readFileSync(join(programs, source), 'utf8');
    for (const replacement of row.patch) {
      if (!unused.has(replacement) || !text.includes(replacement[0])) continue;
      text = text.replaceAll(replacement[0], () => replacement[1]);
      unused.delete(replacement);
    }
    writeFileSync(join(folder, target), text);
  }
  for (const [text] of unused)
    throw new Error(`The program of ${row.framework} does not contain: ${text} (${row.mistake})`);
}

/** Starts the processes of the rows. Node.js and Python start several receivers in one process. */
function startProcesses(
  language: Language,
  root: string,
  rows: readonly WrittenRow[],
  { secret, module }: StartOptions & { readonly module: string },
): readonly Running[] {
  const env = { SVC_WEBHOOK_SECRET: secret };
  const files = (extension: string) =>
    rows.flatMap(({ folder, port }) => [String(port), join(folder, `receiver.${extension}`)]);
  const each = (toCommand: (port: number) => readonly [string, ...string[]]) =>
    rows.map(({ folder, port }) => {
      const [command, ...args] = toCommand(port);
      return run(command, args, folder, { ...env, PORT: String(port) });
    });
  switch (language) {
    case 'node':
      return [run(process.execPath, [join(import.meta.dirname, 'serve.mjs'), ...files('mjs')], root, env)];
    case 'python':
      return [
        run(
          findPython(module) ?? 'python3',
          [join(import.meta.dirname, 'serve.py'), module, ...files('py')],
          root,
          env,
        ),
      ];
    case 'next':
      return [
        run(join(root, 'node_modules/.bin/next'), ['dev', '--port', String(rows[0]?.port)], root, {
          ...env,
          NEXT_TELEMETRY_DISABLED: '1',
        }),
      ];
    case 'ruby':
      return each(() => ['ruby', 'receiver.rb']);
    case 'php':
      return each((port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php']);
    case 'go':
      return each(() => ['go', 'run', 'receiver.go']);
  }
}

interface Running {
  readonly subprocess: ChildProcess;
  output(): string;
}

function run(command: string, args: readonly string[], cwd: string, env: Record<string, string>): Running {
  // Detached: a group of its own, which also has the copies of a Python process and the program of `go run`.
  const options = { cwd, env: { ...process.env, ...env }, detached: true } as const;
  const subprocess = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [subprocess.stdout, subprocess.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  return { subprocess, output: () => output };
}

async function waitForPort(port: number, processes: readonly Running[]): Promise<void> {
  const endsAt = Date.now() + START_LIMIT_MS;
  while (!(await canConnect(port))) {
    const ended = processes.find(({ subprocess }) => subprocess.exitCode !== null);
    if (ended !== undefined || Date.now() > endsAt)
      throw new Error(`A receiver did not start. Output:\n${(ended ?? processes[0])?.output()}`);
    await sleep(50);
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy() && resolve(true)).once('error', () => resolve(false));
  });
}
