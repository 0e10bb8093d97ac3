/** Suggests words for the completion scripts of the shells. */

import { abortAfter } from '../../timers.ts';
import type { Choice } from '../choices/choice-source.ts';
import { createContext, type ProcessContext } from '../context.ts';
import { truncateLine } from '../render/text-width.ts';
import { type Cursor, findCursor } from './cursor.ts';
import { FILES } from './shell-scripts.ts';
import { choicesForArgument, choicesForOption, type ValueChoices } from './value-choices.ts';

/** Longer than a list takes, and short enough for the tab key. After it, the suggestions are empty. */
const TIMEOUT_MS = 300;

/** Maximum size of a description. */
const DESCRIPTION = { width: 80, unicode: true };

/**
 * @param words the words of the command line up to the cursor, without the program; the last one is completed
 * @returns lines of a word, a tab and a description; or only {@link FILES}
 */
export async function complete(words: readonly string[], processContext: ProcessContext): Promise<string[]> {
  const cursor = await findCursor(words);
  const current = words.at(-1) ?? '';
  const { target, path } = cursor;
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
        target.before,
        current,
        cursor,
        processContext,
      );
    case 'argument':
      return suggestValues(choicesForArgument(target.argument, path), '', current, cursor, processContext);
    case 'nothing':
      return [];
  }
}

async function suggestValues(
  values: ValueChoices,
  before: string,
  current: string,
  cursor: Cursor,
  processContext: ProcessContext,
): Promise<string[]> {
  const typed = current.slice(before.length);
  const fixed = values.isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const items = (await listChoices(values, cursor, processContext))
    .filter(({ value }) => !fixed.split(',').includes(value))
    .map(({ value, description }) => ({ value: before + fixed + value, description }));
  const lines = toLines(items, current);
  const wantsFiles = values.files === 'path' || (values.files === 'at' && typed.startsWith('@'));
  return lines.length === 0 && wantsFiles ? [FILES] : lines;
}

async function listChoices(
  { words = [], sources = [] }: ValueChoices,
  { globals }: Cursor,
  processContext: ProcessContext,
): Promise<Choice[]> {
  const signal = AbortSignal.any([processContext.signal, abortAfter(TIMEOUT_MS)]);
  // Pressing the tab key must not run code of the project.
  const context = createContext({ ...processContext, signal }, globals, { skipModules: true });
  const lists = await Promise.all(
    // Completion cannot report an emulator that is not running, or an unreadable fixture.
    sources.map((choiceSource) => choiceSource.list(context).catch(() => ({ items: [] }))),
  );
  const items = lists.flatMap((list) => list.items);
  const first = new Map(items.toReversed().map((item) => [item.value, item]));
  return [
    ...words.map((value) => ({ value, description: '' })),
    ...items.filter((item) => first.get(item.value) === item),
  ];
}

function toLines(items: readonly Choice[], current: string): string[] {
  return items
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) =>
      description === '' ? value : `${value}\t${truncateLine(DESCRIPTION, description)}`,
    );
}
