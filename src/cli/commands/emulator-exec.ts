/** `svc emulator exec`: runs a command with a temporary emulator, and checks and reports the deliveries at its end. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import type { Emulator } from '../../emulator.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { Rules } from '../../profile/rules.ts';
import { bootEmulator, TEMPORARY_SETTINGS, writeCertificate } from '../boot-emulator.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { warnAboutSettings } from '../endpoint-warnings.ts';
import { toEnvVariables } from '../env-variables.ts';
import { renderDeliveryJUnit } from '../exec/delivery-junit.ts';
import {
  collectDeliveryOutcome,
  explainNoDeliveries,
  findUnexpectedDeliveries,
  type NoDeliveries,
  reportUnexpectedDeliveries,
  type UnexpectedDeliveries,
} from '../exec/delivery-outcome.ts';
import { EmulatorLog } from '../exec/emulator-log.ts';
import { type CommandResult, runCommand } from '../exec/run-command.ts';
import { assertFileWritable, createWriteError, writeText } from '../file-access.ts';
import { JUNIT_FILE_HINT } from '../junit.ts';
import { createDependentOptionError, wholeNumberParser } from '../option-parsers.ts';
import { printHint, reportError } from '../report-error.ts';
import { addStartOptions } from '../start-options.ts';

/** The options, except those that are settings: `resolveConfig` reads those. */
interface Options {
  readonly command: readonly string[];
  readonly requireSettled?: true;
  readonly expectFailed?: number;
  readonly junit?: string;
  readonly allowNoDeliveries?: true;
  readonly log?: string;
}

/**
 * Returns the exit code of the command, or 1 if only the check of the deliveries fails. Only the command writes to standard
 * output.
 */
export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addStartOptions(command, ['envFile', 'open'], TEMPORARY_SETTINGS)
      .option(
        '--require-settled',
        'Exit with code 1 unless every delivery succeeds, and list the others, or if there is none',
      )
      .option(
        '--expect-failed <count>',
        'Like --require-settled, but exactly this number of deliveries must fail',
        wholeNumberParser(0),
      )
      .option(
        '--junit <file>',
        'File to write the deliveries to, as test cases in JUnit XML; exit with code 1 if there is none',
      )
      .option(
        '--allow-no-deliveries',
        'With --require-settled, --expect-failed or --junit: accept a run without deliveries',
      )
      .optionWithDefault('--log <file>', 'File for the emulator log', 'a temporary file, deleted at the end')
      .argument('<command...>', 'Command to run with its arguments')
      .passThroughOptions()
      .addHelpText('after', NOTE),
  examples: [
    ['Run tests against a temporary emulator', 'emulator exec -- npm test'],
    ['Require that every delivery succeeds', 'emulator exec --forward-to 3000 --require-settled -- npm test'],
    [
      'Require that exactly one delivery fails',
      "emulator exec --expect-failed 1 -- sh -c 'svc trigger refund.created && svc clock settle'",
    ],
    ['Repeat a run with the same IDs and times', 'emulator exec --freeze --random-seed 7 -- pytest -q'],
    [
      'Keep a report and the log',
      'emulator exec --junit reports/deliveries.xml --log emulator.log -- go test ./...',
    ],
    ['Run several commands in a shell', "emulator exec -- sh -c 'node server.js & npm test'"],
  ],
  async run(options, context) {
    const { junit, log: logFile } = options;
    if (options.allowNoDeliveries && !needsDeliveries(options)) {
      const needed = '--require-settled, --expect-failed or --junit';
      throw createDependentOptionError('--allow-no-deliveries', needed);
    }
    // First, because a command with an invalid setting must not replace the log of an earlier one.
    const settings = { ...TEMPORARY_SETTINGS, ...options };
    const config = await context.resolveConfig(settings);
    const rules = await context.resolveRules(settings);
    const toPath = (file: string) => resolve(context.cwd, file);
    if (junit !== undefined) assertFileWritable(toPath(junit), JUNIT_FILE_HINT);
    const folder = createTemporaryFolder();
    try {
      const log = new EmulatorLog(logFile === undefined ? join(folder, 'emulator.log') : toPath(logFile));
      const result = await runWithEmulator({ config, rules, log, folder }, options, context);
      if (result.exitCode !== ExitCode.success && !result.wasInterrupted) {
        const keptPath = logFile === undefined ? null : log.path;
        reportFailure(result, keptPath, log.tail(MAX_LOG_LINES), context);
      }
      return result.exitCode;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const NOTE = `
svc runs the command with the environment variables that svc env prints. Without a terminal, as in CI, svc also
terminates any processes that the command leaves running.`;

function createTemporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'svc-exec-'));
  } catch (error) {
    throw createWriteError(tmpdir(), error, 'Set TMPDIR to a writable folder.');
  }
}

interface ExecResult extends CommandResult {
  /** Undefined when the deliveries are as expected, or were not checked. */
  readonly unexpectedDeliveries?: UnexpectedDeliveries;
  /** Set when the run had no deliveries, but needed some. */
  readonly noDeliveries?: NoDeliveries;
}

/** Whether an option checks or reports the deliveries. */
function needsDeliveries({ requireSettled, expectFailed, junit }: Options): boolean {
  return requireSettled === true || expectFailed !== undefined || junit !== undefined;
}

interface ExecSetup {
  readonly config: Config;
  readonly rules: Rules;
  readonly log: EmulatorLog;
  /** Temporary folder for the certificate. */
  readonly folder: string;
}

async function runWithEmulator(
  { config, rules, log, folder }: ExecSetup,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  await warnAboutSettings(config, context);
  const emulator = await bootEmulator(config, rules, { ...context, io: log.notes });
  const logEnd = new AbortController();
  const logging = log.follow(emulator.control, logEnd.signal);
  try {
    const certificate = writeCertificate(folder, emulator.certificate);
    const variables = toEnvVariables(emulator.status(), certificate);
    if (context.signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
    const result = await runCommand(options.command, variables, context);
    return await checkDeliveries(result, emulator, options, context);
  } finally {
    await emulator.close();
    logEnd.abort();
    await logging;
  }
}

/** Checks the deliveries and writes the JUnit report, if options ask for it. A failure of the command itself takes precedence. */
async function checkDeliveries(
  result: CommandResult,
  { control, closing }: Emulator,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  const { requireSettled, expectFailed, junit, allowNoDeliveries } = options;
  const mustCheck = requireSettled === true || expectFailed !== undefined;
  // A command that exits with 0 after an interruption has handled the signal and finished.
  const isIncomplete = result.wasInterrupted && result.exitCode !== ExitCode.success;
  if (!needsDeliveries(options) || isIncomplete) return result;
  try {
    const stopped = (closing.aborted ? Promise.resolve() : once(closing, 'abort')).then(() => {
      throw new SvcError('no_emulator', 'The emulator was stopped before its deliveries were checked.', {
        hint: 'Remove svc emulator stop from the command: svc emulator exec stops the emulator.',
      });
    });
    const outcome = await Promise.race([stopped, collectDeliveryOutcome(control, context)]);
    const unexpectedDeliveries = mustCheck ? findUnexpectedDeliveries(outcome, expectFailed ?? null) : null;
    const failuresAreExpected = unexpectedDeliveries === null && expectFailed !== undefined;
    if (junit !== undefined) {
      const report = renderDeliveryJUnit(outcome.deliveries, failuresAreExpected);
      await writeText(resolve(context.cwd, junit), report, JUNIT_FILE_HINT);
    }
    // A command that failed can have ended before it created an event.
    const isEmpty = outcome.deliveries.length === 0 && result.exitCode === ExitCode.success;
    if (isEmpty && !allowNoDeliveries) {
      const noDeliveries = await explainNoDeliveries(control);
      return { ...result, exitCode: ExitCode.failure, noDeliveries };
    }
    if (unexpectedDeliveries === null) return result;
    return { ...result, exitCode: result.exitCode || ExitCode.failure, unexpectedDeliveries };
  } catch (error) {
    if (result.exitCode === ExitCode.success) throw error;
    reportError(error, context.io, context.json);
    return result;
  }
}

/** Number of log lines, the last ones, that are printed after a failure. */
const MAX_LOG_LINES = 20;

/** @param logPath null if the log is deleted */
function reportFailure(
  { exitCode, unexpectedDeliveries, noDeliveries }: ExecResult,
  logPath: string | null,
  lines: readonly string[],
  { io, json }: Context,
): void {
  if (json) {
    io.noteJson({
      exit_code: exitCode,
      log: lines.length === 0 ? null : logPath,
      // Failed deliveries too, although they are settled: the name is public.
      ...(unexpectedDeliveries && { unsettled: unexpectedDeliveries.deliveries }),
      ...(noDeliveries && { no_deliveries: noDeliveries }),
    });
    return;
  }
  if (unexpectedDeliveries !== undefined) reportUnexpectedDeliveries(unexpectedDeliveries, io);
  if (noDeliveries !== undefined) {
    io.note(noDeliveries.message);
    printHint(noDeliveries.hint, io);
  }
  if (lines.length === 0) return;
  io.note(`Last lines of the emulator log${logPath === null ? '' : ` ${logPath}`}:`);
  for (const line of lines) io.note(`  ${line}`);
  if (logPath === null) printHint('Keep the complete log with --log FILE.', io);
}
