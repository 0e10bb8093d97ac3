/** A whole terminal that a program paints itself, and gives back as it was. */
import { emitKeypressEvents, type Key as ReadlineKey } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { sanitizeForTerminal } from '../terminal-text.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** What comes from the terminal while the screen is open. */
export interface ScreenEvents {
  /** A character as it was typed, or the name of a key: `up`, `pagedown`, `enter`, `escape`, `ctrl-c`. */
  onKey(key: string): void;
  onResize(size: ScreenSize): void;
  /** Takes what would have been a line on standard error, in the middle of the screen. */
  onNote(text: string): void;
}

export interface Screen {
  /** Its size when it was opened. */
  readonly size: ScreenSize;
  /** Shows these lines from the top; none is wider than the screen, and there are as many as it has rows. */
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

/** The part of the process that a screen needs. */
export interface ScreenHost {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly pid: number;
  kill(pid: number, signal: 'SIGTSTP'): void;
  once(event: 'exit' | 'SIGCONT', listener: () => void): unknown;
  off(event: 'exit' | 'SIGCONT', listener: () => void): unknown;
}

/**
 * The alternate screen: lines that are painted again and again would leave torn pieces in the scroll-back of the
 * normal one whenever its size changes. No cursor, and no
 * wrapping, should a character be wider than it was counted.
 */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const ERASE_LINE = '\x1b[2K';

/** Takes the terminal over, until `close`, or until the process ends in whatever way it can still see. */
export function openScreen(host: ScreenHost, events: Omit<ScreenEvents, 'onNote'>): Screen {
  const { stdin, stdout } = host;
  let shown: readonly string[] = [];
  let isOurs = false;

  const enter = () => {
    isOurs = true;
    shown = [];
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(ENTER);
  };
  const leave = () => {
    isOurs = false;
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const resize = () => {
    shown = [];
    events.onResize(sizeOf(stdout));
  };
  const comeBack = () => {
    enter();
    resize();
  };
  const press = (text: string | undefined, key: ReadlineKey) => {
    const name = nameOf(text, key);
    if (name !== 'ctrl-z') return events.onKey(name);
    // In raw mode the terminal leaves it to the program to stop.
    leave();
    host.once('SIGCONT', comeBack);
    host.kill(host.pid, 'SIGTSTP');
  };

  emitKeypressEvents(stdin);
  stdin.on('keypress', press);
  stdout.on('resize', resize);
  host.once('exit', leave);
  enter();
  return {
    size: sizeOf(stdout),
    draw(lines) {
      if (!isOurs) return;
      const changed = lines.map((line, row) =>
        line === shown[row] ? '' : `\x1b[${row + 1};1H${ERASE_LINE}${sanitizeForTerminal(line)}`,
      );
      shown = lines;
      stdout.write(changed.join(''));
    },
    close() {
      stdin.off('keypress', press);
      stdout.off('resize', resize);
      host.off('exit', leave);
      host.off('SIGCONT', comeBack);
      leave();
    },
  };
}

function sizeOf({ columns, rows }: WriteStream): ScreenSize {
  return { columns, rows };
}

function nameOf(text: string | undefined, { name = '', ctrl = false }: ReadlineKey): string {
  if (text !== undefined && /^[ -~]$/.test(text)) return text;
  if (ctrl) return `ctrl-${name}`;
  return name === 'return' ? 'enter' : name;
}
