/** Possible values of options and arguments, by their names. */
import type { Argument, Option } from 'commander';
import { receiverRuleNames } from '../../receiver/receiver-check.ts';
import {
  eventTypeChoices,
  fixtureChoices,
  fixtureTypeChoices,
  scriptChoices,
} from '../choices/fixture-choices.ts';
import {
  deliveryChoices,
  eventChoices,
  keyChoices,
  replayableDeliveryChoices,
  requestChoices,
  webhookChoices,
  workspaceChoices,
} from '../choices/resource-choices.ts';
import type { ChoiceSource } from '../prompt.ts';

export interface ValueChoices {
  readonly words?: readonly string[];
  /** The choices of all sources, in this order, without duplicates. */
  readonly sources?: readonly ChoiceSource[];
  /** Whether the value is a list, separated by commas. */
  readonly isList?: boolean;
  /** `path` for a path; `at` for a value or `@` with a path. */
  readonly files?: 'path' | 'at';
}

/** Event types with a fixture are available without an emulator. */
const eventTypes: ValueChoices = { sources: [eventTypeChoices, fixtureTypeChoices] };

const byOption: Readonly<Record<string, ValueChoices>> = {
  '--delivery': { sources: [deliveryChoices] },
  '--event': { sources: [eventChoices] },
  '--events': { ...eventTypes, isList: true },
  '--key': { sources: [keyChoices] },
  '--method': { words: ['GET', 'POST'] },
  '--rule': { words: receiverRuleNames, isList: true },
  '--type': eventTypes,
  '--webhook': { sources: [webhookChoices] },
  '--workspace': { sources: [workspaceChoices] },
};

/** Choices by the placeholder of the value in the help. */
const byPlaceholder: Readonly<Record<string, ValueChoices>> = {
  '<body>': { files: 'at' },
  '<file>': { files: 'path' },
  '<json>': { files: 'at' },
};

const byArgument: Readonly<Record<string, ValueChoices>> = {
  file: { files: 'path' },
  paths: { files: 'path' },
  script: { sources: [scriptChoices], files: 'path' },
  type: eventTypes,
};

/** IDs and names, by the group of the command. */
const byGroup: Readonly<Record<string, ValueChoices>> = {
  deliveries: { sources: [deliveryChoices] },
  events: { sources: [eventChoices] },
  fixtures: { sources: [fixtureChoices] },
  keys: { sources: [keyChoices] },
  logs: { sources: [requestChoices] },
  open: { sources: [deliveryChoices, eventChoices, webhookChoices] },
  webhooks: { sources: [webhookChoices] },
  workspaces: { sources: [workspaceChoices] },
};

/** Arguments whose choices are those of the group. */
const groupArgumentNames = ['id', 'ids', 'name'];

export function choicesForOption({ long, flags, argChoices }: Option, path: readonly string[]): ValueChoices {
  if (argChoices !== undefined) return { words: argChoices, isList: flags.endsWith('<list>') };
  if (long === '--starting-after') return byGroup[path[0] ?? ''] ?? {};
  return byPlaceholder[flags.split(' ').at(-1) ?? ''] ?? byOption[long ?? ''] ?? {};
}

export function choicesForArgument(argument: Argument, path: readonly string[]): ValueChoices {
  const name = argument.name();
  if (argument.argChoices !== undefined) return { words: argument.argChoices };
  if (path.join(' ') === 'deliveries replay') return { sources: [replayableDeliveryChoices] };
  // The name of a new resource has no choices.
  if (groupArgumentNames.includes(name) && path[1] !== 'create') return byGroup[path[0] ?? ''] ?? {};
  return byArgument[name] ?? {};
}
