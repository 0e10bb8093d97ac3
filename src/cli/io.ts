/**
 * Creates the streams of commands from those of the process. All text goes through {@link sanitizeForTerminal}, so that
 * no data can control the terminal or be invisible.
 */
import { addAbortSignal } from 'node:stream';
import { isatty, type WriteStream } from 'node:tty';
import { SvcError } from '../domain/errors.ts';
import { describeTooLarge } from '../platform/read-limited-file.ts';
import type { Io, TerminalCapabilities } from './process-context.ts';
import { sanitizeForTerminal, stripStyles } from './terminal-text.ts';

const STANDARD_INPUT = 0;

/**
 * Opens standard input only when it is needed, because that takes time.
 * @param noColor the option `--no-color`, which takes precedence over `FORCE_COLOR` and `NO_COLOR`
 */
export function createProcessIo(nodeProcess: NodeJS.Process, noColor: boolean): Io {
  const { stdout, stderr, env } = nodeProcess;
  const note = (text: string): void => void stderr.write(sanitizeForTerminal(withLineEnd(text)));

  return {
    get width() {
      return widthOf(stdout);
    },
    ...detectCapabilities(stdout, env, noColor),
    noteCapabilities: {
      get width() {
        return widthOf(stderr);
      },
      ...detectCapabilities(stderr, env, noColor),
    },
    get interactive() {
      return stderr.isTTY === true && nodeProcess.stdin.isTTY === true;
    },
    get isStdinTerminal() {
      return isatty(STANDARD_INPUT);
    },
    get prompt() {
      return { input: nodeProcess.stdin, output: stderr };
    },
    // `void`: a command must not take the result for its exit code.
    write: (text) => void stdout.write(sanitizeForTerminal(withLineEnd(text))),
    note,
    noteJson: (value) => note(JSON.stringify(value)),
    // Return to the start of the line, and erase the rest of it. The last column stays free, because terminals can wrap there.
    progress: stderr.isTTY
      ? (line) => stderr.write(`\r${stripStyles(line).slice(0, stderr.columns - 1)}\x1b[K`)
      : null,
    get protocol() {
      return { input: nodeProcess.stdin, output: stdout };
    },
    async readInput(sizeLimit, signal) {
      const chunks: Buffer[] = [];
      let size = 0;
      try {
        for await (const chunk of addAbortSignal(signal, nodeProcess.stdin)) {
          chunks.push(chunk as Buffer);
          size += (chunk as Buffer).length;
          if (size > sizeLimit)
            throw new SvcError('usage', `Standard input cannot be read: ${describeTooLarge(sizeLimit)}.`);
        }
      } catch (error) {
        throw signal.aborted ? new SvcError('interrupted', 'Interrupted.', { cause: error }) : error;
      }
      if (size === 0) {
        throw new SvcError('usage', 'Standard input is empty.', {
          hint: 'Pipe the content to the command, or redirect a file to it.',
        });
      }
      return Buffer.concat(chunks);
    },
  };
}

/**
 * The streams for `--json`: standard error gets one JSON object per line, which is `{"note":{"message"}}` for a note.
 * Prompts are not possible, because a question is not JSON.
 */
export function toJsonIo(io: Io): Io {
  return Object.create(io, {
    note: { value: (text: string) => io.noteJson({ note: { message: text.trimEnd() } }) },
    noteCapabilities: { value: { ...io.noteCapabilities, color: false } },
    interactive: { value: false },
    progress: { value: null },
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
  return { color: !noColor && wantsColor(env, isTTY), unicode: supportsUnicode(env) };
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `FORCE_COLOR` takes precedence over `NO_COLOR`, and both over the kind of the stream, as in Node.js. */
export function wantsColor(env: Environment, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return isTerminal && env.TERM !== 'dumb';
}

/** A locale with an encoding other than UTF-8, or without one (`C`, `POSIX`), cannot show symbols. */
export function supportsUnicode(env: Environment): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return !locale || /utf-?8/i.test(locale);
}
