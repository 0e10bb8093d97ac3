/** Prompts for missing arguments and confirmations. */
import { InvalidArgumentError } from 'commander';
import { type Hint, SvcError, toHint } from '../domain/errors.ts';
import { escapeToOneLine } from '../domain/invisible-characters.ts';
import type { ChoiceSource } from './choices/choice-source.ts';
import type { OptionRow } from './command.ts';
import type { Context } from './context.ts';
import { parserOfRow, toWord } from './option-rows.ts';
import { truncateLine } from './render/text-width.ts';

/** Asks for the value of a row that is not on the command line. @throws SvcError as {@link askChoice} and {@link askText} */
export async function askForRow(context: Context, field: string, row: OptionRow): Promise<unknown> {
  const { option, argument = '' } = row;
  const flags = option?.replace(/^-\w, /, '') ?? toWord(argument);
  const parse = parserOfRow(field, row) ?? String;
  // Several values are not asked for.
  if (argument.includes('...')) throw createMissingError(context, flags);
  const { findSource } = await import('./choices/row-choices.ts');
  const source = findSource(field, row);
  return source === undefined
    ? askText(context, flags, parse)
    : parse(await askChoice(context, flags, source));
}

/** Number of choices that are visible at a time. */
const PAGE_SIZE = 12;
/** Width of the marker before each choice. */
const CURSOR_WIDTH = 2;

/**
 * Lets the user choose the value of a missing argument or option with the arrow keys, or by typing words of its description.
 * @param flags the name of the argument, or the flags of the option: `--events <list>`
 * @throws SvcError `usage` without a terminal; `not_found` when the list is empty.
 */
export async function askChoice(
  context: Context,
  flags: string,
  choiceSource: ChoiceSource,
): Promise<string> {
  assertInteractive(context, flags, choiceSource.listHint);
  const items = await choiceSource.list(context);
  if (items.length === 0) {
    throw new SvcError('not_found', `No ${choiceSource.plural} exist yet.`, { hint: choiceSource.emptyHint });
  }
  const { unicode, width } = context.io.noteCapabilities;
  const valueWidth = Math.max(...items.map(({ value }) => value.length));
  const choices = items.map(({ value, description }) => {
    const text = `${value.padEnd(valueWidth)}  ${description}`;
    const name = truncateLine({ unicode, width: width - CURSOR_WIDTH }, text);
    // The tab key inserts the truncated line, so both forms are searched.
    return { value, name, short: escapeToOneLine(value), searchText: `${text} ${name}`.toLowerCase() };
  });
  return prompt(context, async ({ search }, streams, theme) => {
    function source(input = '') {
      const words = input.toLowerCase().split(/\s+/);
      return choices.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
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
export const yesRow = (action: string) =>
  ({
    option: '-y, --yes',
    summary: `${action} without asking (implied outside a terminal and with --json)`,
  }) as const;

/** The option that {@link confirmOrFail} needs outside a terminal. @param action as for {@link yesRow} */
export const requiredYesRow = (action: string) =>
  ({ option: '-y, --yes', summary: `${action} without asking for confirmation` }) as const;

/**
 * Asks for confirmation, unless `--yes` is given or there is no terminal.
 * @throws SvcError `interrupted` when the user declines.
 */
export async function confirm(context: Context, question: string, yes: boolean | undefined): Promise<void> {
  if (yes || !context.io.interactive) return;
  const isConfirmed = await prompt(context, (prompts, streams, theme) =>
    prompts.confirm({ message: escapeToOneLine(question), default: false, ...theme }, streams),
  );
  if (isConfirmed) return;
  context.io.note('Canceled.');
  throw new SvcError('interrupted', 'Canceled.');
}

/** As {@link confirm}, for what cannot be undone. @throws SvcError `usage` without a terminal, unless `--yes` is given */
export async function confirmOrFail(
  context: Context,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (!yes && !context.io.interactive)
    throw new SvcError('usage', 'Missing option: --yes', { hint: `Add --yes to confirm: ${question}` });
  await confirm(context, question, yes);
}

function assertInteractive(context: Context, flags: string, listHint?: Hint | string): void {
  if (!context.io.interactive) throw createMissingError(context, flags, listHint);
}

function createMissingError(context: Context, flags: string, listHint?: Hint | string): SvcError {
  const isOption = flags.startsWith('--');
  const message = isOption ? `Missing option: ${toName(flags)}` : `Missing argument: <${flags}>`;
  const form = isOption ? `Add: ${flags}` : `Use: ${context.usage}`;
  const list = listHint && toHint(listHint);
  return new SvcError('usage', message, { hint: list ? { ...list, text: `${form}. ${list.text}` } : form });
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

type Prompts = Pick<typeof import('@inquirer/prompts'), 'confirm' | 'input' | 'search'>;
type Streams = Context['io']['prompt'] & { readonly signal: AbortSignal };

async function prompt<Answer>(
  context: Context,
  ask: (prompts: Prompts, streams: Streams, theme: Partial<typeof plainTheme>) => Promise<Answer>,
): Promise<Answer> {
  const { prompt: terminal, noteCapabilities } = context.io;
  // By name, so that the bundle omits the other prompts. The editor prompt contains character tables.
  const { confirm, input, search } = await import('@inquirer/prompts');
  try {
    const streams = { ...terminal, signal: context.signal };
    return await ask({ confirm, input, search }, streams, noteCapabilities.color ? {} : plainTheme);
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new SvcError('interrupted', 'Interrupted.', { cause: error });
  }
}
