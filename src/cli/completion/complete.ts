/** Suggests words for the completion scripts of the shells, with the same command definitions that parse the command line. */
import type { Option } from 'commander';
import { abortAfter, withAnySignal } from '../../platform/abort-signals.ts';
import type { Choice } from '../choices/choice-source.ts';
import { choicesOf, type RowChoices } from '../choices/row-choices.ts';
import { type AnyCommand, CliCommand, type CommandGroup, type Commands, loadEntry } from '../command.ts';
import { commandTree } from '../command-tree.ts';
import { createContext, type GlobalOptions } from '../context.ts';
import { addGlobalOptions, isGlobal } from '../global-options.ts';
import type { ProcessContext } from '../process-context.ts';
import { truncateLine } from '../render/text-width.ts';

/** The output that makes the scripts in `fixtures/completion` complete paths. */
const FILES = ':files';

/** Time limit of a list: short enough for the tab key. After it, the list is empty. */
export const LIST_TIMEOUT_MS = 300;

/** How descriptions are truncated. The width of the terminal is not known here. */
const DESCRIPTION_TRUNCATION = { width: 80, unicode: true };

/** What the shell completes at the cursor. */
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
  const target = await findTarget(words);
  return withAnySignal([processContext.signal, abortAfter(timeoutMs)], (signal) =>
    suggest(target, words.at(-1) ?? '', { ...processContext, signal }),
  );
}

/** Reads the words before the cursor in order, as commander does. */
async function findTarget(words: readonly string[]): Promise<Target> {
  const current = words.at(-1) ?? '';
  const globals: Record<string, string> = {};
  let command = addGlobalOptions(new CliCommand());
  /** The possible next names; null after the name of a command, or an unknown name. */
  let names: Commands | null = commandTree;
  /** The option that takes the next word as its value. */
  let pending: Option | undefined;
  let [hasName, optionsEnded, argumentCount] = [false, false, 0];
  for (const word of words.slice(0, -1)) {
    const option = pending;
    pending = undefined;
    if (option !== undefined && canBeValue(word, option)) {
      if (isGlobal(option)) globals[option.attributeName()] = word;
    } else if (!optionsEnded && /^-./.test(word) && word !== '--') {
      // `--url`, which takes the next word as its value, or `--url=http://…`.
      const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
      const named = command.options.find(({ long, short }) => flag === long || flag === short);
      if (!named?.required && !named?.optional) continue;
      if (value === undefined) pending = named;
      else if (isGlobal(named)) globals[named.attributeName()] = value;
    } else if (word === '--' && hasName) optionsEnded = true;
    else if (names === null) argumentCount++;
    // Skip `help` in `svc help trigger`, and the `--` in `svc -- …`, without which Node 20 takes options such as `--env-file`
    // for itself.
    else if (hasName || (word !== 'help' && word !== '--')) {
      const entry: Commands[string] | undefined = Object.hasOwn(names, word) ? names[word] : undefined;
      const loaded: AnyCommand | CommandGroup | undefined = entry && (await loadEntry(entry));
      hasName = true;
      names = loaded !== undefined && 'commands' in loaded ? loaded.commands : null;
      command = new CliCommand();
      if (loaded !== undefined && 'configure' in loaded) loaded.configure?.(command);
      addGlobalOptions(command);
    }
  }

  const none = { names: [], values: {}, prefix: '', globals };
  if (pending !== undefined && canBeValue(current, pending)) return { ...none, values: choicesOf(pending) };
  if (current.startsWith('-') && !optionsEnded) {
    const [prefix, flag] = /^(--[\w-]+)=/.exec(current) ?? [];
    const option = command.options.find(({ long }) => long === flag);
    if (prefix !== undefined) return option ? { ...none, values: choicesOf(option), prefix } : none;
    const options = command.options.filter(({ hidden }) => !hidden);
    const choices = options.map(({ long, description }) => ({ value: long ?? '', description }));
    return { ...none, names: [...choices, { value: '--help', description: 'Show this help' }] };
  }
  if (names !== null) {
    const choices = Object.entries(names);
    return { ...none, names: choices.map(([value, { summary }]) => ({ value, description: summary })) };
  }
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[argumentCount] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? none : { ...none, values: choicesOf(argument) };
}

/** Whether the word is the value of the option. An optional value never begins with a dash. */
function canBeValue(word: string, option: Option): boolean {
  return option.required || !word.startsWith('-');
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
