/** Full-screen output in a terminal, which is restored afterwards. */
import { emitKeypressEvents, type Key as ReadlineKey } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { sanitizeForTerminal } from '../terminal-text.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Events of the terminal while the screen is open. */
export interface ScreenEvents {
  /** A typed ASCII character, or the name of a key: `up`, `pagedown`, `enter`, `escape`, `ctrl-c`; empty for any other character. */
  onKey(key: string): void;
  onResize(size: ScreenSize): void;
  /** Text for standard error, which would otherwise be printed into the screen. `io.note` calls it. */
  onNote(text: string): void;
}

export interface Screen {
  /** The size when it was opened. */
  readonly size: ScreenSize;
  /** Draws these lines from the top. They must fit the screen. */
  draw(lines: readonly string[]): void;
  /** Restores the terminal. */
  close(): void;
}

/** What a screen uses of `process`. */
export interface ScreenProcess {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly pid: number;
  kill(pid: number, signal: 'SIGTSTP'): void;
  once(event: 'exit' | 'SIGCONT', listener: () => void): unknown;
  off(event: 'exit' | 'SIGCONT', listener: () => void): unknown;
}

/**
 * The alternate screen, because redrawn lines leave fragments in the scrollback of the normal screen when its size
 * changes. Without a cursor, and without wrapping, in case a character is wider than measured.
 */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const ERASE_LINE = '\x1b[2K';

/** Takes over the terminal until `close`, or until the process exits. */
export function openScreen(ownProcess: ScreenProcess, events: Omit<ScreenEvents, 'onNote'>): Screen {
  const { stdin, stdout } = ownProcess;
  let drawnLines: readonly string[] = [];
  let isActive = false;

  const enter = () => {
    isActive = true;
    drawnLines = [];
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(ENTER);
  };
  const leave = () => {
    isActive = false;
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const resize = () => {
    drawnLines = [];
    events.onResize(toScreenSize(stdout));
  };
  const resume = () => {
    enter();
    resize();
  };
  const handleKeypress = (text: string | undefined, key: ReadlineKey) => {
    const name = toKeyName(text, key);
    if (name !== 'ctrl-z') return events.onKey(name);
    // In raw mode, the program must stop itself.
    leave();
    ownProcess.once('SIGCONT', resume);
    ownProcess.kill(ownProcess.pid, 'SIGTSTP');
  };

  emitKeypressEvents(stdin);
  stdin.on('keypress', handleKeypress);
  stdout.on('resize', resize);
  ownProcess.once('exit', leave);
  enter();
  return {
    size: toScreenSize(stdout),
    draw(lines) {
      if (!isActive) return;
      const changed = lines.map((line, row) =>
        line === drawnLines[row] ? '' : `\x1b[${row + 1};1H${ERASE_LINE}${sanitizeForTerminal(line)}`,
      );
      drawnLines = lines;
      stdout.write(changed.join(''));
    },
    close() {
      stdin.off('keypress', handleKeypress);
      stdout.off('resize', resize);
      ownProcess.off('exit', leave);
      ownProcess.off('SIGCONT', resume);
      leave();
    },
  };
}

function toScreenSize({ columns, rows }: WriteStream): ScreenSize {
  return { columns, rows };
}

function toKeyName(text: string | undefined, { name = '', ctrl = false }: ReadlineKey): string {
  const isPrintableAscii = text !== undefined && /^[ -~]$/.test(text);
  if (isPrintableAscii) return text;
  if (ctrl) return `ctrl-${name}`;
  // Node.js gives an unknown escape sequence this name.
  if (name === 'undefined') return '';
  return name === 'return' ? 'enter' : name;
}
