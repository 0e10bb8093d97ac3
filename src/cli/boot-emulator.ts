/** Starts an emulator in this process from the configuration. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Config } from '../config/resolve-config.ts';
import { SvcError } from '../domain/errors.ts';
import { findWebhookUrlError } from '../domain/webhook-url.ts';
import type { Emulator } from '../emulator.ts';
import type { EmulatorStatus } from '../operations/emulator-schemas.ts';
import type { Seed } from '../operations/seed-schema.ts';
import { readDataFile } from '../platform/read-data-file.ts';
import type { Rules } from '../profile/rules.ts';
import { findEmulatorOnPort } from './emulator-target.ts';
import { createWriteError, readCaFile } from './file-access.ts';
import type { NoteOutput, ProcessContext } from './process-context.ts';
import { printHint, printWarning } from './report-error.ts';

/** Settings of an emulator that leaves nothing behind: in memory and on a free port. */
export const TEMPORARY_SETTINGS = { port: '0', db: ':memory:' };

/**
 * Starts the emulator. Errors that occur later, while it runs, are printed as notes.
 * @param fresh removes all data of the database first
 * @throws SvcError as `startEmulator`, and `usage` for settings that exclude each other.
 */
export async function bootEmulator(
  config: Config,
  rules: Rules,
  { io, cwd, signal }: Pick<ProcessContext, 'cwd' | 'signal'> & { readonly io: NoteOutput },
  fresh?: boolean,
): Promise<Emulator> {
  const { startEmulator } = await import('../emulator.ts');
  const { values, sources, projectFolder } = config;
  const { host, db, environment, controlToken, allowHost, randomSeed, keepMegabytes } = values;
  if (values.tunnel && values.publicUrl !== null) {
    throw new SvcError('usage', '--tunnel and --public-url cannot be used together.', {
      hint: 'Remove --public-url: the tunnel has its own address.',
    });
  }
  if (values.forwardTo !== null) {
    const subject = `The URL in ${sources.forwardTo.name}`;
    const urlError = findWebhookUrlError(subject, values.forwardTo, rules.webhookUrl);
    if (urlError !== null) throw urlError;
    const { assertLocalHost } = await import('../platform/address-policy.ts');
    await assertLocalHost(subject, values.forwardTo, rules.webhookUrl);
  }
  const seed = values.seed === null ? null : await readDataFile(values.seed);
  const ca = values.ca === null ? undefined : readCaFile(values.ca, cwd);
  const start = (port: number) =>
    startEmulator({
      host,
      port,
      db,
      fresh,
      environment,
      rules,
      controlToken,
      allowHost,
      projectFolder,
      publicUrl: values.publicUrl,
      tunnel: values.tunnel,
      https: values.https || undefined,
      // A database keeps its clock settings unless this start has others.
      clock: {
        ...(sources.speed.kind === 'default' ? {} : { speed: values.speed }),
        ...(sources.freeze.kind === 'default' ? {} : { frozen: values.freeze }),
      },
      // `startEmulator` validates it.
      seed: seed as Seed | null,
      seedName: values.seed ?? '',
      ca,
      proxy: values.proxy ?? undefined,
      randomSeed,
      keepMegabytes,
      // Undefined selects the default, which depends on the wall clock: no limit if it is pinned.
      keepDays: sources.keepDays.kind === 'default' ? undefined : values.keepDays,
      wallClock: values.wallClock === null ? null : new Date(values.wallClock),
      forwardTo: values.forwardTo === null ? undefined : { url: values.forwardTo, events: values.events },
      internalErrorLog: { report: createWarningReporter(io) },
      signal,
    });
  const emulator = await startOnFreePort(start, config, io);
  if (seed !== null && !emulator.seeded) {
    io.note(`The seed was not applied: ${db} is not a new database.`);
    printHint('Use svc emulator start with --fresh to remove all data and apply the seed.', io);
  }
  return emulator;
}

/**
 * Starts the emulator on the configured port. If another emulator uses the default port, it takes the port of this folder.
 * @throws SvcError as `startEmulator`
 */
async function startOnFreePort(
  start: (port: number) => Promise<Emulator>,
  { values, sources, projectFolder }: Config,
  io: NoteOutput,
): Promise<Emulator> {
  try {
    return await start(values.port);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'port_in_use') throw error;
    const owner = await findEmulatorOnPort(values);
    if (owner === null || sources.port.kind !== 'default') throw createBusyPortError(values, owner, error);
    const folderPort = portOfFolder(projectFolder);
    const emulator = await start(folderPort);
    io.note(
      `Port ${values.port} is in use by the emulator of ${owner.project_folder}, so this folder uses port ${folderPort}.`,
    );
    return emulator;
  }
}

/** @param owner the emulator that uses the port; null for another program */
function createBusyPortError(
  { host, port }: Pick<Config['values'], 'host' | 'port'>,
  owner: EmulatorStatus | null,
  cause: unknown,
): SvcError {
  const [by, alternative, command] =
    owner === null
      ? ['', `find the program on port ${port}`, toPortCommand(port)]
      : [
          ` by svc (pid ${owner.pid}, database ${owner.db})`,
          'stop that emulator',
          `svc emulator stop --url ${owner.url}`,
        ];
  return new SvcError('port_in_use', `Port ${port} on ${host} is already in use${by}.`, {
    hint: { text: `Use any free port with svc emulator start --port 0, or ${alternative}`, command },
    cause,
  });
}

/** The command that shows which program uses a port. */
export function toPortCommand(port: number): string {
  return process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`;
}

/** By default, Linux, macOS and Windows assign only higher ports to outgoing connections and to servers on port 0. */
const FOLDER_PORTS = { first: 20_000, count: 12_000 };

/** The port of a folder, the same at each start. */
export function portOfFolder(folder: string): number {
  const { first, count } = FOLDER_PORTS;
  return first + (createHash('sha256').update(folder).digest().readUInt32BE() % count);
}

/**
 * Writes the generated certificate to `certificate.pem` in `folder`, for clients to trust.
 * @returns its path; null without HTTPS
 * @throws SvcError `usage` if it cannot be written
 */
export function writeCertificate(folder: string, certificate: string | null): string | null {
  if (certificate === null) return null;
  const path = join(folder, 'certificate.pem');
  try {
    writeFileSync(path, certificate, { mode: 0o644 });
  } catch (error) {
    throw createWriteError(path, error, 'Start the emulator in a writable folder.');
  }
  return path;
}

/** @returns a function that prints the errors of the running emulator as notes, but not the same twice in a row */
function createWarningReporter(io: NoteOutput): (where: string, error: unknown) => void {
  let last = '';
  return (where, error) => {
    if (!(error instanceof SvcError)) {
      io.note(`Internal error in svc (${where}): ${inspect(error)}`);
      return;
    }
    if (error.message === last) return;
    last = error.message;
    printWarning(error.message, io);
    if (error.hint !== undefined) printHint(error.hint, io);
  };
}
