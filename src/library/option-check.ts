/** TypeScript refuses a misspelt option; for callers in JavaScript, where it would silently do nothing, this does. */
import { type Environment, environments } from '../domain/access.ts';
import { findNearest } from '../domain/nearest.ts';
import { SvcError } from '../errors.ts';
import { type ProfileName, profileNames } from '../profile/rules.ts';
import type { CreateEmulatorOptions } from './emulator.ts';

const known = {
  ...{ profile: true, overrides: true, scheme: true, environment: true, clock: true },
  ...{
    randomSeed: true,
    wallClock: true,
    seed: true,
    db: true,
    keepDays: true,
    keepRequests: true,
    keepMegabytes: true,
    synchronous: true,
  },
  ...{
    listen: true,
    host: true,
    port: true,
    https: true,
    allowHost: true,
    publicUrl: true,
    tunnel: true,
    controlToken: true,
  },
  ...{ forwardTo: true, ca: true, proxy: true, listenerGraceMs: true },
  ...{ projectFolder: true, dashboardFolder: true, faultLog: true },
} satisfies Record<keyof CreateEmulatorOptions, true>;

/** @throws SvcError `usage` that names what is not known, and what was probably meant. */
export function checkOptions(options: CreateEmulatorOptions): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) {
      throw unknown(`createEmulator has no option ${JSON.stringify(name)}.`, name, Object.keys(known));
    }
  }
  checkChoice<ProfileName>('profile', options.profile, profileNames);
  checkChoice<Environment>('environment', options.environment, environments);
}

function checkChoice<Choice extends string>(
  name: keyof CreateEmulatorOptions,
  value: Choice | undefined,
  choices: readonly Choice[],
): void {
  if (value === undefined || choices.includes(value)) return;
  const message = `The option ${name} must be ${choices.join(' or ')}, not ${JSON.stringify(value)}.`;
  throw unknown(message, String(value), choices);
}

function unknown(message: string, word: string, candidates: readonly string[]): SvcError {
  const nearest = findNearest(word, candidates);
  return new SvcError('usage', message, nearest === null ? {} : { hint: `Did you mean ${nearest}?` });
}
