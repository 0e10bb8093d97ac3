/** Prompts: only in a terminal, and only for a missing argument. */
import { InvalidArgumentError } from 'commander';
import { escapeToOneLine } from '../domain/invisible-characters.ts';
import { SvcError } from '../errors.ts';
import type { ChoiceSource } from './choices/choice-source.ts';
import type { Context } from './context.ts';

/** Rows that are shown at a time. */
const PAGE_SIZE = 12;
/** Width of the marker before each row. */
const CURSOR_WIDTH = 2;

/**
 * Lets the user choose the value of a missing `argument` with the arrow keys, or by typing words of its row.
 * @throws SvcError `usage` without a terminal; `not_found` when the list is empty.
 */
export async function askChoice(
  context: Context,
  argument: string,
  choiceSource: ChoiceSource,
): Promise<string> {
  assertInteractive(context, argument);
  const offered = await choiceSource.list(context);
  if (offered.items.length === 0) {
    const { plural, emptyHint: hint } = choiceSource;
    throw new SvcError('not_found', `No ${plural} exist yet.`, hint === undefined ? {} : { hint });
  }
  const { noteCapabilities } = context.io;
  const [titles = '', ...lines] = offered.toLines({
    ...noteCapabilities,
    width: noteCapabilities.width - CURSOR_WIDTH,
  });
  const rows = offered.items.map(({ value, description }, index) => ({
    choice: { value, name: lines[index] ?? '', short: escapeToOneLine(value) },
    // The tab key completes the truncated row, so both forms are searched.
    text: `${value} ${description} ${lines[index]}`.toLowerCase(),
  }));
  return ask(context, async ({ search, Separator }, streams, look) => {
    const heading = new Separator(` ${titles}`);
    function source(typed = '') {
      const words = typed.toLowerCase().split(/\s+/);
      const found = rows.filter(({ text }) => words.every((word) => text.includes(word)));
      return found.length === 0 ? [] : [heading, ...found.map(({ choice }) => choice)];
    }
    const message = `Which ${choiceSource.noun}?`;
    return search<string>({ message, source, pageSize: PAGE_SIZE, ...look }, streams);
  });
}

/**
 * Lets the user type the value of a missing `argument` until `parse` accepts it.
 * @throws SvcError `usage` without a terminal.
 * @param parse a parser of `arguments.ts`
 */
export async function askText<Value>(
  context: Context,
  argument: string,
  parse: (text: string) => Value,
): Promise<Value> {
  assertInteractive(context, argument);
  const validate = (text: string) => findParseError(text, parse) ?? true;
  const text = await ask(context, ({ input }, streams, look) =>
    input({ message: `${argument}:`, required: true, validate, ...look }, streams),
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

/**
 * Asks for confirmation, unless `--yes` is given or there is no terminal.
 * @throws SvcError `interrupted` when the user declines.
 */
export async function confirm(context: Context, question: string, yes: true | undefined): Promise<void> {
  if (yes || !isInteractive(context)) return;
  const isConfirmed = await ask(context, (prompts, streams, look) =>
    prompts.confirm({ message: escapeToOneLine(question), default: false, ...look }, streams),
  );
  if (isConfirmed) return;
  context.io.note('Canceled.');
  throw new SvcError('interrupted', 'Canceled.');
}

export function isInteractive({ io, json }: Context): boolean {
  return io.interactive && !json;
}

function assertInteractive(context: Context, argument: string): void {
  if (!isInteractive(context)) throw missingArgument(argument);
}

function missingArgument(argument: string): SvcError {
  return new SvcError('usage', `Missing ${argument.startsWith('--') ? 'option' : 'argument'}: ${argument}`, {
    hint: 'Add it, or run the command in a terminal without --json to be asked for it.',
  });
}

const unstyled = (text: string) => text;

/** For output without colors. */
const plainTheme = {
  theme: {
    prefix: { idle: '?', done: '?' },
    spinner: { frames: ['?'] },
    style: {
      answer: unstyled,
      message: unstyled,
      highlight: unstyled,
      description: unstyled,
      searchTerm: unstyled,
      confirmDefault: (text: string) => text.toUpperCase(),
      defaultAnswer: (text: string) => `(${text})`,
      error: (text: string) => `> ${text}`,
      keysHelpTip: (keys: [key: string, action: string][]) => keys.map((pair) => pair.join(' ')).join(', '),
    },
  },
};

type Prompts = typeof import('@inquirer/prompts');
type Streams = Context['io']['prompt'] & { readonly signal: AbortSignal };

async function ask<Answer>(
  context: Context,
  question: (prompts: Prompts, streams: Streams, look: Partial<typeof plainTheme>) => Promise<Answer>,
): Promise<Answer> {
  const { prompt, noteCapabilities } = context.io;
  const prompts = await import('@inquirer/prompts');
  try {
    const streams = { ...prompt, signal: context.signal };
    return await question(prompts, streams, noteCapabilities.color ? {} : plainTheme);
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new SvcError('interrupted', 'Interrupted.', { cause: error });
  }
}
