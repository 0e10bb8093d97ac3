/** `svc doctor`: checks Node.js, the configuration, the port, the database, the emulator and its endpoints. */
import { createServer } from 'node:net';
import { createFindingBuilder, type Finding } from '../../client/findings.ts';
import { type Config, listConfig } from '../../config.ts';
import type { EmulatorStatus } from '../../contract/emulator-schemas.ts';
import { getPort } from '../../domain/http-url.ts';
import { ExitCode } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { checkDatabase, checkDatabaseFile, checkSqliteDriver } from '../doctor/check-database.ts';
import { checkClock, checkEmulator, checkEndpoints, checkRunFile } from '../doctor/check-emulator.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { withProgress } from '../progress.ts';
import { styleCheckStatus } from '../render/style.ts';
import { renderTableWithHints } from '../render/table.ts';
import {
  describePortOwner,
  findEmulatorOfFolder,
  findEmulatorOnPort,
  suggestForBusyPort,
} from '../running-emulator.ts';

const PROBE_NOTE = `
Each endpoint receives two deliveries of type svc.probe: one with a valid signature and one signed with a different
secret. The emulator does not record them. A receiver that ignores unknown event types does nothing.`;

/** Exit code 1 if it finds a problem. */
export const command: CommandDefinition<{ readonly probe: boolean }> = {
  configure: (command) =>
    command
      .option('--no-probe', 'Only connect to receivers, without sending deliveries')
      .addHelpText('after', PROBE_NOTE),
  examples: [
    ['Check everything', 'doctor'],
    ['Check everything without sending deliveries', 'doctor --no-probe'],
    ['Check everything in a script', 'doctor --json'],
  ],
  async run({ probe }, context) {
    const { finding, config } = await checkConfig(context);
    const findings = [
      checkNode(process.versions.node),
      finding,
      ...(config === null ? [] : await checkSetup(config, probe, context)),
    ];
    const ok = findings.every(({ status }) => status !== 'problem');
    context.print({ ok, findings }, () => renderFindings(findings, context.io));
    return ok ? ExitCode.success : ExitCode.failure;
  },
};

async function checkSetup(
  config: Config,
  sendsTestDeliveries: boolean,
  context: Context,
): Promise<Finding[]> {
  const { values, projectFolder } = config;
  const showCheck = <Result>(subject: string, check: Promise<Result>) =>
    withProgress(context, async () => `Checking ${subject}…`, check);
  const { finding, running } = await showCheck('the emulator', checkEmulator(context));
  // It can have been started with another --port, and is not always the one that commands use. A run file that cannot be used
  // is a finding of its own.
  const ofFolder = await findEmulatorOfFolder(config, context).catch(() => null);
  const sqlite = await showCheck('the SQLite driver', checkSqliteDriver());
  const checkFile = async () => {
    const database = createFindingBuilder('database', 'Database');
    if (ofFolder?.db === values.db) return database.skipped('the emulator for this folder uses it');
    return sqlite.status === 'ok'
      ? checkDatabaseFile(values.db)
      : database.skipped('needs the SQLite driver');
  };
  const findings = [
    checkRunFile({ cwd: projectFolder, env: context.env }, running?.status.pid ?? null, values.controlUrl),
    finding,
    await showCheck('the port', checkPort(config, context, { running: running?.status ?? null, ofFolder })),
    sqlite,
    await showCheck('the database', running ? checkDatabase(running) : checkFile()),
  ];
  if (running === null) {
    const clockAndEndpoints = createFindingBuilder('endpoints', 'Clock and endpoints');
    return [...findings, clockAndEndpoints.skipped('need a running emulator')];
  }
  const clock = checkClock(running, context);
  const endpoints = checkEndpoints(running.control, { sendsTestDeliveries, wallTime: context.now() });
  return [...findings, ...(await showCheck('the endpoints', Promise.all([clock, endpoints]))).flat()];
}

const OLDEST_NODE = [20, 19] as const;

/** @param version such as `20.19.2` */
export function checkNode(version: string): Finding {
  const node = createFindingBuilder('node', 'Node.js');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isRecentEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isRecentEnough
    ? node.ok(`version ${version}`)
    : node.problem(
        `version ${version} is too old`,
        `Install Node.js ${OLDEST_NODE.join('.')} or later: https://nodejs.org`,
      );
}

/** Checks the settings and the overrides of the gap register from all sources. `config` is null if one is invalid. */
async function checkConfig(context: Context): Promise<{ finding: Finding; config: Config | null }> {
  const configuration = createFindingBuilder('config', 'Configuration');
  try {
    const config = await context.resolveConfig();
    await context.resolveRules();
    const changedSettings = listConfig(config).filter(({ source }) => source !== 'default');
    const names = changedSettings
      .map(({ setting, source, from }) => (source === 'file' ? setting : `${setting} (${from})`))
      .join(', ');
    const source = config.file ?? 'no configuration file';
    return {
      finding: configuration.ok(`${source}; ${names === '' ? 'all defaults' : `changed settings: ${names}`}`),
      config,
    };
  } catch (error) {
    return { finding: configuration.fromError(error), config: null };
  }
}

interface RunningEmulators {
  /** The emulator that commands use; null without one. */
  readonly running: EmulatorStatus | null;
  /** The emulator for this folder; null without one. */
  readonly ofFolder: EmulatorStatus | null;
}

async function checkPort(
  config: Config,
  context: Context,
  { running, ofFolder }: RunningEmulators,
): Promise<Finding> {
  const { host, port } = config.values;
  const portFinding = createFindingBuilder('port', 'Port');
  if (ofFolder !== null)
    return portFinding.ok(`${getPort(new URL(ofFolder.url))} is used by the emulator for this folder`);
  if (running !== null && Number(new URL(running.url).port) === port) {
    return portFinding.ok(`${port} is used by the emulator that --url or SVC_CONTROL_URL selects`);
  }
  if (port === 0) return portFinding.ok('any free port');
  const error = await tryToListen(host, port);
  if (error === null) return portFinding.ok(`${port} is free`);
  if (error.code !== 'EADDRINUSE') {
    return portFinding.problem(
      `Cannot listen on ${host}:${port}: ${error.message}`,
      'Choose another --host or --port.',
    );
  }
  const emulator = await findEmulatorOnPort(config, context);
  return portFinding.problem(
    `${port} is in use${describePortOwner(emulator)}`,
    suggestForBusyPort(emulator, port),
  );
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

function renderFindings(findings: readonly Finding[], capabilities: TerminalCapabilities): string {
  return renderTableWithHints(
    [
      { title: 'STATUS', value: ({ status }) => styleCheckStatus(status, capabilities) },
      { title: 'CHECK', value: ({ title }) => title },
      { title: 'RESULT', value: ({ detail }) => detail },
    ],
    findings,
    ({ hint }) => hint,
    capabilities,
  );
}
