import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';
import { ExitCode } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { checkDatabase, checkDatabaseFile } from '../doctor/check-database.ts';
import { checkClock, checkEmulator, checkRunFile, type RunningEmulator } from '../doctor/check-emulator.ts';
import { checkEndpoints } from '../doctor/check-endpoints.ts';
import { checkConfig, checkNode, checkPort } from '../doctor/check-installation.ts';
import { checkSqliteDriver } from '../doctor/check-sqlite-driver.ts';
import { withProgress } from '../progress.ts';
import { renderFindings } from '../render/findings.ts';

interface Options {
  readonly probe: boolean;
}

const PROBE_NOTE = `
Each endpoint receives two deliveries of type svc.probe: one with a valid signature and one signed with a different
secret. The emulator does not record them. A receiver that ignores unknown event types does nothing.`;

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    command
      .option('--no-probe', 'Only connect to receivers, without sending deliveries')
      .addHelpText('after', PROBE_NOTE),
  examples: [
    ['Check everything', 'doctor'],
    ['Check everything without sending deliveries', 'doctor --no-probe'],
    ['Check everything in a script', 'doctor --json'],
  ],
  run,
};

/** Exit code 1 if it finds a problem. */
async function run({ probe }: Options, context: Context): Promise<ExitCode> {
  const findings = [checkNode(process.versions.node)];
  const { finding, config } = await checkConfig(context);
  findings.push(finding);
  if (config !== null) findings.push(...(await checkSetup(config, probe, context)));
  const ok = findings.every(({ status }) => status !== 'problem');
  context.print({ ok, findings }, () => renderFindings(findings, context.io));
  return ok ? ExitCode.success : ExitCode.failure;
}

async function checkSetup(
  config: Config,
  sendsTestDeliveries: boolean,
  context: Context,
): Promise<Finding[]> {
  const { values, projectFolder } = config;
  const showCheck = <Result>(subject: string, check: Promise<Result>) =>
    withProgress(context, async () => `Checking ${subject}…`, check);
  const { finding, running } = await showCheck('the emulator', checkEmulator(context));
  const sqlite = await showCheck('the SQLite driver', checkSqliteDriver(context.signal));
  const checkFile = async () => (sqlite.status === 'ok' ? checkDatabaseFile(values.db) : driverMissing);
  return [
    checkRunFile({ cwd: projectFolder, env: context.env }, running?.status.pid ?? null),
    finding,
    await showCheck('the port', checkPort(config, context, running?.status ?? null)),
    sqlite,
    await showCheck('the database', running ? checkDatabase(running) : checkFile()),
    ...(running
      ? await showCheck('the endpoints', checkRunningEmulator(running, sendsTestDeliveries, context))
      : [notRunning]),
  ];
}

async function checkRunningEmulator(
  running: RunningEmulator,
  sendsTestDeliveries: boolean,
  context: Context,
): Promise<Finding[]> {
  return [
    await checkClock(running, await context.getWorkspaceId()),
    ...(await checkEndpoints(running.control, { sendsTestDeliveries, wallTime: context.now() })),
  ];
}

const driverMissing = createFindingBuilder('database', 'Database').skipped('needs the SQLite driver');
const notRunning = createFindingBuilder('endpoints', 'Clock and endpoints').skipped(
  'need a running emulator',
);
