/** Suggests words for the completion scripts of the shells. */
import { abortAfter, withAnySignal } from '../../abort-signals.ts';
import { createContext } from '../context.ts';
import type { ProcessContext } from '../process-context.ts';
import type { Choice } from '../prompt.ts';
import { truncateLine } from '../render/text-width.ts';
import { type CompletionContext, parseCompletionContext } from './completion-context.ts';
import { FILES } from './shell-scripts.ts';
import { choicesForArgument, choicesForOption, type ValueChoices } from './value-choices.ts';

/** Time limit of a list: short enough for the tab key. After it, the list is empty. */
export const LIST_TIMEOUT_MS = 300;

/** How descriptions are truncated. The width of the terminal is not known here. */
const DESCRIPTION_TRUNCATION = { width: 80, unicode: true };

/**
 * @param words the words of the command line up to the cursor, without the program; the last one is completed
 * @returns lines of a word, a tab and a description; or only {@link FILES}
 */
export async function complete(
  words: readonly string[],
  processContext: ProcessContext,
  timeoutMs = LIST_TIMEOUT_MS,
): Promise<string[]> {
  const completionContext = await parseCompletionContext(words);
  return withAnySignal([processContext.signal, abortAfter(timeoutMs)], (signal) =>
    suggest(words, completionContext, { ...processContext, signal }),
  );
}

async function suggest(
  words: readonly string[],
  completionContext: CompletionContext,
  processContext: ProcessContext,
): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const { target, path } = completionContext;
  switch (target.kind) {
    case 'name':
      return toLines(
        Object.entries(target.names).map(([value, { summary }]) => ({ value, description: summary })),
        current,
      );
    case 'option':
      return toLines(
        [
          ...target.options.map(({ long, description }) => ({ value: long ?? '', description })),
          { value: '--help', description: 'Show this help' },
        ],
        current,
      );
    case 'value':
      return suggestValues(
        choicesForOption(target.option, path),
        target.prefix,
        current,
        completionContext,
        processContext,
      );
    case 'argument':
      return suggestValues(
        choicesForArgument(target.argument, path),
        '',
        current,
        completionContext,
        processContext,
      );
    case 'none':
      return [];
  }
}

async function suggestValues(
  values: ValueChoices,
  prefix: string,
  current: string,
  completionContext: CompletionContext,
  processContext: ProcessContext,
): Promise<string[]> {
  const value = current.slice(prefix.length);
  /** The complete items of a list, with the comma after them. */
  const completeItems = values.isList ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const items = (await listChoices(values, completionContext, processContext))
    .filter(({ value }) => !completeItems.split(',').includes(value))
    .map(({ value, description }) => ({ value: prefix + completeItems + value, description }));
  const lines = toLines(items, current);
  const wantsFiles = values.files === 'path' || (values.files === 'at' && value.startsWith('@'));
  return lines.length === 0 && wantsFiles ? [FILES] : lines;
}

async function listChoices(
  { words = [], sources = [] }: ValueChoices,
  { globals }: CompletionContext,
  processContext: ProcessContext,
): Promise<Choice[]> {
  // Pressing the tab key must not run code of the project.
  const context = createContext(processContext, globals, { skipModules: true });
  const lists = await Promise.all(
    // Completion cannot report an emulator that is not running, or an unreadable fixture.
    sources.map((choiceSource) => choiceSource.list(context).catch(() => ({ items: [] }))),
  );
  const items = lists.flatMap((list) => list.items);
  const firstByValue = new Map(items.toReversed().map((item) => [item.value, item]));
  return [
    ...words.map((value) => ({ value, description: '' })),
    ...items.filter((item) => firstByValue.get(item.value) === item),
  ];
}

function toLines(items: readonly Choice[], current: string): string[] {
  return items
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) =>
      description === '' ? value : `${value}\t${truncateLine(DESCRIPTION_TRUNCATION, description)}`,
    );
}
