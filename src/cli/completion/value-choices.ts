/** Possible values of options and arguments: their own, or those of their names. */
import type { Argument, Option } from 'commander';
import { receiverRuleNames } from '../../receivers/receiver-check.ts';
import { eventTypeChoices, fixtureTypeChoices } from '../choices/fixture-choices.ts';
import {
  deliveryChoices,
  eventChoices,
  keyChoices,
  webhookChoices,
  workspaceChoices,
} from '../choices/resource-choices.ts';
import { ChosenArgument } from '../command.ts';
import { FieldOption } from '../field-option.ts';
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
  files: { files: 'path' },
  script: { files: 'path' },
  type: eventTypes,
};

export function choicesForOption(option: Option): ValueChoices {
  const { long, flags, argChoices } = option;
  if (argChoices !== undefined) return { words: argChoices, isList: flags.endsWith('<list>') };
  if (option instanceof FieldOption && option.source !== undefined) return { sources: [option.source] };
  return byPlaceholder[flags.split(' ').at(-1) ?? ''] ?? byOption[long ?? ''] ?? {};
}

export function choicesForArgument(argument: Argument): ValueChoices {
  const { argChoices } = argument;
  if (argChoices !== undefined) return { words: argChoices };
  const sources = argument instanceof ChosenArgument ? argument.sources : [];
  return { sources, ...byArgument[argument.name()] };
}
