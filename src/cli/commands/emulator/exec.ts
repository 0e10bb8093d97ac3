import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Emulator } from '../../../emulator.ts';
import { ExitCode, SvcError } from '../../../errors.ts';
import { createProcessGuard } from '../../../watchdog/process-guard.ts';
import { bootEmulator } from '../../boot-emulator.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { type EnvVariables, toEnvVariables } from '../../env-variables.ts';
import { assertWritable, writeFileAtomically } from '../../exec/atomic-write.ts';
import { renderDeliveryJUnit } from '../../exec/delivery-junit.ts';
import {
  collectDeliveryOutcome,
  findUnexpectedDeliveries,
  reportUnexpectedDeliveries,
  type UnexpectedDeliveries,
} from '../../exec/delivery-outcome.ts';
import { EmulatorLog } from '../../exec/emulator-log.ts';
import { type CommandResult, runCommand } from '../../exec/run-command.ts';
import { writeCertificate } from '../../https-options.ts';
import { wholeNumberParser } from '../../option-parsers.ts';
import { reportError } from '../../report-error.ts';
import { addStartOptions } from '../../start-options.ts';

/** Beside the settings, which the configuration reads. */
interface Options {
  readonly command: readonly string[];
  readonly requireSettled?: true;
  readonly expectFailed?: number;
  readonly junit?: string;
  readonly log?: string;
}

export const command: CommandDefinition<Options> = {
  configure,
  examples: [
    'emulator exec -- npm test',
    'emulator exec --forward-to 3000 --require-settled -- npm test',
    "emulator exec --expect-failed 1 -- sh -c 'svc trigger refund.created && svc clock settle'",
    'emulator exec --freeze --random-seed 7 -- pytest -q',
    'emulator exec --junit reports/deliveries.xml --log emulator.log -- go test ./...',
    "emulator exec -- sh -c 'node server.js & npm test'",
  ],
  run,
};

const NOTE = `
The command finds the emulator by the variables of svc env. The emulator is in memory and on any free port unless
--db and --port are given here. Whatever the command leaves running when it has ended is ended too.`;

function configure(command: Command): void {
  addStartOptions(command, { without: ['envFile', 'open'] })
    .option('--require-settled', 'exit 1 when a delivery did not arrive, and list those that did not')
    .option(
      '--expect-failed <count>',
      'As --require-settled, but exactly this many deliveries must have failed',
      wholeNumberParser(0, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '--junit <file>',
      'write the deliveries to a file, as test cases in the XML that CI services read',
    )
    .option('--log <file>', 'keep the log of the emulator; without it, it is kept when the command fails')
    .argument('<command...>', 'the command and its arguments')
    .passThroughOptions()
    .addHelpText('after', NOTE);
}

/** Ends as the command does. Standard output is the command's alone. */
async function run(options: Options, context: Context): Promise<number> {
  const { junit, log: named } = options;
  const toPath = (file: string) => resolve(context.cwd, file);
  if (junit !== undefined) assertWritable(toPath(junit));
  const folder = createFolder();
  let isKept = false;
  try {
    const log = new EmulatorLog(named === undefined ? join(folder, 'emulator.log') : toPath(named));
    const ending = await runWithEmulator(log, folder, options, context);
    if (ending.exitCode !== ExitCode.success && !ending.wasInterrupted) {
      isKept = named === undefined && !log.isEmpty;
      reportFailure(ending, log, context);
    }
    return ending.exitCode;
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder for as long as this runs, and longer where it holds the log of a failure. */
function createFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'svc-exec-'));
  } catch (error) {
    throw new SvcError('usage', `There is no room for a log: ${(error as Error).message}.`, {
      hint: 'Name a folder that can be written to: TMPDIR=FOLDER',
      cause: error,
    });
  }
}

interface ExecResult extends CommandResult {
  /** What did not arrive, where that matters. */
  readonly unexpectedDeliveries: UnexpectedDeliveries | null;
}

/** @param folder for what the command has to find in a file. */
async function runWithEmulator(
  log: EmulatorLog,
  folder: string,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  const settings = { port: '0', db: ':memory:', ...options };
  const config = await context.config(settings);
  const emulator = await bootEmulator(config, await context.rules(settings), { ...context, io: log.notes });
  const over = new AbortController();
  const logging = log.follow(emulator.control, over.signal);
  try {
    const certificate = writeCertificate(folder, emulator.certificate);
    const variables = toEnvVariables(emulator.status(), certificate);
    return await runGuarded(emulator, variables, folder, options, context);
  } finally {
    await emulator.close();
    over.abort();
    await logging;
  }
}

async function runGuarded(
  emulator: Emulator,
  variables: EnvVariables,
  folder: string,
  options: Options,
  context: Context,
): Promise<ExecResult> {
  const guard = await createProcessGuard(context.env, folder);
  try {
    if (context.signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
    const end = await runCommand(options.command, variables, guard, context);
    return await checkDeliveries(end, emulator, options, context);
  } finally {
    await guard.terminate();
  }
}

/** The command's own failure counts before everything that is wrong besides. */
async function checkDeliveries(
  end: CommandResult,
  { control, closed }: Emulator,
  { requireSettled, expectFailed, junit }: Options,
  context: Context,
): Promise<ExecResult> {
  const mustSettle = requireSettled === true || expectFailed !== undefined;
  const isAsked = mustSettle || junit !== undefined;
  if (!isAsked || (end.wasInterrupted && end.exitCode !== ExitCode.success))
    return { ...end, unexpectedDeliveries: null };
  try {
    const outcome = await Promise.race([
      closed.then(throwEmulatorStopped),
      collectDeliveryOutcome(control, context),
    ]);
    const unexpectedDeliveries = mustSettle ? findUnexpectedDeliveries(outcome, expectFailed ?? 0) : null;
    const isExpected = unexpectedDeliveries === null && expectFailed !== undefined;
    if (junit !== undefined) {
      writeFileAtomically(resolve(context.cwd, junit), renderDeliveryJUnit(outcome.deliveries, isExpected));
    }
    if (unexpectedDeliveries === null || end.exitCode !== ExitCode.success)
      return { ...end, unexpectedDeliveries };
    return { ...end, exitCode: ExitCode.failure, unexpectedDeliveries };
  } catch (error) {
    if (end.exitCode === ExitCode.success) throw error;
    reportError(error, context.io, context.json);
    return { ...end, unexpectedDeliveries: null };
  }
}

function throwEmulatorStopped(): never {
  throw new SvcError('no_emulator', 'The emulator was stopped before its deliveries were looked at.', {
    hint: 'svc emulator exec stops it when the command has ended; the command need not.',
  });
}

/** So many lines of the log are shown; the others are in the file. */
const MAX_LOG_LINES = 20;

function reportFailure(
  { exitCode, unexpectedDeliveries }: ExecResult,
  log: EmulatorLog,
  { io, json }: Context,
): void {
  const lines = log.tail(MAX_LOG_LINES);
  if (json) {
    const unsettled = unexpectedDeliveries && { unsettled: unexpectedDeliveries.deliveries };
    io.noteJson({ exit_code: exitCode, log: lines.length === 0 ? null : log.path, ...unsettled });
    return;
  }
  if (unexpectedDeliveries !== null) reportUnexpectedDeliveries(unexpectedDeliveries, io);
  if (lines.length === 0) return;
  io.note(`The log of the emulator, ${log.path}, ends:`);
  for (const line of lines) io.note(`  ${line}`);
}
