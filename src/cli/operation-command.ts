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
import type { CommandDefinition, Example } from './command.ts';
import type { Context } from './context.ts';
import { defineCommand, nameOf, type ValuesOf } from './define-command.ts';
import type { OptionRows } from './option-rows.ts';
import { confirm, yesRow } from './prompt.ts';
import { printPage } from './render/table.ts';
import { printHint } from './report-error.ts';
import { pageRows } from './resource-rows.ts';

type OperationName = keyof typeof controlOperations;

type OperationRow<Name extends OperationName, Rows extends OptionRows> = {
  readonly summary: string;
  readonly examples: readonly Example[];
  /** The options and arguments. Only values with the name of a field are sent. A field without a schema has that of the operation. */
  readonly options?: Rows;
  /** Fields that follow from the options, or that it asks for. */
  readonly input?: (
    options: ValuesOf<Rows>,
    context: Context,
  ) => Partial<ControlInput<Name>> | Promise<Partial<ControlInput<Name>>>;
  /** Paragraphs after the options in the help. */
  readonly notes?: string;
  /** What the user must confirm, as an imperative, and the question. */
  readonly confirm?: { readonly action: string; readonly question: (input: ControlInput<Name>) => string };
  /** Accompanies the call, for example with its progress. */
  readonly during?: (
    call: Promise<ControlOutput<Name>>,
    input: ControlInput<Name>,
    context: Context,
    options: ValuesOf<Rows>,
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

export function operation<Name extends OperationName, const Rows extends OptionRows = Record<never, never>>(
  name: Name,
  row: OperationRow<Name, Rows>,
): { readonly summary: string } & CommandDefinition<object> {
  const { summary, examples, notes, confirm: confirmation } = row;
  const { entries } = controlOperations[name].input as { readonly entries: v.ObjectEntries };
  const ownRows: OptionRows = row.options ?? {};
  const rowsOfFields = Object.entries(ownRows).map(([field, option]) => [
    field,
    { schema: entries[field], ...option },
  ]);
  const options: OptionRows = {
    ...Object.fromEntries(rowsOfFields),
    ...('list' in row && pageRows(row.list)),
    ...(confirmation && { yes: yesRow(confirmation.action) }),
  };
  const command = defineCommand({
    options,
    examples,
    notes,
    async run(given, context) {
      const values = given as ValuesOf<Rows>;
      const fields = { ...pickFields(entries, values), ...(await row.input?.(values, context)) };
      const input = fields as unknown as ControlInput<Name>;
      const control = await context.connect();
      if (confirmation !== undefined) await confirm(context, confirmation.question(input), 'yes' in given);
      const method = control[name] as (input: ControlInput<Name>) => Promise<ControlOutput<Name>>;
      const call = method(input);
      const output = await (row.during?.(call, input, context, values) ?? call).catch((error) => {
        throw nameOption(error, options);
      });
      if ('list' in row) return printList(output as never, row.list as never, fields, context);
      const text = context.json ? '' : await row.render(output, context, input);
      context.print(output, () => text);
      if (row.note !== undefined) context.io.note(row.note(output));
      await row.warn?.(output, input, context);
      const next = row.next?.(output, input) ?? null;
      if (next !== null) printHint(next, context.io);
    },
  });
  return { summary, ...command };
}

/** Names the option instead of the field that an error message begins with. */
function nameOption(error: unknown, rows: OptionRows): unknown {
  if (!(error instanceof SvcError) || rows[error.field ?? '']?.option === undefined) return error;
  const { field = '' } = error;
  const message = nameOf(rows, field) + error.message.slice(field.length);
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
