/** The possible values of options and arguments, for completion and prompts. */
import { Argument, type Option } from 'commander';
import type { IdKind } from '../../domain/ids.ts';
import { receiverRuleNames } from '../../receivers/receiver-check.ts';
import { type OptionRow, RowArgument, RowOption } from '../command.ts';
import { findIdKind } from '../option-rows.ts';
import type { ChoiceSource } from './choice-source.ts';
import { eventTypeChoices } from './fixture-choices.ts';
import {
  deliveryChoices,
  eventChoices,
  keyChoices,
  webhookChoices,
  workspaceChoices,
} from './resource-choices.ts';

export interface RowChoices {
  readonly words?: readonly string[];
  readonly source?: ChoiceSource | undefined;
  /** Whether the value is a list, separated by commas. */
  readonly isList?: boolean;
  /** `path` for a path; `at` for a value or `@` with a path. */
  readonly files?: 'path' | 'at' | undefined;
}

const sourcesOfIds: { readonly [Kind in IdKind]?: ChoiceSource } = {
  apiKey: keyChoices,
  delivery: deliveryChoices,
  event: eventChoices,
  webhook: webhookChoices,
  workspace: workspaceChoices,
};

const sourcesOfFields: Readonly<Record<string, ChoiceSource>> = {
  events: eventTypeChoices,
  type: eventTypeChoices,
};

/** The choices of a row: its own, those of the resource whose ID it is, or those of its name. */
export function findSource(field: string, row: OptionRow): ChoiceSource | undefined {
  const kind = findIdKind(row);
  return row.source ?? (kind ? sourcesOfIds[kind] : sourcesOfFields[field]);
}

/** By the placeholder of the value in the help. */
const files: Readonly<Record<string, RowChoices['files']>> = {
  body: 'at',
  file: 'path',
  files: 'path',
  json: 'at',
  script: 'path',
};

const wordsOfFields: Readonly<Record<string, RowChoices>> = {
  method: { words: ['GET', 'POST'] },
  rule: { words: receiverRuleNames, isList: true },
};

export function choicesOf(target: Option | Argument): RowChoices {
  const text = target instanceof Argument ? target.name() : target.flags;
  const placeholder = /<(\w*)>$/.exec(text)?.[1] ?? text;
  const isList = placeholder === 'list';
  if (target.argChoices !== undefined) return { words: target.argChoices, isList };
  const choices = { isList, files: files[placeholder] };
  if (!(target instanceof RowOption || target instanceof RowArgument)) return choices;
  return { ...choices, source: findSource(target.field, target.row), ...wordsOfFields[target.field] };
}
