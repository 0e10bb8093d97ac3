/** Checks what an emulator needs to start: Node.js, the configuration and the port. */
import { createServer } from 'node:net';
import { type Config, listConfig } from '../../config.ts';
import type { EmulatorStatus } from '../../contract/emulator-schemas.ts';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';
import { findOwnRunFile, findTrustedRunFile } from '../../control/run-file.ts';
import type { Context } from '../context.ts';
import { findEmulatorOnPort, suggestForBusyPort } from '../running-emulator.ts';

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

export interface CheckedConfig {
  readonly finding: Finding;
  /** Null when it is invalid. */
  readonly config: Config | null;
}

/** Checks the settings and the overrides of the gap register from all sources. */
export async function checkConfig(context: Context): Promise<CheckedConfig> {
  const configuration = createFindingBuilder('config', 'Configuration');
  try {
    const config = await context.resolveConfig();
    await context.resolveRules();
    const changedSettings = listConfig(config).filter(({ source }) => source !== 'default');
    const names = changedSettings.map(({ setting }) => setting).join(', ');
    const source = config.file ?? 'no file';
    return {
      finding: configuration.ok(`${source}; ${names === '' ? 'all defaults' : `sets ${names}`}`),
      config,
    };
  } catch (error) {
    return { finding: configuration.fromError(error), config: null };
  }
}

/** @param running status of the emulator that commands use; null without one */
export async function checkPort(
  config: Config,
  context: Context,
  running: EmulatorStatus | null,
): Promise<Finding> {
  const { host, port } = config.values;
  const portFinding = createFindingBuilder('port', 'Port');
  const { projectFolder } = config;
  // The emulator can have a different --port, and commands can use a different emulator.
  const runFile = findTrustedRunFile(() => findOwnRunFile(projectFolder, context.env));
  if (runFile !== null)
    return portFinding.ok(`${new URL(runFile.control_url).port} is used by the emulator of this folder`);
  if (running !== null && Number(new URL(running.url).port) === port) {
    return portFinding.ok(`${port} is used by the emulator that commands use`);
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
  return portFinding.problem(`${port} is in use`, suggestForBusyPort(emulator, port));
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
