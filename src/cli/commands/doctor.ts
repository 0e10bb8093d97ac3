/** `svc doctor`: checks Node.js, the configuration, the emulator of this folder, the port, the database and the endpoints. */
import { createServer } from 'node:net';
import type { Config } from '../../config/resolve-config.ts';
import { findRunFile } from '../../config/run-file.ts';
import {
  createFindingBuilder,
  type Finding,
  toConnectionFindings,
} from '../../diagnosis/connection-findings.ts';
import { ExitCode } from '../../domain/errors.ts';
import { getPort } from '../../domain/http-url.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import type { EmulatorStatus } from '../../operations/emulator-schemas.ts';
import type { WebhookDetail } from '../../resources/endpoint.ts';
import { portOfFolder, toPortCommand } from '../boot-emulator.ts';
import type { Context } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { findEmulatorOnPort } from '../emulator-target.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { withProgress } from '../progress.ts';
import { formatSize } from '../render/format.ts';
import { styleCheckStatus } from '../render/style.ts';
import { renderTableWithHints } from '../render/table.ts';
import { findHint } from '../report-error.ts';

/** Exit code 1 if it finds a problem. */
export const command = defineCommand({
  options: {},
  examples: [['Check everything', 'doctor']],
  async run(_options, context) {
    const findings = await withProgress(context, async () => 'Checking…', checkEverything(context));
    const ok = findings.every(({ status }) => status !== 'problem');
    context.print({ ok, findings }, () => renderFindings(findings, context.io));
    return ok ? ExitCode.success : ExitCode.failure;
  },
});

async function checkEverything(context: Context): Promise<Finding[]> {
  // A version that is too old does not start.
  const version = createFindingBuilder('node', 'Node.js').ok(`version ${process.versions.node}`);
  const node = [version, await checkSqliteDriver()];
  const configuration = createFindingBuilder('config', 'Configuration');
  let config: Config;
  try {
    config = await context.resolveConfig();
    await context.resolveRules();
  } catch (error) {
    return [...node, configuration.fromError(error)];
  }
  const { finding, running } = await checkEmulator(config, context);
  return [
    ...node,
    configuration.ok(config.file ?? 'no configuration file'),
    finding,
    await checkPort(config, running),
    await checkDatabase(config.values.db, running),
    ...(await checkEndpoints(running, context)),
  ];
}

async function checkSqliteDriver(): Promise<Finding> {
  const driver = createFindingBuilder('sqlite', 'SQLite driver');
  try {
    const { openSqlite } = await import('../../store/driver.ts');
    const db = openSqlite(':memory:');
    const version = db.prepare('SELECT sqlite_version()').pluck().get();
    db.close();
    return driver.ok(`SQLite ${version}`);
  } catch (error) {
    return driver.fromError(error);
  }
}

interface RunningEmulator {
  readonly control: ControlPlane;
  readonly status: EmulatorStatus;
}

/** Checks the emulator that commands use. `running` is null if none responds. */
async function checkEmulator(
  { values, projectFolder }: Config,
  context: Context,
): Promise<{ finding: Finding; running: RunningEmulator | null }> {
  const emulator = createFindingBuilder('emulator', 'Emulator');
  try {
    if (values.controlUrl === null && findRunFile(context) === null) {
      const start = { text: 'Start it', command: 'svc emulator start' };
      return { finding: emulator.skipped(`not running in ${projectFolder}`, start), running: null };
    }
    const control = await context.connect();
    const status = await control.getStatus({});
    const { url, version, pid, project_folder: folder } = status;
    const finding = emulator.ok(`${url}, version ${version}, process ${pid}, folder ${folder}`);
    return { finding, running: { control, status } };
  } catch (error) {
    return { finding: emulator.fromError(error, findHint), running: null };
  }
}

/** The port on which the next emulator would listen. */
async function checkPort(
  { values, sources, projectFolder }: Config,
  running: RunningEmulator | null,
): Promise<Finding> {
  const { host, port } = values;
  const finding = createFindingBuilder('port', 'Port');
  if (running !== null) return finding.ok(`${getPort(new URL(running.status.url))} is used by the emulator`);
  if (port === 0) return finding.ok('any free port');
  const error = await tryToListen(host, port);
  if (error === null) return finding.ok(`${port} is free`);
  const owner = sources.port.kind === 'default' ? await findEmulatorOnPort(values) : null;
  if (owner !== null) {
    const folderPort = portOfFolder(projectFolder);
    return finding.ok(
      `${port} is used by the emulator of ${owner.project_folder}, so this folder uses ${folderPort}`,
    );
  }
  return error.code === 'EADDRINUSE'
    ? finding.problem(`${port} is in use`, {
        text: 'Choose another port with --port, or find the program that uses it',
        command: toPortCommand(port),
      })
    : finding.problem(
        `Cannot listen on ${host}:${port}: ${error.message}`,
        'Choose another --host or --port.',
      );
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

async function checkDatabase(configuredPath: string, running: RunningEmulator | null): Promise<Finding> {
  const database = createFindingBuilder('database', 'Database');
  const toFinding = (path: string, size: number, damage: readonly string[]) =>
    damage.length === 0
      ? database.ok(`${path}, ${formatSize(size)}, intact`)
      : database.problem(
          `${path} is damaged: ${damage.join('; ')}`,
          'Move it to another folder to start with an empty database.',
        );
  if (running !== null) {
    const { size_bytes: size, damage } = (await running.control.getDiagnosis({})).database;
    return toFinding(running.status.db, size, damage);
  }
  if (configuredPath === ':memory:') return database.ok('in memory');
  try {
    const { checkFileIntegrity } = await import('../../store/database.ts');
    const report = checkFileIntegrity(configuredPath);
    if (report === null) return database.ok(`${configuredPath} does not exist yet`);
    return toFinding(configuredPath, report.size, report.damage);
  } catch (error) {
    return database.fromError(error);
  }
}

/** Checks whether endpoints are reachable, and whether the receivers verify signatures (§6). */
async function checkEndpoints(running: RunningEmulator | null, context: Context): Promise<Finding[]> {
  const endpoints = createFindingBuilder('endpoints', 'Endpoints');
  if (running === null) return [endpoints.skipped('need a running emulator')];
  const { control } = running;
  const webhooks = await listAll((page) => control.listWebhooks(page));
  if (webhooks.length === 0) {
    return [
      endpoints.skipped('no endpoint is registered', {
        text: 'Start the emulator with --forward-to PORT, or register one',
        command: 'svc webhooks create',
      }),
    ];
  }
  async function checkEndpoint({ id, url, disabled }: WebhookDetail): Promise<Finding[]> {
    if (!disabled) {
      return toConnectionFindings(await control.connectWebhook({ id }), context.now());
    }
    const enable = { text: 'Enable it', command: `svc webhooks update ${id} --enable` };
    const state = createFindingBuilder(`${id}/enabled`, `state of ${url}`);
    return [state.warning('disabled: its deliveries are paused', enable)];
  }
  return (await Promise.all(webhooks.map(checkEndpoint))).flat();
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
