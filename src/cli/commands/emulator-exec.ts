/** `svc emulator exec`: runs a command with a temporary emulator, and checks the deliveries at its end. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/resolve-config.ts';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import type { Emulator } from '../../emulator.ts';
import type { Rules } from '../../profile/rules.ts';
import { bootEmulator, TEMPORARY_SETTINGS, writeCertificate } from '../boot-emulator.ts';
import type { Context } from '../context.ts';
import { defineCommand, type ValuesOf } from '../define-command.ts';
import { warnAboutSettings } from '../endpoint-warnings.ts';
import { toEnvVariables } from '../env-variables.ts';
import {
  collectDeliveryOutcome,
  type DeliveryOutcome,
  describeEmptyRun,
  type NoDeliveries,
  reportUndelivered,
} from '../exec/delivery-outcome.ts';
import { EmulatorLog } from '../exec/emulator-log.ts';
import { type CommandResult, runCommand } from '../exec/run-command.ts';
import { createWriteError } from '../file-access.ts';
import { printHint, reportError } from '../report-error.ts';
import { startRows } from '../start-options.ts';

const NOTE = `
svc runs the command with the environment variables that svc env prints. Without a terminal, as in CI, svc also
terminates any processes that the command leaves running.`;

const { writeEnv: _writeEnv, open: _open, ...emulatorRows } = startRows(TEMPORARY_SETTINGS);

const rows = {
  ...emulatorRows,
  requireSettled: {
    option: '--require-settled',
    summary: 'Exit with code 1 unless there are deliveries and all succeed, and list the others',
  },
  allowNoDeliveries: {
    option: '--allow-no-deliveries',
    summary: 'With --require-settled: accept a run without deliveries',
    needs: 'requireSettled',
  },
  log: {
    option: '--log <file>',
    summary: 'File for the emulator log',
  },
  command: { argument: '<command...>', summary: 'Command to run with its arguments' },
} as const;

type Options = ValuesOf<typeof rows>;

/**
 * Returns the exit code of the command, or 1 if only the check of the deliveries fails. Only the command writes to standard
 * output.
 */
export const command = defineCommand({
  options: rows,
  notes: NOTE,
  configure: (command) => command.passThroughOptions(),
  examples: [
    ['Run tests against a temporary emulator', 'emulator exec -- npm test'],
    ['Require that every delivery succeeds', 'emulator exec --forward-to 3000 --require-settled -- npm test'],
    ['Repeat a run with the same IDs and times', 'emulator exec --freeze --random-seed 7 -- pytest -q'],
    ['Run several commands in a shell', "emulator exec -- sh -c 'node server.js & npm test'"],
  ],
  async run(options, context) {
    const { log: logFile } = options;
    // First, because a command with an invalid setting must not replace the log of an earlier one.
    const settings = { ...TEMPORARY_SETTINGS, ...options };
    const config = await context.resolveConfig(settings);
    const rules = await context.resolveRules(settings);
    const log = new EmulatorLog(logFile === undefined ? null : resolve(context.cwd, logFile));
    const result = await runWithEmulator({ config, rules, log }, options, context);
    if (result.exitCode !== ExitCode.success && !result.wasInterrupted) {
      reportFailure(result, log, context);
    }
    return result.exitCode;
  },
});

function createTemporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'svc-exec-'));
  } catch (error) {
    throw createWriteError(tmpdir(), error, 'Set TMPDIR to a writable folder.');
  }
}

interface ExecResult extends CommandResult {
  /** Undefined when every delivery succeeded, or they were not checked. */
  readonly failedOutcome?: DeliveryOutcome;
  /** Set when the run had no deliveries, but needed some. */
  readonly noDeliveries?: NoDeliveries;
}

interface ExecSetup {
  readonly config: Config;
  readonly rules: Rules;
  readonly log: EmulatorLog;
}

async function runWithEmulator(
  { config, rules, log }: ExecSetup,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  await warnAboutSettings(config, context);
  const emulator = await bootEmulator(config, rules, { ...context, io: log.notes });
  const logEnd = new AbortController();
  const logging = log.follow(emulator.control, logEnd.signal);
  let folder: string | null = null;
  try {
    if (emulator.certificate !== null) folder = createTemporaryFolder();
    const certificate = folder && writeCertificate(folder, emulator.certificate);
    const variables = toEnvVariables(emulator.status(), certificate);
    if (context.signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
    const result = await runCommand(options.command, variables, context);
    return await checkDeliveries(result, emulator, options, context);
  } finally {
    await emulator.close();
    logEnd.abort();
    await logging;
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the deliveries if an option asks for it. A failure of the command itself takes precedence. */
async function checkDeliveries(
  result: CommandResult,
  { control, closing }: Emulator,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  // A command that exits with 0 after an interruption has handled the signal and finished.
  const isIncomplete = result.wasInterrupted && result.exitCode !== ExitCode.success;
  if (!options.requireSettled || isIncomplete) return result;
  try {
    const stopped = (closing.aborted ? Promise.resolve() : once(closing, 'abort')).then(() => {
      throw new SvcError('no_emulator', 'The emulator was stopped before its deliveries were checked.', {
        hint: 'Remove svc emulator stop from the command: svc emulator exec stops the emulator.',
      });
    });
    const outcome = await Promise.race([stopped, collectDeliveryOutcome(control, context)]);
    // A command that failed can have ended before it created an event.
    const isEmpty = outcome.total === 0 && result.exitCode === ExitCode.success;
    if (isEmpty && !options.allowNoDeliveries) {
      const noDeliveries = await describeEmptyRun(control);
      return { ...result, exitCode: ExitCode.failure, noDeliveries };
    }
    if (outcome.undelivered.length === 0) return result;
    return { ...result, exitCode: result.exitCode || ExitCode.failure, failedOutcome: outcome };
  } catch (error) {
    if (result.exitCode === ExitCode.success) throw error;
    reportError(error, context.io, context.json);
    return result;
  }
}

function reportFailure(
  { exitCode, failedOutcome, noDeliveries }: ExecResult,
  { path: logPath, lastLines: lines }: EmulatorLog,
  { io, json }: Context,
): void {
  if (json) {
    io.noteJson({
      exit_code: exitCode,
      log: lines.length === 0 ? null : logPath,
      // Failed deliveries too, although they are settled: the name is public.
      ...(failedOutcome && { unsettled: failedOutcome.undelivered }),
      ...(noDeliveries && { no_deliveries: noDeliveries }),
    });
    return;
  }
  if (failedOutcome !== undefined) reportUndelivered(failedOutcome, io);
  if (noDeliveries !== undefined) {
    io.note(noDeliveries.message);
    printHint(noDeliveries.hint, io);
  }
  if (lines.length === 0) return;
  io.note(`Last lines of the emulator log${logPath === null ? '' : ` ${logPath}`}:`);
  for (const line of lines) io.note(`  ${line}`);
  if (logPath === null) printHint('Keep the complete log with --log FILE.', io);
}
