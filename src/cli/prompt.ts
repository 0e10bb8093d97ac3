/** Questions: only in a terminal, only for an argument that was left out. */
import { SvcError } from '../errors.ts';
import type { Context } from './context.ts';

export interface Choice {
  readonly value: string;
  /** What stands in the list; the value itself when left out. */
  readonly name?: string;
}

/**
 * Lets the person choose the value of the left-out `argument`.
 * @throws SvcError `usage` where nobody can be asked; `not_found` when there is nothing to choose from.
 */
export async function askChoice(
  context: Context,
  argument: string,
  loadChoices: () => Promise<readonly Choice[]>,
): Promise<string> {
  assertCanAsk(context, argument);
  const choices = await loadChoices();
  if (choices.length === 0) throw new SvcError('not_found', `There is no ${argument} to choose from yet.`);
  return ask(context, async (streams) => {
    const { select } = await import('@inquirer/prompts');
    return select({ message: `Which ${argument}?`, choices, pageSize: 12 }, streams);
  });
}

/** Lets the person type the value of the left-out `argument`. Errors as for {@link askChoice}. */
export async function askText(context: Context, argument: string): Promise<string> {
  assertCanAsk(context, argument);
  return ask(context, async (streams) => {
    const { input } = await import('@inquirer/prompts');
    return input({ message: `${argument}:`, required: true }, streams);
  });
}

/**
 * Asks whether to go on with what cannot be undone; nobody is asked with `--yes`, and where nobody can be.
 * @throws SvcError `interrupted` when the person does not want to.
 */
export async function confirm(context: Context, question: string, yes: true | undefined): Promise<void> {
  if (yes || !canAsk(context)) return;
  const goesOn = await ask(context, async (streams) => {
    const prompts = await import('@inquirer/prompts');
    return prompts.confirm({ message: question, default: false }, streams);
  });
  if (!goesOn) throw new SvcError('interrupted', 'It was not confirmed.');
}

function canAsk({ io, json }: Context): boolean {
  return io.interactive && !json;
}

function assertCanAsk(context: Context, argument: string): void {
  if (!canAsk(context)) throw new SvcError('usage', `missing required argument '${argument}'`);
}

type Streams = Context['io']['prompt'] & { readonly signal: AbortSignal };

async function ask<Answer>(
  context: Context,
  question: (streams: Streams) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await question({ ...context.io.prompt, signal: context.signal });
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new SvcError('interrupted', 'Interrupted.', { cause: error });
  }
}
