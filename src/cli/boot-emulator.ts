/** Boots an emulator in this process from the configuration. */
import { inspect } from 'node:util';
import { readDataFile } from '../config/read-data-file.ts';
import type { Config, ConfigValues } from '../config.ts';
import type { Seed } from '../contract/seed-schema.ts';
import type { Emulator } from '../emulator.ts';
import { SvcError } from '../errors.ts';
import type { Rules } from '../profile/rules.ts';
import { monotonic } from '../timers.ts';
import type { ProcessContext } from './context.ts';
import { toHttpsOptions } from './https-options.ts';
import type { NoteOutput } from './io.ts';
import { resolveProxySetting } from './proxy-setting.ts';
import { readNamedFile } from './read-value.ts';
import { styleFor } from './render/style.ts';
import { printHint } from './report-error.ts';
import { findEmulatorOnPort, suggestForBusyPort } from './running-emulator.ts';

/**
 * Errors of the running emulator are printed as notes.
 * @throws SvcError as `startEmulator`, and `usage` for settings that exclude each other.
 */
export async function bootEmulator(
  config: Config,
  rules: Rules,
  { io, cwd, env }: Pick<ProcessContext, 'cwd' | 'env'> & { readonly io: NoteOutput },
): Promise<Emulator> {
  const { startEmulator } = await import('../emulator.ts');
  const { values, sources, projectFolder } = config;
  const { host, port, db, environment, speed, freeze, randomSeed, wallClock } = values;
  const { keepDays, keepRequests, keepMegabytes, forwardTo, events, controlToken, allowHost } = values;
  const seed = values.seed === null ? null : await readDataFile(values.seed);
  const ca = values.ca === null ? undefined : await readNamedFile(values.ca, cwd);
  try {
    const emulator = await startEmulator({
      ...{ host, port, db, environment, rules, controlToken, allowHost, projectFolder },
      ...toPublicAddress(values),
      https: toHttpsOptions(values),
      // Without an option, the database keeps its value.
      clock: {
        ...(sources.speed.kind === 'default' ? {} : { speed }),
        ...(sources.freeze.kind === 'default' ? {} : { frozen: freeze }),
      },
      // `startEmulator` validates it.
      seed: seed as Seed | null,
      seedName: values.seed ?? '',
      ca: ca?.toString('utf8'),
      proxy: resolveProxySetting(values.proxy, env),
      ...{ randomSeed, keepRequests, keepMegabytes },
      keepDays: sources.keepDays.kind === 'default' ? undefined : keepDays,
      wallClock: wallClock === null ? null : new Date(wallClock),
      forwardTo: forwardTo === null ? undefined : { url: forwardTo, events },
      internalErrorLog: { report: createWarningReporter(io) },
    });
    if (seed !== null && !emulator.seeded) io.note(`The seed was not applied: ${db} is not a new database.`);
    return emulator;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'port_in_use') throw error;
    const hint = suggestForBusyPort(await findEmulatorOnPort(config, { cwd, env }), port);
    throw new SvcError('port_in_use', error.message, { hint, cause: error });
  }
}

function toPublicAddress({ publicUrl, tunnel }: ConfigValues) {
  if (tunnel && publicUrl !== null) {
    throw new SvcError('usage', '--tunnel and --public-url cannot be used together.', {
      hint: 'Remove --public-url: the tunnel has its own address.',
    });
  }
  return { publicUrl, tunnel };
}

/** A full disk or a deleted file fails every write. The same warning is repeated only after this time. */
const REPEAT_AFTER_MS = 10_000;

/** Prints errors of the running emulator as notes. */
export function createWarningReporter(io: NoteOutput): (where: string, error: unknown) => void {
  const notedAt = new Map<string, number>();
  return (where, error) => {
    if (!(error instanceof SvcError)) {
      io.note(`Internal error of svc in ${where}: ${inspect(error)}`);
      return;
    }
    const now = monotonic();
    if (now - (notedAt.get(error.message) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
    notedAt.set(error.message, now);
    io.note(`${styleFor(io.noteCapabilities).yellow('warning:')} ${error.message}`);
    if (error.hint !== undefined) printHint(error.hint, io);
  };
}
