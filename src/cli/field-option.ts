/** Options that are fields of the API. */
import { type Command, Option } from 'commander';
import { choiceParser } from './option-parsers.ts';

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

/** The flags and the description of an option, the parser or the choices of its value, and its default as text. */
type FieldEntry<Value> = readonly [
  flags: string,
  description: string,
  values?: ((text: string) => Value) | readonly string[],
  defaultText?: string,
];

/** Creates an option for each field. */
export function createFieldOptions<Fields>(
  entries: {
    readonly [Field in keyof Fields]-?: FieldEntry<Fields[Field]>;
  },
): { readonly [Field in keyof Fields]-?: Option } {
  const options = Object.entries<FieldEntry<unknown>>(entries).map(
    ([field, [flags, description, values, defaultText]]) => {
      const option = new FieldOption(field, flags, description);
      if (typeof values === 'function') option.argParser(values);
      else if (values !== undefined) option.choices(values).argParser(choiceParser(values));
      if (defaultText !== undefined) option.default(undefined, defaultText);
      return [field, option];
    },
  );
  return Object.fromEntries(options);
}

export function addOptions<AnyCommand extends Command>(
  command: AnyCommand,
  options: readonly Option[],
): AnyCommand {
  for (const option of options) command.addOption(option);
  return command;
}
