/** What has to be right before an emulator can start: Node.js, the configuration and the port. */
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
  const isOldEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isOldEnough
    ? node.ok(`version ${version}`)
    : node.problem(
        `version ${version} is too old`,
        `Install Node.js ${OLDEST_NODE.join('.')} or a later one: https://nodejs.org`,
      );
}

export interface CheckedConfig {
  readonly finding: Finding;
  /** Null where it is not valid. */
  readonly config: Config | null;
}

/** Settings and rows of the gap register, by the command line, the variables and the file. */
export async function checkConfig(context: Context): Promise<CheckedConfig> {
  const configuration = createFindingBuilder('config', 'Configuration');
  try {
    const config = await context.config();
    await context.rules();
    const set = listConfig(config).filter(({ source }) => source !== 'default');
    const names = set.map(({ setting }) => setting).join(', ');
    const where = config.file ?? 'no file';
    return {
      finding: configuration.ok(`${where}; ${names === '' ? 'all defaults' : `sets ${names}`}`),
      config,
    };
  } catch (error) {
    return { finding: configuration.fromError(error), config: null };
  }
}

/** @param running the emulator of this folder; null where there is none */
export async function checkPort(
  config: Config,
  context: Context,
  running: EmulatorStatus | null,
): Promise<Finding> {
  const { host, port } = config.values;
  const found = createFindingBuilder('port', 'Port');
  const { projectFolder } = config;
  // Also where it was started with another --port, and where commands are pointed to another emulator.
  const own = findTrustedRunFile(() => findOwnRunFile(projectFolder, context.env));
  if (own !== null)
    return found.ok(`${new URL(own.control_url).port} is that of the emulator of this folder`);
  if (running !== null && Number(new URL(running.url).port) === port) {
    return found.ok(`${port} is that of the emulator that commands talk to`);
  }
  if (port === 0) return found.ok('any free one');
  const fault = await tryToListen(host, port);
  if (fault === null) return found.ok(`${port} is free`);
  if (fault.code !== 'EADDRINUSE') {
    return found.problem(
      `${host}:${port} cannot be listened on: ${fault.message}`,
      'Choose another --host or --port.',
    );
  }
  const occupant = await findEmulatorOnPort(config, context);
  return found.problem(`${port} is in use`, suggestForBusyPort(occupant, port));
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
