/** The process: its streams, its signals and its exit code. Nothing else in the project ends it. */
import { setMaxListeners } from 'node:events';
import { systemClock } from '../clock/wall.ts';
import { ExitCode } from '../errors.ts';
import { createProcessIo } from './io.ts';
import { runCommandLine } from './program.ts';

const args = process.argv.slice(2);
const interruption = new AbortController();
// Every request under way listens to it.
setMaxListeners(0, interruption.signal);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The first asks for an orderly end, the second one does not wait for it.
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(ExitCode.interrupted);
    interruption.abort();
  });
}

for (const stream of [process.stdout, process.stderr]) {
  // The reader of a pipe has seen enough: `svc deliveries list | head -1`.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(ExitCode.done);
    throw error;
  });
}

process.exitCode = await runCommandLine(args, {
  io: createProcessIo(process, args.includes('--no-color')),
  env: process.env,
  cwd: process.cwd(),
  now: systemClock.now,
  signal: interruption.signal,
  // Without the dashes Node 20 would take `--env-file` for itself, wherever it stands.
  invocation: [process.execPath, ...process.execArgv, '--', process.argv[1] ?? '', ...args],
});
