/** Options that are fields of the API: their description, their parser and their choices come from the schema of the field. */
import { type Command, Option } from 'commander';
import type * as v from 'valibot';
import { type IdKind, idPatterns } from '../domain/ids.ts';
import { pickSettable } from '../resources/define-resource.ts';
import { endpointTable } from '../resources/endpoint.ts';
import { RelativeTime } from '../resources/value-schemas.ts';
import {
  choiceParser,
  durationParser,
  idParser,
  parseHeaders,
  parseList,
  parseSubscriptions,
  parseTimeOrAge,
  parseWebhookUrl,
  schemaParser,
} from './option-parsers.ts';
import type { ChoiceSource } from './prompt.ts';

/** Its value has the name of the field, so that a command can pass its options unchanged. */
export class FieldOption extends Option {
  readonly #field: string;
  /** What completion suggests, if it does not follow from the name of the option. */
  readonly source: ChoiceSource | undefined;

  constructor(field: string, flags: string, description: string, source?: ChoiceSource) {
    super(flags, description);
    this.#field = field;
    this.source = source;
  }

  override attributeName(): string {
    return this.#field;
  }
}

/** A row of a table of fields or filters, or an option that belongs to a field of an operation. */
export interface OptionRow {
  readonly schema: v.GenericSchema;
  readonly summary: string;
  /** The text of the option, if the summary does not fit. */
  readonly optionSummary?: string;
  /** Its flags (default: there is no option). */
  readonly option?: string;
  readonly defaultText?: string;
  /** If people write the value in another form than the schema accepts. */
  readonly parse?: ((text: string) => unknown) | undefined;
  readonly source?: ChoiceSource;
  /** The choices of the question for it in a terminal; true for a text (default: it can be omitted). */
  readonly ask?: ChoiceSource | true;
}

/** Creates an option for each row that has flags, in this order. */
export function createTableOptions<Name extends string>(
  table: Readonly<Record<Name, OptionRow>>,
): Readonly<Record<Name, Option>> {
  const rows = Object.entries<OptionRow>(table).filter(([, { option }]) => option !== undefined);
  const options = rows.map(([name, row]) => [name, createOption(name, row)]);
  return Object.fromEntries(options);
}

function createOption(name: string, row: OptionRow): Option {
  const { option: flags = '', summary, optionSummary = removeMarkdown(summary), defaultText, source } = row;
  const { parse = parserOfField(name, row.schema) } = row;
  const option = new FieldOption(name, flags, optionSummary, source);
  const schema = unwrap(row.schema);
  const choices = listChoices(schema);
  if (choices !== null) option.choices(choices);
  if (schema.type !== 'boolean') option.argParser(parse);
  return defaultText === undefined ? option : option.default(undefined, removeMarkdown(defaultText));
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

/** The parser of a field of the API, from its schema. */
export function parserOfField(name: string, field: v.GenericSchema): (text: string) => unknown {
  const schema = unwrap(field);
  if (/(?:^|_)ms$/.test(name)) return durationParser(schema);
  if (schema === RelativeTime) return parseTimeOrAge;
  const choices = listChoices(schema);
  if (choices !== null && schema.type === 'array')
    return (text) => parseList(text).map(choiceParser(choices));
  if (choices !== null) return choiceParser(choices);
  const { pipe = [] } = schema as { readonly pipe?: readonly { readonly requirement?: unknown }[] };
  const kinds = Object.keys(idPatterns) as IdKind[];
  const kind = kinds.find((each) => pipe.some(({ requirement }) => requirement === idPatterns[each]));
  return kind === undefined ? schemaParser(schema) : idParser(kind);
}

/** `--no-…` for an option, with the value false, which sets its default. Add it after that option. */
export function createNegation(option: Option): Option {
  return new FieldOption(
    option.attributeName(),
    `--no-${option.name()}`,
    `Set ${option.long} to its default`,
  );
}

/** @param names the fields whose options are added; default: all */
export function addOptions<AnyCommand extends Command>(
  command: AnyCommand,
  options: Readonly<Record<string, Option>>,
  names: readonly string[] = Object.keys(options),
): AnyCommand {
  for (const [name, option] of Object.entries(options)) if (names.includes(name)) command.addOption(option);
  return command;
}

const settings = pickSettable(endpointTable);
/** The options of the settings of an endpoint. */
export const endpointOptionTable = {
  ...settings,
  url: { ...settings.url, parse: parseWebhookUrl },
  events: { ...settings.events, parse: parseSubscriptions },
  headers: { ...settings.headers, parse: parseHeaders },
};
