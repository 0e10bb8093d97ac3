/** What a command gets from its process: the terminal, the environment and the signals. */
import type { Readable, Writable } from 'node:stream';
import type { ErrorCode, Hint } from '../domain/errors.ts';

/** What the destination of a text can show. */
export interface TerminalCapabilities {
  /** Columns of the terminal; infinite when output is not a terminal. */
  readonly width: number;
  readonly color: boolean;
  /** Whether it can show symbols such as ✓. */
  readonly unicode: boolean;
}

/** Standard input, output (data) and error (notes), with the capabilities of both outputs. */
export interface Io extends TerminalCapabilities {
  readonly noteCapabilities: TerminalCapabilities;
  /** Whether prompts are possible. */
  readonly interactive: boolean;
  /** Whether standard input is a terminal. This check does not open it, so that a child process can use it. */
  readonly isStdinTerminal: boolean;
  readonly prompt: { readonly input: Readable; readonly output: Writable };
  /** Writes data: one or more lines to standard output. */
  write(text: string): void;
  /** Writes progress, hints and errors: one or more lines to standard error. */
  note(text: string): void;
  /** Writes one JSON object to standard error, on its own line. */
  noteJson(value: object): void;
  /** Replaces the progress line; an empty text removes it. Null when standard error is not a terminal, or with `--json`. */
  readonly progress: ((line: string) => void) | null;
  /** The streams of a protocol of a program, unchanged: nothing is escaped. */
  readonly protocol: { readonly input: Readable; readonly output: Writable };
  /**
   * Reads standard input to its end.
   * @throws SvcError `usage` if it is larger than the limit; `interrupted`
   */
  readInput(sizeLimit: number, signal: AbortSignal): Promise<Buffer>;
}

export type NoteOutput = Pick<Io, 'note' | 'noteCapabilities'>;

/** The signals with which users and supervisors interrupt a command. */
export const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type SignalHandler = (signal: (typeof interruptSignals)[number]) => void;

/**
 * The option of the process that `svc emulator start --detach` starts: it logs attempts after its ready line, and sends its notes,
 * its error and {@link StartMessage} `ready` to the process that started it.
 */
export const DETACHED = '--detached';

/** What that process sends. */
export type StartMessage =
  | { readonly note: { readonly message: string } }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: Hint } }
  | { readonly ready: true };

/** What a command gets from the process. Tests provide their own. */
export interface ProcessContext {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
  /** Aborted by the first interruption signal, unless `handleSignals` handles it. */
  readonly signal: AbortSignal;
  /** Passes interruption signals to `handler` until the returned function is called. */
  readonly handleSignals: (handler: SignalHandler) => () => void;
  /** The words of the command line, program first, to start the same command again. */
  readonly commandLine: readonly string[];
  /** Tells the process that started this one with {@link DETACHED} that the emulator is ready. */
  readonly reportReady?: () => void;
}
