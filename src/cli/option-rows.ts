/** Adds the rows of a command to commander. */
import type { Command, Option } from 'commander';
import type * as v from 'valibot';
import { type IdKind, idPatterns } from '../domain/ids.ts';
import { RelativeTime } from '../resources/value-schemas.ts';
import { type OptionRow, RowArgument, RowOption } from './command.ts';
import type { Context } from './context.ts';
import {
  choiceParser,
  durationParser,
  idParser,
  parseList,
  parseTimeOrAge,
  schemaParser,
} from './option-parsers.ts';

export type OptionRows = Readonly<Record<string, OptionRow>>;

/** Adds an option or an argument for each row that is on the command line, in this order. */
export function addRows(command: Command, rows: OptionRows): void {
  for (const [field, row] of Object.entries(rows)) {
    if (row.argument !== undefined) command.addArgument(createArgument(field, row.argument, row));
    if (row.option === undefined) continue;
    const option = createOption(field, row.option, row);
    command.addOption(option);
    if (row.negatable) {
      const text = `Set ${option.long} to its default`;
      command.addOption(new RowOption(field, `--no-${option.name()}`, text, row));
    }
  }
}

function createOption(field: string, flags: string, row: OptionRow): Option {
  const { summary, optionSummary = removeMarkdown(summary), defaultText } = row;
  const option = new RowOption(field, flags, optionSummary, row);
  const parse = parserOfRow(field, row);
  const choices = row.choices ?? (row.schema && listChoices(unwrap(row.schema)));
  if (choices) option.argChoices = [...choices];
  if (parse !== null && (option.required || option.optional)) option.argParser(parse as never);
  if (defaultText !== undefined) option.default(undefined, removeMarkdown(defaultText));
  if (row.group !== undefined) option.helpGroup(row.group);
  return option.hideHelp(row.isHidden === true);
}

function createArgument(field: string, name: string, row: OptionRow): RowArgument {
  const argument = new RowArgument(field, name, row);
  const parse = parserOfRow(field, row);
  if (row.choices) argument.argChoices = [...row.choices];
  if (parse !== null && !argument.variadic) argument.argParser(parse as never);
  if (row.defaultText !== undefined) argument.default(undefined, row.defaultText);
  return argument;
}

/** `ids` of `[ids...]` */
export function toWord(argument: string): string {
  return argument.replace(/[^\w-]/g, '');
}

function removeMarkdown(text: string): string {
  return text.replaceAll('`', '');
}

/** The schema without `optional` and `nullable` around it. */
function unwrap(field: v.GenericSchema): v.GenericSchema {
  const { wrapped } = field as { readonly wrapped?: v.GenericSchema };
  return wrapped === undefined ? field : unwrap(wrapped);
}

/** The values of a choice or of a list of choices; null for other schemas. */
function listChoices(schema: v.GenericSchema): readonly string[] | null {
  const { item = schema } = schema as { readonly item?: v.GenericSchema };
  const { type, options } = item as v.PicklistSchema<readonly string[], undefined>;
  return type === 'picklist' ? options : null;
}

export function findIdKind({ schema, idKind }: OptionRow): IdKind | undefined {
  if (idKind !== undefined) return idKind;
  const { pipe = [] } = (schema ? unwrap(schema) : {}) as {
    readonly pipe?: readonly { readonly requirement?: unknown }[];
  };
  const kinds = Object.keys(idPatterns) as IdKind[];
  return kinds.find((kind) => pipe.some(({ requirement }) => requirement === idPatterns[kind]));
}

/** Null if the value stays text. */
export function parserOfRow(field: string, row: OptionRow): NonNullable<OptionRow['parse']> | null {
  if (row.parse !== undefined) return row.parse;
  if (row.choices !== undefined) return choiceParser(row.choices);
  const kind = findIdKind(row);
  if (kind !== undefined) return idParser(kind);
  if (row.schema === undefined) return null;
  const schema = unwrap(row.schema);
  if (/(?:^|_)ms$/.test(field)) return durationParser(schema);
  if (schema === RelativeTime) return parseTimeOrAge;
  const choices = listChoices(schema);
  if (choices !== null && schema.type === 'array')
    return (text, previous) => parseList(text, previous).map(choiceParser(choices));
  return choices === null ? schemaParser(schema) : choiceParser(choices);
}

export const currentWorkspace = {
  idKind: 'workspace',
  defaultText: 'SVC_WORKSPACE_ID, or the default workspace',
  getDefault: (context: Context) => context.getWorkspaceId(),
} as const;
/** The workspace of a command that concerns one. */
export const workspaceRow = {
  ...currentWorkspace,
  option: '--workspace <id>',
  summary: 'Workspace ID',
} as const;
