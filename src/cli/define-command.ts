/** Defines a command by its rows, and completes their values before it runs: asks for missing ones, and sets defaults. */
import type * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import type { CliCommand, CommandDefinition, Example, OptionRow } from './command.ts';
import type { Context } from './context.ts';
import { addNotes } from './help.ts';
import { addRows, type OptionRows, toWord } from './option-rows.ts';
import { askForRow } from './prompt.ts';

type ValueOf<Row extends OptionRow> = Row extends {
  readonly parse: (text: string, ...previous: never[]) => infer Value;
}
  ? Value | Unwritten<Row>
  : Row extends { readonly schema: infer Schema extends v.GenericSchema }
    ? Exclude<v.InferOutput<Schema>, null> | Unwritten<Row>
    : Row extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : TextOf<Row>;
/** True for an option without a value, such as `--wait` of `--wait [duration]`. */
type Unwritten<Row> = Row extends { readonly option: `${string}[${string}` } ? true : never;
type TextOf<Row> = Row extends { readonly argument: `${string}...${string}` }
  ? readonly string[]
  : Row extends { readonly argument: string } | { readonly option: `${string}${'<' | '['}${string}` }
    ? string | Unwritten<Row>
    : Row extends { readonly option: `--no-${string}` }
      ? boolean
      : true;

/** The names of the rows that always have a value when the command runs. */
type Present<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends
    | { readonly argument: `<${string}` | `${string}...${string}` }
    | { readonly option: `--no-${string}` }
    | { readonly ask: true }
    | { readonly getDefault: (...args: never[]) => unknown }
    ? Name
    : never;
}[keyof Rows];

export type ValuesOf<Rows extends OptionRows> = {
  readonly [Name in Present<Rows>]: ValueOf<Rows[Name]>;
} & { readonly [Name in Exclude<keyof Rows, Present<Rows>>]?: ValueOf<Rows[Name]> };

/** The values that are on the command line. */
type WrittenValues<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> | undefined;
};

interface RowDefinition<Rows extends OptionRows> {
  readonly options?: Rows;
  readonly examples: readonly Example[];
  /** Paragraphs after the options in the help, which are wrapped, unless they contain an indented line. */
  readonly notes?: string | undefined;
  /** Settings of the parser that rows do not have. */
  readonly configure?: (command: CliCommand) => void;
  readonly run:
    | ((options: ValuesOf<Rows>, context: Context) => Promise<void>)
    | ((options: ValuesOf<Rows>, context: Context) => Promise<number>);
}

export function defineCommand<const Rows extends OptionRows = Readonly<Record<never, OptionRow>>>(
  definition: RowDefinition<Rows>,
): CommandDefinition<WrittenValues<Rows>> {
  const { options: rows = {}, examples, notes, configure, run } = definition;
  return {
    examples,
    configure(command) {
      addRows(command, rows);
      configure?.(command);
      if (notes !== undefined) addNotes(command, notes);
    },
    async run(options, context) {
      checkCombinations(rows, options);
      return run(
        (await completeValues(rows, options, context)) as ValuesOf<Rows>,
        context,
      ) as Promise<number>;
    },
  };
}

/** @throws SvcError `usage` for values that exclude each other, or that have no effect without another one */
function checkCombinations(rows: OptionRows, values: Readonly<Record<string, unknown>>): void {
  const isGiven = (name: string) => !isMissing(values[name]);
  for (const [name, { conflicts = [], needs }] of Object.entries(rows)) {
    if (!isGiven(name)) continue;
    const other = conflicts.find(isGiven);
    if (other !== undefined) {
      throw new SvcError(
        'usage',
        `${nameOf(rows, name)} and ${nameOf(rows, other)} cannot be used together.`,
        {
          hint: 'Remove one of them.',
        },
      );
    }
    if (needs === undefined || isGiven(needs)) continue;
    const [option, needed] = [nameOf(rows, name), nameOf(rows, needs)];
    throw new SvcError('usage', `${option} can only be used with ${needed}.`, {
      hint: `Add ${needed}, or remove ${option}.`,
    });
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** `--events` of `-e, --events <list>`, or `<id>` */
export function nameOf(rows: OptionRows, name: string): string {
  const { option, argument = name } = rows[name] ?? {};
  return option === undefined ? `<${toWord(argument)}>` : (/--[\w-]+/.exec(option)?.[0] ?? option);
}

async function completeValues(
  rows: OptionRows,
  given: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<object> {
  const values: Record<string, unknown> = { ...given };
  async function askForMissing() {
    for (const [name, row] of Object.entries(rows)) {
      const isAsked = row.ask === true || row.argument?.startsWith('<') === true;
      if (isAsked && isMissing(values[name])) values[name] = await askForRow(context, name, row);
    }
  }
  async function setDefaults() {
    for (const [name, { getDefault }] of Object.entries(rows))
      if (getDefault !== undefined) values[name] ??= await getDefault(context, values as never);
  }
  // The defaults need the emulator, so svc asks only if one is running. Without a terminal, a missing argument is an error.
  const steps = context.io.interactive ? [setDefaults, askForMissing] : [askForMissing, setDefaults];
  for (const step of steps) await step();
  return values;
}
