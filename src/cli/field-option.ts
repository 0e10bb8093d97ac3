/** Options that are fields of the API: their description, their parser and their choices come from the schema of the field. */
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { type IdKind, idPatterns } from '../domain/ids.ts';
import { RelativeTime } from '../validation/value-schemas.ts';
import {
  choiceParser,
  durationParser,
  idParser,
  parseList,
  parseTimeOrAge,
  schemaParser,
} from './option-parsers.ts';

/** Its value has the name of the field, so that a command can pass its options unchanged. */
class FieldOption extends Option {
  readonly #field: string;

  constructor(field: string, flags: string, description: string) {
    super(flags, description);
    this.#field = field;
  }

  override attributeName(): string {
    return this.#field;
  }
}

interface FieldEntry {
  readonly flags: string;
  /** If that of the field does not fit the option. */
  readonly description?: string;
  readonly parse?: (text: string) => unknown;
  readonly defaultText?: string;
}

type FieldEntries<Fields> = { readonly [Field in keyof Fields]-?: FieldEntry | string };
export type FieldOptions<Fields> = { readonly [Field in keyof Fields]-?: Option };

/** Creates an option for each field, in this order. @param entries flags, or flags with what differs from the field */
export function createFieldOptions<const Fields extends v.ObjectEntries>(
  fields: Fields,
  entries: FieldEntries<Fields>,
): FieldOptions<Fields> {
  const options = Object.entries<FieldEntry | string>(entries).map(([name, entry]) => {
    const { flags, description, parse, defaultText } = typeof entry === 'string' ? { flags: entry } : entry;
    const field = fields[name] as v.GenericSchema;
    const option = new FieldOption(name, flags, description ?? describeField(field));
    const schema = unwrap(field);
    const choices = listChoices(schema);
    if (choices !== null) option.choices(choices);
    if (schema.type !== 'boolean') option.argParser(parse ?? toParser(name, schema));
    if (defaultText !== undefined) option.default(undefined, defaultText);
    return [name, option];
  });
  return Object.fromEntries(options);
}

/** The first sentence of the description, without Markdown, the default and its period. */
function describeField(field: v.GenericSchema): string {
  return (v.getDescription(field) ?? '')
    .replaceAll('`', '')
    .replace(/(?: \(default: [^)]*\))?\.(?: .*)?$/s, '');
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

function toParser(name: string, schema: v.GenericSchema): (text: string) => unknown {
  if (name.endsWith('_ms')) return durationParser(schema);
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
