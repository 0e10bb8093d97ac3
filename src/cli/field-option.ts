/** Options that are fields of the API: their description, their parser and their choices come from the schema of the field. */
import { type Command, Option } from 'commander';
import * as v from 'valibot';
import { type IdKind, idPatterns } from '../domain/ids.ts';
import { RelativeTime } from '../validation/value-schemas.ts';
import { choiceParser, durationParser, idParser, parseTimeOrAge, schemaParser } from './option-parsers.ts';

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
    const { type, options: choices } = unwrap(field) as v.PicklistSchema<readonly string[], undefined>;
    if (type === 'picklist') option.choices(choices).argParser(choiceParser(choices));
    else option.argParser(parse ?? toParser(name, unwrap(field)));
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

/** The schema without `optional` around it. */
function unwrap(field: v.GenericSchema): v.GenericSchema {
  return (field as { readonly wrapped?: v.GenericSchema }).wrapped ?? field;
}

function toParser(name: string, schema: v.GenericSchema): (text: string) => unknown {
  if (name.endsWith('_ms')) return durationParser(schema);
  if (schema === RelativeTime) return parseTimeOrAge;
  const { pipe = [] } = schema as { readonly pipe?: readonly { readonly requirement?: unknown }[] };
  const kinds = Object.keys(idPatterns) as IdKind[];
  const kind = kinds.find((each) => pipe.some(({ requirement }) => requirement === idPatterns[each]));
  return kind === undefined ? schemaParser(schema) : idParser(kind);
}

export function addOptions<AnyCommand extends Command>(
  command: AnyCommand,
  options: readonly Option[],
): AnyCommand {
  for (const option of options) command.addOption(option);
  return command;
}
