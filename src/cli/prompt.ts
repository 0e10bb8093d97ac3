/** Prompts for missing arguments and confirmations, and the choices that they show. Completion suggests the choices too. */
import { InvalidArgumentError } from 'commander';
import { type Hint, SvcError, toHint } from '../domain/errors.ts';
import { escapeToOneLine } from '../domain/invisible-characters.ts';
import type { Context } from './context.ts';
import type { TerminalCapabilities } from './process-context.ts';
import { type Column, renderRows } from './render/table.ts';
import { stripStyles } from './terminal-text.ts';

export interface ChoiceSource {
  /** What a choice is: `delivery`. */
  readonly noun: string;
  readonly plural: string;
  /** Where the values are, without a terminal: such as `svc deliveries list`. */
  readonly listHint: Hint | string;
  /** What to do if there are no choices. */
  readonly emptyHint?: Hint;
  /** The current choices, most likely first. */
  list(context: Context): Promise<ChoiceList>;
}

export interface ChoiceList {
  readonly items: readonly Choice[];
  /** The lines of a table without styles: its titles, then one line per item. */
  toLines(capabilities: TerminalCapabilities): readonly string[];
}

export interface Choice {
  readonly value: string;
  /** The columns after the value. */
  readonly description: string;
}

/** Converts the rows of a table. The first column shows the value, and the other columns become the description. */
export function toChoiceList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  toValue: (row: Row) => string,
): ChoiceList {
  const [, ...descriptionColumns] = columns;
  const describe = (row: Row) => stripStyles(descriptionColumns.map(({ value }) => value(row)).join('  '));
  return {
    items: rows.map((row) => ({ value: toValue(row), description: describe(row) })),
    toLines: (capabilities) =>
      renderRows(columns, rows, capabilities).map((text) => stripStyles(text.split('\n', 1)[0] ?? '')),
  };
}

/** Number of choices that are visible at a time. */
const PAGE_SIZE = 12;
/** Width of the marker before each row. */
const CURSOR_WIDTH = 2;

/**
 * Lets the user choose the value of a missing argument or option with the arrow keys, or by typing words of its row.
 * @param flags the name of the argument, or the flags of the option: `--events <list>`
 * @throws SvcError `usage` without a terminal; `not_found` when the list is empty.
 */
export async function askChoice(
  context: Context,
  flags: string,
  choiceSource: ChoiceSource,
): Promise<string> {
  assertInteractive(context, flags, choiceSource.listHint);
  const { items, toLines } = await choiceSource.list(context);
  if (items.length === 0) {
    throw new SvcError('not_found', `No ${choiceSource.plural} exist yet.`, { hint: choiceSource.emptyHint });
  }
  const { noteCapabilities } = context.io;
  const [titles = '', ...lines] = toLines({
    ...noteCapabilities,
    width: noteCapabilities.width - CURSOR_WIDTH,
  });
  const rows = items.map(({ value, description }, index) => ({
    choice: { value, name: lines[index] ?? '', short: escapeToOneLine(value) },
    // The tab key inserts the truncated line, so both forms are searched.
    searchText: `${value} ${description} ${lines[index]}`.toLowerCase(),
  }));
  return prompt(context, async ({ search, Separator }, streams, theme) => {
    const heading = new Separator(` ${titles}`);
    function source(input = '') {
      const words = input.toLowerCase().split(/\s+/);
      const matches = rows.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
      return matches.length === 0 ? [] : [heading, ...matches.map(({ choice }) => choice)];
    }
    const message = `Which ${choiceSource.noun}?`;
    return search<string>({ message, source, pageSize: PAGE_SIZE, ...theme }, streams);
  });
}

/**
 * Lets the user type the value of a missing argument or option until `parse` accepts it.
 * @throws SvcError `usage` without a terminal.
 * @param flags as for {@link askChoice}
 * @param parse a parser of `option-parsers.ts`
 */
export async function askText<Value>(
  context: Context,
  flags: string,
  parse: (text: string) => Value,
): Promise<Value> {
  assertInteractive(context, flags);
  const validate = (text: string) => findParseError(text, parse) ?? true;
  const text = await prompt(context, ({ input }, streams, theme) =>
    input({ message: `${toName(flags)}:`, required: true, validate, ...theme }, streams),
  );
  return parse(text);
}

/** The error message of `parse`; null when it accepts the text. */
function findParseError(text: string, parse: (text: string) => unknown): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return escapeToOneLine(error.message);
    throw error;
  }
}

/** The option that skips {@link confirm}. @param action what the user would confirm, as an imperative */
export const yesOption = (action: string) =>
  ['--yes', `${action} without asking (implied outside a terminal and with --json)`] as const;

/**
 * Asks for confirmation, unless `--yes` is given or there is no terminal.
 * @throws SvcError `interrupted` when the user declines.
 */
export async function confirm(context: Context, question: string, yes: true | undefined): Promise<void> {
  if (yes || !isInteractive(context)) return;
  const isConfirmed = await prompt(context, (prompts, streams, theme) =>
    prompts.confirm({ message: escapeToOneLine(question), default: false, ...theme }, streams),
  );
  if (isConfirmed) return;
  context.io.note('Canceled.');
  throw new SvcError('interrupted', 'Canceled.');
}

/** As {@link confirm}. @throws SvcError `usage` without a terminal, unless `--yes` is given */
export async function confirmOrFail(
  context: Context,
  question: string,
  yes: true | undefined,
): Promise<void> {
  if (!yes && !isInteractive(context))
    throw new SvcError('usage', 'Missing option: --yes', { hint: `Add --yes to confirm: ${question}` });
  await confirm(context, question, yes);
}

function isInteractive({ io, json }: Context): boolean {
  return io.interactive && !json;
}

function assertInteractive(context: Context, flags: string, listHint?: Hint | string): void {
  if (isInteractive(context)) return;
  const isOption = flags.startsWith('--');
  const message = isOption ? `Missing option: ${toName(flags)}` : `Missing argument: <${flags}>`;
  const form = isOption ? `Add: ${flags}` : `Use: ${context.usage}`;
  const list = listHint && toHint(listHint);
  throw new SvcError('usage', message, { hint: list ? { ...list, text: `${form}. ${list.text}` } : form });
}

/** `--events` of `--events <list>`, or the name of the argument. */
function toName(flags: string): string {
  return flags.replace(/ .*/, '');
}

const keepText = (text: string) => text;

/** For output without colors. */
const plainTheme = {
  theme: {
    prefix: { idle: '?', done: '?' },
    spinner: { frames: ['?'] },
    style: {
      answer: keepText,
      message: keepText,
      highlight: keepText,
      description: keepText,
      searchTerm: keepText,
      confirmDefault: (text: string) => text.toUpperCase(),
      defaultAnswer: (text: string) => `(${text})`,
      error: (text: string) => `> ${text}`,
      keysHelpTip: (keys: [key: string, action: string][]) => keys.map((pair) => pair.join(' ')).join(', '),
    },
  },
};

type Prompts = Pick<typeof import('@inquirer/prompts'), 'confirm' | 'input' | 'search' | 'Separator'>;
type Streams = Context['io']['prompt'] & { readonly signal: AbortSignal };

async function prompt<Answer>(
  context: Context,
  ask: (prompts: Prompts, streams: Streams, theme: Partial<typeof plainTheme>) => Promise<Answer>,
): Promise<Answer> {
  const { prompt: terminal, noteCapabilities } = context.io;
  // By name, so that the bundle omits the other prompts. The editor prompt contains character tables.
  const { confirm, input, search, Separator } = await import('@inquirer/prompts');
  try {
    const streams = { ...terminal, signal: context.signal };
    return await ask(
      { confirm, input, search, Separator },
      streams,
      noteCapabilities.color ? {} : plainTheme,
    );
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new SvcError('interrupted', 'Interrupted.', { cause: error });
  }
}
