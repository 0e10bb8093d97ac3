/** Finds what the shell completes at the cursor, with the same command definitions that parse the command line. */
import type { Argument, Option } from 'commander';
import { CliCommand } from '../command.ts';
import { type Commands, commandTree } from '../command-tree.ts';
import type { GlobalOptions } from '../context.ts';
import { addGlobalOptions, isGlobal } from '../global-options.ts';

type CompletionTarget =
  | { readonly kind: 'name'; readonly names: Commands }
  | { readonly kind: 'option'; readonly options: readonly Option[] }
  /** The value of an option; `prefix` is the part of the word before it: `--status=`. */
  | { readonly kind: 'value'; readonly option: Option; readonly prefix: string }
  | { readonly kind: 'argument'; readonly argument: Argument }
  | { readonly kind: 'none' };

export interface CompletionContext {
  readonly target: CompletionTarget;
  /** The words of the name of the command, as far as they are before the cursor. */
  readonly path: readonly string[];
  /** Values of the global options before the cursor: `--url` and `--api-key`. */
  readonly globals: GlobalOptions;
}

const NO_TARGET: CompletionTarget = { kind: 'none' };

/** @param words the words of the command line without the program, up to the cursor; the last one is completed */
export async function parseCompletionContext(words: readonly string[]): Promise<CompletionContext> {
  const current = words.at(-1) ?? '';
  const reader = new CommandLineReader();
  for (const word of words.slice(0, -1)) await reader.read(word);
  return { target: reader.targetAt(current), path: reader.path, globals: reader.globals };
}

/** Reads the words before the cursor in order, as commander does. */
class CommandLineReader {
  readonly path: string[] = [];
  readonly globals: Record<string, string> = {};
  #command = addGlobalOptions(new CliCommand());
  /** The possible next names; null after the name of a command, or an unknown name. */
  #names: Commands | null = commandTree;
  /** The option that takes the next word as its value. */
  #pendingOption: Option | null = null;
  #argumentCount = 0;
  #optionsEnded = false;

  async read(word: string): Promise<void> {
    if (this.#pendingOption !== null && this.#isValue(word, this.#pendingOption)) {
      if (isGlobal(this.#pendingOption)) this.globals[this.#pendingOption.attributeName()] = word;
      this.#pendingOption = null;
      return;
    }
    this.#pendingOption = null;
    if (this.#isOption(word)) this.#readOption(word);
    else if (word === '--' && this.path.length > 0) this.#optionsEnded = true;
    else if (this.#names === null) this.#argumentCount++;
    // Skip `help` in `svc help trigger`, and the `--` in `svc -- …`, without which Node 20 takes options such as `--env-file`
    // for itself.
    else if (this.path.length > 0 || (word !== 'help' && word !== '--')) await this.#enter(word, this.#names);
  }

  targetAt(current: string): CompletionTarget {
    if (this.#pendingOption !== null && this.#isValue(current, this.#pendingOption)) {
      return { kind: 'value', option: this.#pendingOption, prefix: '' };
    }
    if (current.startsWith('-') && !this.#optionsEnded) return this.#targetOfOption(current);
    if (this.#names !== null) return { kind: 'name', names: this.#names };
    const { registeredArguments } = this.#command;
    const last = registeredArguments.at(-1);
    const argument = registeredArguments[this.#argumentCount] ?? (last?.variadic ? last : undefined);
    return argument === undefined ? NO_TARGET : { kind: 'argument', argument };
  }

  #targetOfOption(current: string): CompletionTarget {
    const [prefix, flag] = /^(--[\w-]+)=/.exec(current) ?? [];
    if (prefix === undefined)
      return { kind: 'option', options: this.#command.options.filter(({ hidden }) => !hidden) };
    const option = this.#command.options.find(({ long }) => long === flag);
    return option === undefined ? NO_TARGET : { kind: 'value', option, prefix };
  }

  async #enter(name: string, names: Commands): Promise<void> {
    const entry = Object.hasOwn(names, name) ? names[name] : undefined;
    this.path.push(name);
    this.#names = entry !== undefined && 'subcommands' in entry ? entry.subcommands : null;
    this.#command = new CliCommand();
    if (entry !== undefined && 'load' in entry) (await entry.load()).configure?.(this.#command);
    addGlobalOptions(this.#command);
  }

  #isOption(word: string): boolean {
    return !this.#optionsEnded && /^-./.test(word) && word !== '--';
  }

  /** Whether the word is the value of the option. An optional value never begins with a dash. */
  #isValue(word: string, option: Option): boolean {
    return option.required || !word.startsWith('-');
  }

  /** Reads `--url`, which takes the next word as its value, or `--url=http://…`. */
  #readOption(word: string): void {
    const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = this.#command.options.find(({ long, short }) => flag === long || flag === short);
    if (!option?.required && !option?.optional) return;
    if (value === undefined) this.#pendingOption = option;
    else if (isGlobal(option)) this.globals[option.attributeName()] = value;
  }
}
