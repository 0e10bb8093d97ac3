/** Commands that are one operation of the control plane. A row says what the command adds to its operation. */
import type * as v from 'valibot';
import { type Hint, SvcError } from '../domain/errors.ts';
import {
  type ControlInput,
  type ControlOutput,
  controlOperations,
} from '../operations/control-operations.ts';
import { type Page, pickFields } from '../resources/define-resource.ts';
import type { ResourceList } from './choices/resource-choices.ts';
import {
  AskedArgument,
  ChosenArgument,
  type CliCommand,
  type CommandDefinition,
  type Example,
} from './command.ts';
import type { Context } from './context.ts';
import { addOptions, createTableOptions, type OptionRow, parserOfField } from './field-option.ts';
import { CURRENT_WORKSPACE } from './option-parsers.ts';
import { addPageOptions } from './page-options.ts';
import { askChoice, askText, confirm, yesOption } from './prompt.ts';
import { printPage } from './render/table.ts';
import { printHint } from './report-error.ts';

type OperationName = keyof typeof controlOperations;
/** Options and arguments by the names of the fields that they set. */
type Values = Readonly<Record<string, unknown>>;

/**
 * A field of the input that the command line sets. `flags` is `--workspace <id>` for an option, `<id>` for an argument, which the
 * command asks for in a terminal, or `[id]` for an argument that can be omitted.
 */
interface FieldRow extends Omit<OptionRow, 'schema' | 'option' | 'summary'> {
  readonly flags: string;
  readonly description: string;
  /** Its value if it is not on the command line (default: none). */
  readonly getDefault?: (context: Context, options: Values) => Promise<unknown>;
}

type OperationRow<Name extends OperationName> = {
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly fields?: { readonly [Field in keyof ControlInput<Name>]?: FieldRow };
  /** A table of fields or filters that the command has options for. */
  readonly table?: Readonly<Record<string, OptionRow>>;
  /** Adds other options. Only the values with the name of a field are sent. */
  readonly addOptions?: (command: CliCommand) => void;
  /** Fields that follow from the options. */
  readonly input?: (options: Values, context: Context) => Partial<ControlInput<Name>>;
  /** Paragraphs after the options in the help. */
  readonly notes?: string;
  /** What the user must confirm, as an imperative, and the question. */
  readonly confirm?: { readonly action: string; readonly question: (input: ControlInput<Name>) => string };
  /** Checks the input before the user confirms it. */
  readonly check?: (input: ControlInput<Name>, context: Context, options: Values) => Promise<unknown>;
  /** Accompanies the call, for example with its progress. */
  readonly during?: (
    call: Promise<ControlOutput<Name>>,
    input: ControlInput<Name>,
    context: Context,
    options: Values,
  ) => Promise<ControlOutput<Name>>;
  readonly note?: (output: ControlOutput<Name>) => string;
  readonly warn?: (output: ControlOutput<Name>, input: ControlInput<Name>, context: Context) => Promise<void>;
  readonly next?: (output: ControlOutput<Name>, input: ControlInput<Name>) => Hint | null;
} & (
  | { readonly list: ResourceList<ControlOutput<Name> extends Page<infer Row> ? Row : never> }
  | {
      readonly render: (
        output: ControlOutput<Name>,
        context: Context,
        input: ControlInput<Name>,
      ) => string | Promise<string>;
    }
);

type OperationCommand = { readonly summary: string } & CommandDefinition<Values & { readonly yes?: true }>;

/** The field of operations that concern one workspace. */
export const workspaceField: FieldRow = {
  flags: '--workspace <id>',
  description: 'Workspace ID',
  defaultText: CURRENT_WORKSPACE,
  getDefault: (context) => context.getWorkspaceId(),
};

export function operation<Name extends OperationName>(name: Name, row: OperationRow<Name>): OperationCommand {
  const { summary, examples, table = {}, confirm: confirmation } = row;
  const { entries } = controlOperations[name].input as { readonly entries: v.ObjectEntries };
  const fields = Object.entries<FieldRow>((row.fields ?? {}) as Record<string, FieldRow>);
  const withSchemas = fields.map(
    ([field, fieldRow]) => [field, fieldRow, entries[field] as v.GenericSchema] as const,
  );
  return {
    summary,
    examples,
    configure(command) {
      addOptions(command, createTableOptions(table));
      if ('list' in row) addPageOptions(command, row.list);
      for (const [field, fieldRow, schema] of withSchemas) addField(command, field, fieldRow, schema);
      row.addOptions?.(command);
      if (confirmation !== undefined) command.option(...yesOption(confirmation.action));
      if (row.notes !== undefined) command.addHelpText('after', row.notes);
    },
    async run({ yes, ...options }, context) {
      const fixed = row.input?.(options, context);
      const values: Record<string, unknown> = { ...pickFields(entries, options), ...fixed };
      for (const [field, option] of Object.entries(table))
        if (option.ask !== undefined) values[field] ??= await askOption(field, option, context);
      for (const [field, fieldRow, schema] of withSchemas)
        values[field] ??= await findValue(field, fieldRow, schema, options, context);
      const input = values as ControlInput<Name>;
      await row.check?.(input, context, { yes, ...options });
      const control = await context.connect();
      if (confirmation !== undefined) await confirm(context, confirmation.question(input), yes);
      const method = control[name] as (input: ControlInput<Name>) => Promise<ControlOutput<Name>>;
      const call = method(input);
      const output = await (row.during?.(call, input, context, options) ?? call).catch((error) => {
        throw nameOption(error, table);
      });
      if ('list' in row) return printList(output as never, row.list as never, values, context);
      const text = context.json ? '' : await row.render(output, context, input);
      context.print(output, () => text);
      if (row.note !== undefined) context.io.note(row.note(output));
      await row.warn?.(output, input, context);
      const next = row.next?.(output, input) ?? null;
      if (next !== null) printHint(next, context.io);
    },
  };
}

/** Names the option instead of the field that an error message begins with. */
function nameOption(error: unknown, table: Readonly<Record<string, OptionRow>>): unknown {
  const { option } = (error instanceof SvcError && table[error.field ?? '']) || {};
  if (!(error instanceof SvcError) || option === undefined) return error;
  const message = option.split(' ')[0] + error.message.slice(error.field?.length);
  return new SvcError(error.code, message, { hint: error.hint, cause: error });
}

async function printList<Row>(
  page: Page<Row>,
  list: ResourceList<Row>,
  { type }: { readonly type?: string },
  context: Context,
): Promise<void> {
  const columns = await list.columns(page.data, context);
  await printPage(context, page, list.plural, columns, { type });
}

function addField(command: CliCommand, field: string, row: FieldRow, schema: v.GenericSchema): void {
  const { flags, description, parse = parserOfField(field, schema), source, defaultText } = row;
  if (flags.startsWith('-')) {
    const option = { ...row, schema, option: flags, summary: description };
    addOptions(command, createTableOptions({ [field]: option }));
    return;
  }
  const argument = flags.startsWith('<')
    ? new AskedArgument(flags.slice(1, -1), description, source, field)
    : new ChosenArgument(flags, description, source && [source], field);
  if (defaultText !== undefined) argument.default(undefined, defaultText);
  command.addArgument(argument.argParser(parse));
}

async function askOption(
  field: string,
  { option = '', schema, parse = parserOfField(field, schema), ask }: OptionRow,
  context: Context,
): Promise<unknown> {
  const flags = option.replace(/^-\w, /, '');
  return typeof ask === 'object'
    ? parse(await askChoice(context, flags, ask))
    : askText(context, flags, parse);
}

/** The value of a field that is not on the command line. */
async function findValue(
  field: string,
  row: FieldRow,
  schema: v.GenericSchema,
  options: Values,
  context: Context,
): Promise<unknown> {
  const { flags, getDefault, source, parse = parserOfField(field, schema) } = row;
  if (getDefault !== undefined) return getDefault(context, options);
  if (!flags.startsWith('<')) return undefined;
  const argument = flags.slice(1, -1);
  return source === undefined ? askText(context, argument, parse) : askChoice(context, argument, source);
}
