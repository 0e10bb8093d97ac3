/** A terminal for tests: a program runs in tmux as a person would run it, and its screen can be read. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

export interface TerminalOptions {
  /** Default 100. */
  readonly columns?: number;
  /** Default 30. */
  readonly rows?: number;
  readonly cwd: string;
  /** The whole environment of the program, but for `TERM`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface TestTerminal extends AsyncDisposable {
  /** Keys by the names that tmux gives them: `q`, `Down`, `Enter`, `Escape`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** The text as it is, key by key. */
  type(text: string): Promise<void>;
  /** What is to be seen, without the blanks at the end of lines and the empty lines at the end. */
  screen(): Promise<string>;
  /** Waits until the screen matches, and gives it back; rejects with what is to be seen after `timeoutMs`, by default 10 000. */
  waitFor(wanted: RegExp | ((screen: string) => boolean), timeoutMs?: number): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Waits for the end of the program. @returns its exit code. */
  waitForExit(timeoutMs?: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Whether terminals can be had. Where tests must not be left out (`CI` is set) a missing tmux is an error; elsewhere
 * it is a warning, and the tests that need one are to be skipped. Windows has no tmux.
 */
export const hasTerminals = findTmux();

const LOOK_EVERY_MS = 40;
const run = promisify(execFile);

/** Starts `command`, program first, in a terminal of its own. */
export async function startTerminal(
  command: readonly string[],
  { columns = 100, rows = 30, cwd, env }: TerminalOptions,
): Promise<TestTerminal> {
  // A server of its own: nothing of the person's tmux, and an environment that is given here alone.
  const server = `svc-test-${randomUUID()}`;
  const tmux = async (...args: readonly string[]) => {
    const { stdout } = await run('tmux', ['-u', '-L', server, '-f', '/dev/null', ...args], {
      env: { ...env, TERM: 'xterm-256color' },
    });
    return stdout;
  };
  const settings = ['set -g status off', 'set -g remain-on-exit on', 'set -s escape-time 0'];
  await tmux(
    'start-server',
    ...settings.flatMap((setting) => [';', ...setting.split(' ')]),
    ...[';', 'new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, '--', ...command],
  );

  const screen = async () => {
    const text = await tmux('capture-pane', '-p');
    return text.replace(/[ \t]+$/gm, '').trimEnd();
  };

  async function lookUntil<Seen>(
    look: () => Promise<Seen>,
    isWanted: (seen: Seen) => boolean,
    timeoutMs: number,
    wanted: string,
  ): Promise<Seen> {
    const endAt = performance.now() + timeoutMs;
    for (;;) {
      const seen = await look();
      if (isWanted(seen)) return seen;
      if (performance.now() > endAt) {
        throw new Error(`${wanted} was not to be seen within ${timeoutMs} ms, but:\n${await screen()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  // Nothing is left to be ended where the server has gone with its last program.
  const close = () => tmux('kill-server').then(noop, noop);
  return {
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-l', '--', text)),
    screen,
    waitFor: (wanted, timeoutMs = 10_000) =>
      lookUntil(
        screen,
        typeof wanted === 'function' ? wanted : (text) => wanted.test(text),
        timeoutMs,
        typeof wanted === 'function' ? 'What was waited for' : String(wanted),
      ),
    resize: async (width, height) =>
      void (await tmux('resize-window', '-x', String(width), '-y', String(height))),
    async waitForExit(timeoutMs = 10_000) {
      const look = () => tmux('display-message', '-p', '#{pane_dead} #{pane_dead_status}');
      const seen = await lookUntil(look, (text) => text.startsWith('1'), timeoutMs, 'The end of the program');
      return Number(seen.split(' ')[1]);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function noop(): void {}

function findTmux(): boolean {
  if (process.platform === 'win32') return false;
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch (error) {
    if (process.env.CI) throw new Error('The tests of what a terminal shows need tmux.', { cause: error });
    process.emitWarning('tmux is missing: the tests of what a terminal shows are skipped.');
    return false;
  }
}
