/**
 * The only user of standard input, output and error. All text goes through {@link sanitizeForTerminal}: no data can command a
 * terminal, nor hide in what it shows.
 */
import type { Readable, Writable } from 'node:stream';
import { isatty, type WriteStream } from 'node:tty';
import { openScreen, type Screen, type ScreenEvents } from './live/screen.ts';
import { supportsLinks, supportsUnicode, wantsColor } from './terminal-capabilities.ts';
import { sanitizeForTerminal, stripStyles } from './terminal-text.ts';

const STANDARD_INPUT = 0;

/** How text may look where it is going. */
export interface TerminalCapabilities {
  /** Columns of the terminal; without end where output is not a terminal. */
  readonly width: number;
  readonly color: boolean;
  /** Whether symbols such as ✓ can be shown. */
  readonly unicode: boolean;
  /** Whether words can be links. */
  readonly links: boolean;
}

/** The look of data, and apart from it, that of notes. */
export interface Io extends TerminalCapabilities {
  readonly noteCapabilities: TerminalCapabilities;
  /** Whether somebody sits in front of it who could answer a question. */
  readonly interactive: boolean;
  /** Whether standard input is a terminal; it is not opened for that, so that it can be left to another program. */
  readonly isStdinTerminal: boolean;
  /** Where questions are asked: never in the way of data. */
  readonly prompt: { readonly input: Readable; readonly output: Writable };
  /** Data: one or more lines to standard output. */
  write(text: string): void;
  /** Progress, hints and errors: one or more lines to standard error. */
  note(text: string): void;
  /** One JSON object to standard error, on a line of its own. */
  noteJson(value: object): void;
  /** Replaces the line of progress; an empty one takes it away. Null where standard error is no terminal. */
  readonly progress: ((line: string) => void) | null;
  /** Takes the whole terminal over, notes included. Null where input or output is none. */
  readonly openScreen: ((events: ScreenEvents) => Screen) | null;
  /** Lines of the terminal; without end where output is not a terminal. */
  readonly height: number;
  /**
   * Shows text in a pager, a command line for a shell, until the person leaves it.
   * @returns false where the pager does not start. Null where input or output is no terminal.
   */
  readonly openPager: ((text: string, pager: string) => Promise<boolean>) | null;
  /** Standard input, read to its end. */
  readInput(): Promise<Buffer>;
}

/** What notes need: where they go, and what they may look like there. */
export type NoteOutput = Pick<Io, 'note' | 'noteCapabilities'>;

/**
 * The streams of `host`. Its standard input is looked at when it is needed: opening it takes time. `noColor` is the
 * flag of that name; `FORCE_COLOR` and `NO_COLOR` come after it.
 */
export function createProcessIo(host: NodeJS.Process, noColor: boolean): Io {
  const { stdout, stderr } = host;
  let note = (text: string): void => void stderr.write(sanitizeForTerminal(withLineEnd(text)));

  function takeTerminal(events: ScreenEvents): Screen {
    const toStandardError = note;
    const screen = openScreen(host, events);
    note = events.onNote;
    const close = () => {
      note = toStandardError;
      screen.close();
    };
    return { ...screen, close };
  }

  return {
    get width() {
      return widthOf(stdout);
    },
    ...detectCapabilities(stdout, host.env, noColor),
    noteCapabilities: {
      get width() {
        return widthOf(stderr);
      },
      ...detectCapabilities(stderr, host.env, noColor),
    },
    get interactive() {
      return stderr.isTTY === true && host.stdin.isTTY === true;
    },
    get isStdinTerminal() {
      return isatty(STANDARD_INPUT);
    },
    get prompt() {
      return { input: host.stdin, output: stderr };
    },
    // Nothing comes back that a command could take for its exit code.
    write: (text) => void stdout.write(sanitizeForTerminal(withLineEnd(text))),
    note: (text) => note(text),
    noteJson: (value) => note(JSON.stringify(value)),
    // To the start of the line, the text, and nothing of the line before.
    progress: stderr.isTTY
      ? (line) => stderr.write(`\r${stripStyles(line).slice(0, stderr.columns - 1)}\x1b[K`)
      : null,
    get openScreen() {
      const canPaint = stdout.isTTY === true && host.env.TERM !== 'dumb' && host.stdin.isTTY === true;
      return canPaint ? takeTerminal : null;
    },
    get height() {
      return stdout.isTTY ? stdout.rows : Number.POSITIVE_INFINITY;
    },
    get openPager() {
      const canPage = stdout.isTTY === true && host.stdin.isTTY === true && host.env.TERM !== 'dumb';
      return canPage
        ? (text: string, pager: string) => runPager(sanitizeForTerminal(withLineEnd(text)), pager, host.env)
        : null;
    },
    async readInput() {
      const chunks: Buffer[] = [];
      for await (const chunk of host.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
  };
}

/** Exit codes of a shell for a command that it does not find, or may not run. */
const NOT_STARTED_EXIT_CODES = [126, 127];

async function runPager(text: string, pager: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { startTerminalProgram } = await import('./terminal-program.ts');
  // As git and gh set them: colors are shown, and the text stays on the screen.
  const child = await startTerminalProgram(pager, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  });
  // The user can quit the pager before it has read everything.
  child.stdin?.on('error', () => {});
  child.stdin?.end(text);
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(!NOT_STARTED_EXIT_CODES.includes(code ?? 0)));
  });
}

function widthOf(stream: WriteStream): number {
  return stream.isTTY ? stream.columns : Number.POSITIVE_INFINITY;
}

function detectCapabilities(
  { isTTY = false }: Partial<WriteStream>,
  env: NodeJS.ProcessEnv,
  noColor: boolean,
): Omit<TerminalCapabilities, 'width'> {
  const color = !noColor && wantsColor(env, isTTY);
  return { color, unicode: supportsUnicode(env), links: color && isTTY && supportsLinks(env) };
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
