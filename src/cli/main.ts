/** The process: its streams, signals and exit code. Only this module calls `process.exit`. */
import { setMaxListeners } from 'node:events';
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { ExitCode, SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { getProgramCommand } from '../platform/package-files.ts';
import { systemClock } from '../platform/wall-clock.ts';
import { createProcessIo } from './io.ts';
import {
  DETACHED,
  type Io,
  interruptSignals,
  type SignalHandler,
  type StartMessage,
} from './process-context.ts';
import { hasFlag, runCommandLine } from './program.ts';
import { reportError } from './report-error.ts';

const args = process.argv.slice(2);
const interruption = new AbortController();
// Every request in progress listens to it.
setMaxListeners(0, interruption.signal);

/** The first signal starts an orderly shutdown; the second one exits immediately. */
const interrupt: SignalHandler = () => {
  if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
  interruption.abort();
};
let onSignal = interrupt;
for (const signal of interruptSignals) process.on(signal, () => onSignal(signal));

/** The standard descriptors that are terminals. */
const terminals = [0, 1, 2].filter(isatty);
// At exit, Node.js 20 restores the terminal, and aborts if it was closed meanwhile. It skips closed descriptors.
process.on('exit', () => {
  for (const descriptor of terminals) if (!isatty(descriptor)) closeSync(descriptor);
});

let isTerminalClosed = false;
/**
 * Handles a terminal that was closed like SIGHUP, because the system sends that signal only to the first process of the
 * terminal, usually the shell.
 */
function handleClosedTerminal(descriptor: 1 | 2, error: NodeJS.ErrnoException): boolean {
  if (!terminals.includes(descriptor) || error.code !== 'EIO') return false;
  if (!isTerminalClosed) onSignal('SIGHUP');
  isTerminalClosed = true;
  return true;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of a pipe has closed it: `svc deliveries list | head -1`.
  if (error.code === 'EPIPE') process.exit(ExitCode.success);
  if (handleClosedTerminal(1, error)) return;
  const message = `Standard output cannot be written: ${describeFileError(error)}.`;
  process.exit(reportError(new SvcError('output_failed', message, { cause: error }), io, json));
});
// A standard error that cannot be written does not change the result.
process.stderr.on('error', (error: NodeJS.ErrnoException) => void handleClosedTerminal(2, error));

const isDetached = hasFlag(args, DETACHED);
function sendToParent(message: StartMessage): void {
  // The callback ignores that the parent has ended.
  if (isDetached && process.connected) process.send?.(message, undefined, undefined, () => {});
}

const processIo = createProcessIo(process, hasFlag(args, '--no-color'));
const io: Io = Object.create(processIo, {
  noteJson: {
    value(message: StartMessage) {
      processIo.noteJson(message);
      sendToParent(message);
    },
  },
});
const json = hasFlag(args, '--json');

if (json) {
  // By default, Node.js prints its warnings as text.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => io.noteJson({ note: { message: `${name}: ${message}` } }));
}

// Stays if the event loop ends before the command does.
process.exitCode = ExitCode.internal;
// Not with `await`: this module is built as CommonJS.
void runCommandLine(args, {
  io,
  env: process.env,
  cwd: process.cwd(),
  now: systemClock.now,
  signal: interruption.signal,
  handleSignals(handler) {
    onSignal = handler;
    return () => {
      onSignal = interrupt;
    };
  },
  commandLine: [...getProgramCommand(), ...args],
  reportReady() {
    sendToParent({ ready: true });
    process.disconnect?.();
  },
}).then((exitCode) => {
  process.exitCode = exitCode;
});
