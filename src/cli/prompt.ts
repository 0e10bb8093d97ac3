/** Questions: only in a terminal, only for an argument that was left out. */
import { InvalidArgumentError } from 'commander';
import { toOneLine } from '../domain/invisible-characters.ts';
import { SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import type { Offer } from './offers/offer.ts';

/** Rows that are shown at a time. */
const PAGE_SIZE = 12;
/** What the prompt puts before each row. */
const CURSOR_WIDTH = 2;

/**
 * Lets the person choose the value of the left-out `argument`: with the arrow keys, or by typing words that its row
 * contains.
 * @throws SvcError `usage` where nobody can be asked; `not_found` when there is nothing to choose from.
 */
export async function askChoice(context: Context, argument: string, offer: Offer): Promise<string> {
  assertCanAsk(context, argument);
  const offered = await offer.list(context);
  if (offered.items.length === 0) {
    throw new SvcError('not_found', `There is no ${offer.noun} to choose from yet.`);
  }
  const { noteLook } = context.io;
  const [titles = '', ...lines] = offered.toLines({ ...noteLook, width: noteLook.width - CURSOR_WIDTH });
  const rows = offered.items.map(({ value, description }, index) => ({
    choice: { value, name: lines[index] ?? '', short: toOneLine(value) },
    // As it is, and as it was cut to fit, which is what the tab key takes over.
    text: `${value} ${description} ${lines[index]}`.toLowerCase(),
  }));
  return ask(context, async ({ search, Separator }, streams, look) => {
    const heading = new Separator(` ${titles}`);
    function source(typed = '') {
      const words = typed.toLowerCase().split(/\s+/);
      const found = rows.filter(({ text }) => words.every((word) => text.includes(word)));
      return found.length === 0 ? [] : [heading, ...found.map(({ choice }) => choice)];
    }
    const message = `Which ${offer.noun}?`;
    return search<string>({ message, source, pageSize: PAGE_SIZE, ...look }, streams);
  });
}

/**
 * Lets the person type the value of the left-out `argument`, until `parse` accepts it. Errors as for {@link askChoice}.
 * @param parse a parser of `arguments.ts`
 */
export async function askText<Value>(
  context: Context,
  argument: string,
  parse: (text: string) => Value,
): Promise<Value> {
  assertCanAsk(context, argument);
  const validate = (text: string) => findProblem(text, parse) ?? true;
  const text = await ask(context, ({ input }, streams, look) =>
    input({ message: `${argument}:`, required: true, validate, ...look }, streams),
  );
  return parse(text);
}

/** What `parse` has against the text; null when it accepts it. */
function findProblem(text: string, parse: (text: string) => unknown): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return toOneLine(error.message);
    throw error;
  }
}

/**
 * Asks whether to go on with what cannot be undone; nobody is asked with `--yes`, and where nobody can be.
 * @throws SvcError `interrupted` when the person does not want to.
 */
export async function confirm(context: Context, question: string, yes: true | undefined): Promise<void> {
  if (yes || !canAsk(context)) return;
  const goesOn = await ask(context, (prompts, streams, look) =>
    prompts.confirm({ message: toOneLine(question), default: false, ...look }, streams),
  );
  if (goesOn) return;
  context.io.note('Nothing was done.');
  throw new SvcError('interrupted', 'It was not confirmed.');
}

function canAsk({ io, json }: Context): boolean {
  return io.interactive && !json;
}

function assertCanAsk(context: Context, argument: string): void {
  if (!canAsk(context)) throw new SvcError('usage', `missing required argument '${argument}'`);
}

const same = (text: string) => text;

/** What the prompts look like where there are no colours. */
const plain = {
  theme: {
    prefix: { idle: '?', done: '?' },
    spinner: { frames: ['?'] },
    style: {
      ...{ answer: same, message: same, highlight: same, description: same, searchTerm: same },
      ...{
        confirmDefault: (text: string) => text.toUpperCase(),
        defaultAnswer: (text: string) => `(${text})`,
      },
      error: (text: string) => `> ${text}`,
      keysHelpTip: (keys: [key: string, action: string][]) => keys.map((pair) => pair.join(' ')).join(', '),
    },
  },
};

type Prompts = typeof import('@inquirer/prompts');
type Streams = Context['io']['prompt'] & { readonly signal: AbortSignal };

async function ask<Answer>(
  context: Context,
  question: (prompts: Prompts, streams: Streams, look: Partial<typeof plain>) => Promise<Answer>,
): Promise<Answer> {
  const { prompt, noteLook } = context.io;
  const prompts = await import('@inquirer/prompts');
  try {
    const streams = { ...prompt, signal: context.signal };
    return await question(prompts, streams, noteLook.color ? {} : plain);
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new SvcError('interrupted', 'Interrupted.', { cause: error });
  }
}
