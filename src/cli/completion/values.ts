/** What the values of options and arguments can be, by the names that they have everywhere. */
import type { Argument, Option } from 'commander';
import { environments, scopes } from '../../domain/access.ts';
import { profileNames } from '../../profile/rules.ts';
import { receiverRuleNames } from '../../receiver/check.ts';
import { eventTypes, fixtureTypes } from '../offers/event-types.ts';
import { fixtures, scripts } from '../offers/fixtures.ts';
import type { Offer } from '../offers/offer.ts';
import { deliveries, events, keys, replayableDeliveries, webhooks, workspaces } from '../offers/resources.ts';

export interface Values {
  readonly words?: readonly string[];
  /** Those of later offers come after; what a later one repeats is left out. */
  readonly offers?: readonly Offer[];
  /** Several with commas between them. */
  readonly isList?: true;
  /** Paths; with `@` before them where the value itself may stand there too. */
  readonly files?: 'path' | 'at';
}

/** The types with a fixture are known also where no emulator runs. */
const types: Values = { offers: [eventTypes, fixtureTypes] };

const byOption: Readonly<Record<string, Values>> = {
  '--delivery': { offers: [deliveries] },
  '--environment': { words: environments },
  '--event': { offers: [events] },
  '--events': { ...types, isList: true },
  '--key': { offers: [keys] },
  '--method': { words: ['GET', 'POST'] },
  '--profile': { words: profileNames },
  '--rule': { words: receiverRuleNames, isList: true },
  '--scopes': { words: scopes, isList: true },
  '--type': types,
  '--webhook': { offers: [webhooks] },
  '--workspace': { offers: [workspaces] },
};

/** By what stands for the value in the help. */
const byPlaceholder: Readonly<Record<string, Values>> = {
  '<body>': { files: 'at' },
  '<file>': { files: 'path' },
  '<json>': { files: 'at' },
};

const byArgument: Readonly<Record<string, Values>> = {
  file: { files: 'path' },
  paths: { files: 'path' },
  script: { offers: [scripts], files: 'path' },
  type: types,
};

/** What ids stand for in the commands of each group, and the names of fixtures in theirs. */
const byGroup: Readonly<Record<string, Values>> = {
  deliveries: { offers: [deliveries] },
  events: { offers: [events] },
  fixtures: { offers: [fixtures] },
  keys: { offers: [keys] },
  open: { offers: [deliveries, events, webhooks] },
  webhooks: { offers: [webhooks] },
  workspaces: { offers: [workspaces] },
};

const namesOfGroup = ['id', 'ids', 'name'];

export function valuesOfOption({ long, flags, argChoices }: Option, path: readonly string[]): Values {
  if (argChoices !== undefined) return { words: argChoices };
  if (long === '--starting-after') return byGroup[path[0] ?? ''] ?? {};
  return byPlaceholder[flags.split(' ').at(-1) ?? ''] ?? byOption[long ?? ''] ?? {};
}

export function valuesOfArgument(argument: Argument, path: readonly string[]): Values {
  const name = argument.name();
  if (argument.argChoices !== undefined) return { words: argument.argChoices };
  if (path.join(' ') === 'deliveries replay') return { offers: [replayableDeliveries] };
  // What is to be created has no name yet.
  if (namesOfGroup.includes(name) && path[1] !== 'create') return byGroup[path[0] ?? ''] ?? {};
  return byArgument[name] ?? {};
}
