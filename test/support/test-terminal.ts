/** A terminal for tests: runs a program in tmux and reads its screen. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

export interface TerminalOptions {
  /** Default 100. */
  readonly columns?: number;
  /** Default 30. */
  readonly rows?: number;
  readonly cwd: string;
  /** The environment of the program without `TERM`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface TestTerminal extends AsyncDisposable {
  /** Presses keys by their tmux names: `q`, `Down`, `Enter`, `Escape`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types text key by key. */
  type(text: string): Promise<void>;
  /** The visible text without trailing spaces and trailing empty lines. */
  screen(): Promise<string>;
  /** Waits until the screen matches and returns it. Rejects with the screen after `timeoutMs` (default: 30 000). */
  waitFor(expected: RegExp, timeoutMs?: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * Whether tmux is installed. A missing tmux is an error if `CI` is set, otherwise a warning, and the tests that need it are
 * skipped. Windows has no tmux.
 */
export const hasTerminals = findTmux();

const POLL_EVERY_MS = 40;
const run = promisify(execFile);

/** Starts a command in its own terminal. */
export async function startTerminal(
  command: readonly string[],
  { columns = 100, rows = 30, cwd, env }: TerminalOptions,
): Promise<TestTerminal> {
  // Its own server: no settings of the user's tmux, and only this environment.
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

  // The server may already have ended with its last program.
  const close = () => tmux('kill-server').then(noop, noop);
  return {
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-l', '--', text)),
    screen,
    async waitFor(expected, timeoutMs = 30_000) {
      const endAt = performance.now() + timeoutMs;
      for (;;) {
        const text = await screen();
        if (expected.test(text)) return text;
        if (performance.now() > endAt)
          throw new Error(`${expected} did not appear within ${timeoutMs} ms. The screen shows:\n${text}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
      }
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
