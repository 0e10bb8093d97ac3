/** The usage errors of mistakes on a command line, with a hint. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Hint, SvcError } from '../domain/errors.ts';
import { findClosest } from '../domain/message-parts.ts';
import { isSecretName, removeKnownSecrets } from '../domain/secret-remover.ts';
import { quoteForShell } from '../domain/shell.ts';

/** `svc deliveries list` */
export function toFullName(command: Command): string {
  return command.parent === null ? command.name() : `${toFullName(command.parent)} ${command.name()}`;
}

export function createMissingValueError({ flags }: Option): SvcError {
  return createUsageError(`${toFlag(flags)} needs a value.`, `Use: ${flags}`);
}

/**
 * Rejects unknown commands and long options when help is requested: commander shows the help without checking other words.
 * @returns the text before the help: none
 * @throws SvcError `usage`
 */
export function rejectUnknownArguments(command: Command): string {
  const { args, commands, options } = command;
  const [firstWord] = args;
  if (commands.length > 0 && firstWord !== undefined && !firstWord.startsWith('-')) {
    throw createUnknownCommandError(command, firstWord);
  }
  const end = args.indexOf('--');
  const flags = ['--help', ...options.map(({ long }) => long)];
  const unknownFlag = args
    .slice(0, end < 0 ? undefined : end)
    .find((word) => word.startsWith('--') && !flags.includes(toFlag(word)));
  if (unknownFlag !== undefined) throw createUnknownOptionError(command, unknownFlag);
  return '';
}

export function createMissingCommandError(command: Command): SvcError {
  const names = command.commands.map((subcommand) => subcommand.name());
  return createUsageError(`${toFullName(command)} needs a command.`, `Choose one of: ${names.join(', ')}`);
}

/** What people try instead of the name of a command: a word anywhere, or a word in a group. */
const otherNames: Readonly<Record<string, string>> = {
  'svc clock forward': 'clock advance',
  dashboard: 'open',
  delivery: 'deliveries',
  'svc emulator list': 'emulator status',
  endpoints: 'webhooks',
  fire: 'trigger',
  requests: 'logs',
  'svc replay': 'deliveries replay',
  retry: 'deliveries replay',
  send: 'trigger',
  snapshot: 'emulator snapshot',
  snapshots: 'emulator snapshot',
  'svc start': 'emulator start',
  'svc status': 'emulator status',
  'svc stop': 'emulator stop',
  ui: 'open',
  version: '--version',
};

/** Verbs and options with the same or a similar meaning. Each command has at most one of them. */
const synonyms: readonly (readonly string[])[] = [
  ['get', 'show'],
  ['clear', 'delete', 'remove', 'revoke'],
  ['--data', '--payload', '--body'],
  ['--webhook', '--endpoint'],
  ['--scheme', '--sender'],
  ['-v', '--version'],
];

export function createUnknownCommandError(command: Command, word: string): SvcError {
  const name = toFullName(command);
  const names = command.commands.map((subcommand) => subcommand.name());
  const closest = findName(word, names);
  const path = findOtherName(name, word) ?? (closest === null ? null : `${name} ${closest}`);
  return createUsageError(
    `Unknown command: ${name} ${word || "''"}`,
    path === null
      ? { text: 'List the commands', command: `${name} --help` }
      : suggestCommandLine(path, listOtherWords(command, word)),
  );
}

/** The name with the same meaning as `word`, or else the only one that starts with it, or else the closest one. */
function findName(word: string, names: readonly string[]): string | null {
  const words = synonyms.find((list) => list.includes(word)) ?? [];
  const [longer, ...others] = names.filter((name) => word !== '' && name.startsWith(word));
  const name = names.find((each) => words.includes(each)) ?? (others.length === 0 ? longer : undefined);
  return name ?? findClosest(word, names);
}

function findOtherName(group: string, word: string): string | null {
  const key = [`${group} ${word}`, word].find((each) => Object.hasOwn(otherNames, each));
  return key === undefined ? null : `svc ${otherNames[key]}`;
}

export function createUnknownOptionError(command: Command, word: string): SvcError {
  const flag = toFlag(word);
  const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const closest = findName(flag, flags);
  return createUsageError(
    `Unknown option: ${flag}`,
    closest === null
      ? { text: 'List the options', command: `${toFullName(command)} --help` }
      : suggestCommandLine(
          'svc',
          readWords(command).map((each) => (toFlag(each) === flag ? each.replace(flag, closest) : each)),
          closest,
        ),
  );
}

/** Instead of a longer command line, only the correct name is suggested. */
const MAX_SUGGESTION_LENGTH = 200;

/** Repeats the arguments, so that the command line can be copied, unless one is a secret: errors are kept in logs. */
function suggestCommandLine(path: string, words: readonly string[], name = path): string {
  const line = [path, ...words.map(quoteForShell)].join(' ');
  const isRepeated = line.length <= MAX_SUGGESTION_LENGTH && !words.some(hasSecret);
  return `Did you mean: ${isRepeated ? line : name}`;
}

/** Whether a word is a secret, a URL or a header with one, or an option whose value is one. */
function hasSecret(word: string): boolean {
  return (
    removeKnownSecrets(word) !== word || /:\/\/[^/]*@/.test(word) || (/^-|:/.test(word) && isSecretName(word))
  );
}

/** The words of the command line except the names of the command's groups and `word`. */
function listOtherWords(command: Command, word: string): string[] {
  const words = readWords(command);
  for (const name of [...toFullName(command).split(' ').slice(1), word]) words.splice(words.indexOf(name), 1);
  return words;
}

/** The words of the whole command line, after the name of the program. */
function readWords(command: Command): string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  // Commander keeps it, but its types do not.
  return [...(root as Command & { readonly rawArgs: readonly string[] }).rawArgs];
}

export function createTooManyArgumentsError(command: Command): SvcError {
  const { args, registeredArguments, parent } = command;
  const [word = ''] = args;
  // `svc gaps chek`, which runs the default subcommand
  if (parent?.args[0] === word && word !== command.name()) return createUnknownCommandError(parent, word);
  const expected = registeredArguments.length === 0 ? 'none' : registeredArguments.length;
  return createUsageError(
    `Too many arguments: expected ${expected}, got ${args.length}.`,
    `Use: ${command.createHelp().commandUsage(command)}`,
  );
}

/** Makes the parsers of a command's values throw usage errors with the name of the option or argument. */
export function nameInvalidValues({ options, registeredArguments }: Command): void {
  for (const target of [...options, ...registeredArguments]) {
    const { parseArg } = target;
    if (parseArg === undefined) continue;
    const name = target instanceof Option ? toFlag(target.flags) : target.name();
    target.parseArg = (text: string, previous: unknown) => {
      try {
        return parseArg(text, previous as never);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        // The parser of a value says what it accepts, which is the hint.
        throw createUsageError(`Invalid value for ${name}: ${JSON.stringify(text)}`, error.message);
      }
    };
  }
}

/** `--since` of `-s, --since <when>` and of `--since=1h` */
function toFlag(text: string): string {
  return /--[\w-]+/.exec(text)?.[0] ?? text;
}

function createUsageError(message: string, hint: Hint | string): SvcError {
  return new SvcError('usage', message, { hint });
}
