/** Suggests words for the completion scripts of the shells, with the same command definitions that parse the command line. */
import { abortAfter, withAnySignal } from '../platform/abort-signals.ts';
import type { Choice } from './choices/choice-source.ts';
import { choicesOf, type RowChoices } from './choices/row-choices.ts';
import { createContext, type GlobalOptions } from './context.ts';
import { openCommand } from './create-program.ts';
import { readGlobalOptions } from './global-options.ts';
import type { Io, ProcessContext } from './process-context.ts';
import { truncateLine } from './render/text-width.ts';

/** The output that makes the scripts in `fixtures/completion` complete paths. */
const FILES = ':files';

/** Time limit of a list: short enough for the tab key. After it, the list is empty. */
export const LIST_TIMEOUT_MS = 300;

/** How descriptions are truncated. The width of the terminal is not known here. */
const DESCRIPTION_TRUNCATION = { width: 80, unicode: true };

interface Target {
  /** Names of commands, or options. */
  readonly names: readonly Choice[];
  readonly values: RowChoices;
  /** The part of the word before the value: `--status=`. */
  readonly prefix: string;
  /** Values of the global options before the cursor: `--url` and `--api-key`. */
  readonly globals: GlobalOptions;
}

/**
 * @param words the words of the command line up to the cursor, without the program; the last one is completed
 * @returns lines of a word, a tab and a description; or only {@link FILES}
 */
export async function complete(
  words: readonly string[],
  processContext: ProcessContext,
  timeoutMs = LIST_TIMEOUT_MS,
): Promise<string[]> {
  const target = await findTarget(words, processContext.io).catch(() => null);
  // A word before the cursor is invalid.
  if (target === null) return [];
  return withAnySignal([processContext.signal, abortAfter(timeoutMs)], (signal) =>
    suggest(target, words.at(-1) ?? '', { ...processContext, signal }),
  );
}

async function findTarget(words: readonly string[], io: Io): Promise<Target> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const previous = before.at(-1) ?? '';
  // An option that can take the current word as its value, so it is not parsed.
  const isFlag = /^-[^=]+$/.test(previous) && previous !== '--';
  const { command, operands } = await openCommand(isFlag ? before.slice(0, -1) : before, io);
  const optionsEnded = before.includes('--', 1);
  const findOption = (flag: string | undefined) =>
    command.options.find(({ long, short }) => flag !== undefined && (flag === long || flag === short));
  const none = { names: [], values: {}, prefix: '', globals: readGlobalOptions(command) };
  const pending = isFlag && !optionsEnded ? findOption(previous) : undefined;
  // An optional value never begins with a dash.
  if (pending?.required || (pending?.optional && !current.startsWith('-')))
    return { ...none, values: choicesOf(pending) };
  if (current.startsWith('-') && !optionsEnded) {
    const [prefix, flag] = /^(--[\w-]+)=/.exec(current) ?? [];
    const option = findOption(flag);
    if (prefix !== undefined) return option ? { ...none, values: choicesOf(option), prefix } : none;
    const options = command.options.filter(({ hidden, long }) => !hidden && long !== '--version');
    const choices = options.map(({ long, description }) => ({ value: long ?? '', description }));
    return { ...none, names: [...choices, { value: '--help', description: 'Show this help' }] };
  }
  if (command.commands.length > 0 && operands.length === 0) {
    const names = command.commands.map((each) => ({ value: each.name(), description: each.description() }));
    return { ...none, names };
  }
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? none : { ...none, values: choicesOf(argument) };
}

async function suggest(
  { names, values, prefix, globals }: Target,
  current: string,
  processContext: ProcessContext,
): Promise<string[]> {
  const value = current.slice(prefix.length);
  /** The complete items of a list, with the comma after them. */
  const completeItems = values.isList ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const choices = (await listChoices(values, globals, processContext))
    .filter(({ value }) => !completeItems.split(',').includes(value))
    .map(({ value, description }) => ({ value: prefix + completeItems + value, description }));
  const lines = [...names, ...choices]
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, description }) =>
      description === '' ? value : `${value}\t${truncateLine(DESCRIPTION_TRUNCATION, description)}`,
    );
  const wantsFiles = values.files === 'path' || (values.files === 'at' && value.startsWith('@'));
  return lines.length === 0 && wantsFiles ? [FILES] : lines;
}

async function listChoices(
  { words = [], source }: RowChoices,
  globals: GlobalOptions,
  processContext: ProcessContext,
): Promise<Choice[]> {
  // Pressing the tab key must not run code of the project.
  const context = createContext(processContext, globals, { skipModules: true });
  // Completion cannot report an emulator that is not running, or an unreadable fixture.
  const items = (await source?.list(context).catch(() => [])) ?? [];
  return [...words.map((value) => ({ value, description: '' })), ...items];
}
