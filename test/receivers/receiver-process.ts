/** Starts the receivers of `docs/receivers`, each if its interpreter is installed. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const folder = join(import.meta.dirname, '../../docs/receivers');

export interface Language {
  readonly name: string;
  readonly file: string;
  /** A command that succeeds if the receiver can run. */
  readonly needs: readonly [string, ...string[]];
  /** Returns the command that runs the receiver. Build output goes to the folder `scratch`. */
  command(file: string, scratch: string): readonly [string, ...string[]];
  /** Matches the output of the listening program, with the port in its first group. */
  readonly ready: RegExp;
}

/** Matches the output of our own receivers. */
export const ready = /^listening on (\d+)$/m;

export const languages: readonly Language[] = [
  {
    name: 'Node.js',
    file: 'receiver.mjs',
    needs: [process.execPath, '--version'],
    command: (file) => [process.execPath, file],
    ready,
  },
  {
    name: 'Python',
    file: 'receiver.py',
    needs: ['python3', '--version'],
    command: (file) => ['python3', file],
    ready,
  },
  {
    name: 'Go',
    file: 'receiver.go',
    needs: ['go', 'version'],
    command: (file, scratch) => {
      const program = join(scratch, 'receiver');
      execFileSync('go', ['build', '-o', program, file]);
      return [program];
    },
    ready,
  },
  {
    name: 'Ruby',
    file: 'receiver.rb',
    needs: ['ruby', '-e', 'require "webrick"'],
    command: (file) => ['ruby', file],
    ready,
  },
  {
    name: 'PHP',
    file: 'receiver.php',
    needs: ['php', '--version'],
    command: (file) => ['php', '-S', '127.0.0.1:0', file],
    // The web server of PHP ignores PORT and prints its own message.
    ready: /\(http:\/\/127\.0\.0\.1:(\d+)\) started/,
  },
];

/** Whether the receiver of a language can run here. */
export function isPresent({ needs: [command, ...args] }: Language): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface RunningReceiver {
  readonly port: number;
  /** Resolves to all output so far as soon as it matches `pattern`. */
  printed(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

export async function startReceiver(language: Language, secret: string): Promise<RunningReceiver> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-receiver-'));
  const command = language.command(join(folder, language.file), scratch);
  const receiver = await startProgram(command, { secret, scratch, ready: language.ready });
  const stop = async () => {
    await receiver.stop();
    rmSync(scratch, { recursive: true });
  };
  return { ...receiver, stop };
}

interface ProgramOptions extends Pick<Language, 'ready'> {
  readonly secret: string;
  /** Working folder of the receiver. */
  readonly scratch: string;
}

/** Starts a receiver on a free port. */
export async function startProgram(
  [command, ...args]: ReturnType<Language['command']>,
  { secret, scratch, ready }: ProgramOptions,
): Promise<RunningReceiver> {
  const subprocess = execa(command, args, {
    cwd: scratch,
    env: { PORT: '0', SVC_WEBHOOK_SECRET: secret, TMPDIR: scratch },
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 60_000,
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
  return {
    port: Number(ready.exec(await printed(ready))?.[1]),
    printed,
    stop: async () => {
      subprocess.kill();
      await subprocess;
    },
  };
}
