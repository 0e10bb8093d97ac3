/** An emulator in this process, as the configuration wants it. */
import { inspect } from 'node:util';
import { readSeedFile } from '../config/seed-file.ts';
import type { Config, ConfigValues } from '../config.ts';
import type { Seed } from '../contract/seed-schema.ts';
import type { Emulator } from '../emulator.ts';
import { SvcError } from '../errors.ts';
import type { Rules } from '../profile/rules.ts';
import { monotonic } from '../timers.ts';
import type { Host } from './context.ts';
import { toHttpsOptions } from './https-options.ts';
import type { NoteOutput } from './io.ts';
import { resolveProxySetting } from './proxy-setting.ts';
import { readNamedFile } from './read-value.ts';
import { printHint } from './render/hint.ts';
import { styleFor } from './render/style.ts';
import { findEmulatorOnPort, suggestForBusyPort } from './running-emulator.ts';

/**
 * Boots it; what happens to it later on is told in notes.
 * @throws SvcError as `startEmulator`, and `usage` for settings that exclude each other.
 */
export async function bootEmulator(
  config: Config,
  rules: Rules,
  { io, cwd, env }: Pick<Host, 'cwd' | 'env'> & { readonly io: NoteOutput },
): Promise<Emulator> {
  const { startEmulator } = await import('../emulator.ts');
  const { values, sources, projectFolder } = config;
  const { host, port, db, environment, speed, freeze, randomSeed, wallClock } = values;
  const { keepDays, keepRequests, keepMegabytes, forwardTo, events, controlToken, allowHost } = values;
  const seed = values.seed === null ? null : await readSeedFile(values.seed);
  const ca = values.ca === null ? undefined : await readNamedFile(values.ca, cwd);
  try {
    const emulator = await startEmulator({
      ...{ host, port, db, environment, rules, controlToken, allowHost, projectFolder },
      ...toPublicAddress(values),
      https: toHttpsOptions(values),
      // What nobody said goes on as the database has it.
      clock: {
        ...(sources.speed.kind === 'default' ? {} : { speed }),
        ...(sources.freeze.kind === 'default' ? {} : { frozen: freeze }),
      },
      // It is checked there.
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
    if (seed !== null && !emulator.seeded)
      io.note(`The seed is for a new database; ${db} was in use before and is as it was.`);
    return emulator;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'port_in_use') throw error;
    const hint = suggestForBusyPort(await findEmulatorOnPort(config, { cwd, env }), port);
    throw new SvcError('port_in_use', error.message, { hint, cause: error });
  }
}

function toPublicAddress({ publicUrl, tunnel }: ConfigValues) {
  if (tunnel && publicUrl !== null) {
    throw new SvcError('usage', '--tunnel and --public-url exclude each other.', {
      hint: 'A tunnel brings an address of its own.',
    });
  }
  return { publicUrl, tunnel };
}

/** A full disk or a removed file fails every write: the same warning is not repeated for this long. */
const REPEAT_AFTER_MS = 10_000;

/** Notes errors of the running emulator. */
export function createWarningReporter(io: NoteOutput): (where: string, fault: unknown) => void {
  const notedAt = new Map<string, number>();
  return (where, fault) => {
    if (!(fault instanceof SvcError)) {
      io.note(`${where} met a fault in svc: ${inspect(fault)}`);
      return;
    }
    const now = monotonic();
    if (now - (notedAt.get(fault.message) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
    notedAt.set(fault.message, now);
    io.note(`${styleFor(io.noteCapabilities).yellow('warning:')} ${fault.message}`);
    if (fault.hint !== undefined) printHint(fault.hint, io);
  };
}
