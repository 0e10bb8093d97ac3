import type { Command } from 'commander';
import type { Config } from '../../config.ts';
import { about, type Finding } from '../../control/finding.ts';
import { ExitCode } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { checkDatabase, checkDatabaseFile } from '../doctor/database.ts';
import { checkEndpoints } from '../doctor/endpoints.ts';
import { checkConfig, checkNode, checkPort } from '../doctor/installation.ts';
import { checkClock, checkEmulator, checkRunFile, type Running } from '../doctor/running.ts';
import { checkSqliteDriver } from '../doctor/sqlite-driver.ts';
import { showWhile } from '../progress.ts';
import { renderFindings } from '../render/findings.ts';

interface Options {
  readonly probe: boolean;
}

const WHAT_IS_SENT = `
Each endpoint is sent two deliveries of type svc.probe, one under its secret and one under another; nothing is
recorded of them. A receiver that passes over types it does not know does nothing on them.`;

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    command
      .option('--no-probe', 'send nothing to receivers, only connect to them')
      .addHelpText('after', WHAT_IS_SENT),
  examples: ['doctor', 'doctor --no-probe', 'doctor --json'],
  run,
};

/** Exits with 1 when there is a problem. */
async function run({ probe }: Options, context: Context): Promise<ExitCode> {
  const findings = [checkNode(process.versions.node)];
  const { finding, config } = await checkConfig(context);
  findings.push(finding);
  // Without settings, nothing else can be found.
  if (config !== null) findings.push(...(await examine(config, probe, context)));
  const ok = findings.every(({ status }) => status !== 'problem');
  context.print({ ok, findings }, () => renderFindings(findings, context.io));
  return ok ? ExitCode.done : ExitCode.notSo;
}

async function examine(config: Config, send: boolean, context: Context): Promise<Finding[]> {
  const { values, projectFolder } = config;
  const checking = <Result>(what: string, work: Promise<Result>) =>
    showWhile(context, async () => `Checking ${what} …`, work);
  const { finding, running } = await checking('the emulator', checkEmulator(context));
  const sqlite = await checking('the SQLite driver', checkSqliteDriver(context.signal));
  const checkFile = async () => (sqlite.status === 'ok' ? checkDatabaseFile(values.db) : driverMissing);
  return [
    checkRunFile({ cwd: projectFolder, env: context.env }, running?.status.pid ?? null),
    finding,
    await checking('the port', checkPort(config, context, running?.status ?? null)),
    sqlite,
    await checking('the database', running ? checkDatabase(running) : checkFile()),
    ...(running ? await checking('the endpoints', examineRunning(running, send, context)) : [notRunning]),
  ];
}

async function examineRunning(running: Running, send: boolean, context: Context): Promise<Finding[]> {
  return [
    await checkClock(running, await context.workspaceId()),
    ...(await checkEndpoints(running.control, { send, now: context.now() })),
  ];
}

const driverMissing = about('database', 'Database').skipped('needs the SQLite driver');
const notRunning = about('endpoints', 'Clock and endpoints').skipped('need an emulator that runs');
