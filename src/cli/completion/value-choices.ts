/** What the values of options and arguments can be, by the names that they have everywhere. */
import type { Argument, Option } from 'commander';
import { environments, scopes } from '../../domain/environment.ts';
import { profileNames } from '../../profile/rules.ts';
import { receiverRuleNames } from '../../receiver/receiver-check.ts';
import type { ChoiceSource } from '../choices/choice-source.ts';
import { eventTypeChoices, fixtureTypeChoices } from '../choices/event-type-choices.ts';
import { fixtureChoices, scriptChoices } from '../choices/fixture-choices.ts';
import {
  deliveryChoices,
  eventChoices,
  keyChoices,
  replayableDeliveryChoices,
  webhookChoices,
  workspaceChoices,
} from '../choices/resource-choices.ts';

export interface ValueChoices {
  readonly words?: readonly string[];
  /** Those of later offers come after; what a later one repeats is left out. */
  readonly sources?: readonly ChoiceSource[];
  /** Several with commas between them. */
  readonly isList?: true;
  /** Paths; with `@` before them where the value itself may stand there too. */
  readonly files?: 'path' | 'at';
}

/** The types with a fixture are known also where no emulator runs. */
const types: ValueChoices = { sources: [eventTypeChoices, fixtureTypeChoices] };

const byOption: Readonly<Record<string, ValueChoices>> = {
  '--delivery': { sources: [deliveryChoices] },
  '--environment': { words: environments },
  '--event': { sources: [eventChoices] },
  '--events': { ...types, isList: true },
  '--key': { sources: [keyChoices] },
  '--method': { words: ['GET', 'POST'] },
  '--profile': { words: profileNames },
  '--rule': { words: receiverRuleNames, isList: true },
  '--scopes': { words: scopes, isList: true },
  '--type': types,
  '--webhook': { sources: [webhookChoices] },
  '--workspace': { sources: [workspaceChoices] },
};

/** By what stands for the value in the help. */
const byPlaceholder: Readonly<Record<string, ValueChoices>> = {
  '<body>': { files: 'at' },
  '<file>': { files: 'path' },
  '<json>': { files: 'at' },
};

const byArgument: Readonly<Record<string, ValueChoices>> = {
  file: { files: 'path' },
  paths: { files: 'path' },
  script: { sources: [scriptChoices], files: 'path' },
  type: types,
};

/** What ids stand for in the commands of each group, and the names of fixtures in theirs. */
const byGroup: Readonly<Record<string, ValueChoices>> = {
  deliveries: { sources: [deliveryChoices] },
  events: { sources: [eventChoices] },
  fixtures: { sources: [fixtureChoices] },
  keys: { sources: [keyChoices] },
  open: { sources: [deliveryChoices, eventChoices, webhookChoices] },
  webhooks: { sources: [webhookChoices] },
  workspaces: { sources: [workspaceChoices] },
};

const namesOfGroup = ['id', 'ids', 'name'];

export function choicesForOption({ long, flags, argChoices }: Option, path: readonly string[]): ValueChoices {
  if (argChoices !== undefined) return { words: argChoices };
  if (long === '--starting-after') return byGroup[path[0] ?? ''] ?? {};
  return byPlaceholder[flags.split(' ').at(-1) ?? ''] ?? byOption[long ?? ''] ?? {};
}

export function choicesForArgument(argument: Argument, path: readonly string[]): ValueChoices {
  const name = argument.name();
  if (argument.argChoices !== undefined) return { words: argument.argChoices };
  if (path.join(' ') === 'deliveries replay') return { sources: [replayableDeliveryChoices] };
  // What is to be created has no name yet.
  if (namesOfGroup.includes(name) && path[1] !== 'create') return byGroup[path[0] ?? ''] ?? {};
  return byArgument[name] ?? {};
}
