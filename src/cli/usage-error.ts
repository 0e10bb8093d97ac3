/** Converts mistakes that commander finds on the command line to usage errors with a hint. */
import { type Command, type CommanderError, InvalidArgumentError, Option } from 'commander';
import { idPrefixes } from '../domain/ids.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import { type Hint, SvcError } from '../errors.ts';

/** `svc deliveries list` */
export function toFullName(command: Command): string {
  return command.parent === null ? command.name() : `${toFullName(command.parent)} ${command.name()}`;
}

/** @param command the command that was parsed when commander found the mistake */
export function toUsageError({ code, message }: CommanderError, command: Command): SvcError {
  // Commander has no other form of the names and flags, which it puts in single quotes.
  const [word = '', secondWord = ''] = Array.from(message.matchAll(/'([^']*)'/g), ([, text = '']) => text);
  switch (code) {
    case 'commander.help':
      return createMissingCommandError(command);
    case 'commander.unknownCommand':
      return createUnknownCommandError(command, word);
    case 'commander.unknownOption':
      return createUnknownOptionError(command, word);
    case 'commander.missingArgument':
      return createUsageError(`Missing argument: <${word}>`, `Use: ${toUsage(command)}`);
    case 'commander.excessArguments':
      return createTooManyArgumentsError(command);
    case 'commander.missingMandatoryOptionValue':
      return createUsageError(`Missing option: ${toFlag(word)}`, `Add: ${word}`);
    case 'commander.optionMissingArgument':
      return createUsageError(`${toFlag(word)} needs a value.`, `Use: ${word}`);
    case 'commander.conflictingOption':
      return createUsageError(
        `${toFlag(word)} and ${toFlag(secondWord)} cannot be used together.`,
        'Remove one of them.',
      );
    default:
      return createUsageError(message.replace(/^error: /, ''), {
        text: 'Show the help',
        command: `${toFullName(command)} --help`,
      });
  }
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

function createMissingCommandError(command: Command): SvcError {
  const names = command.commands.map((subcommand) => subcommand.name());
  return createUsageError(`${toFullName(command)} needs a command.`, `Choose one of: ${names.join(', ')}`);
}

/** What people try instead of the name of a command: a word anywhere, or a word in a group. */
const otherNames: Readonly<Record<string, string>> = {
  'clock forward': 'clock advance',
  dashboard: 'open',
  delivery: 'deliveries',
  'emulator list': 'emulator status',
  endpoints: 'webhooks',
  fire: 'trigger',
  requests: 'logs',
  retry: 'deliveries replay',
  send: 'trigger',
  snapshots: 'emulator snapshot',
  ui: 'open',
  version: '--version',
};

/** Verbs and options with the same meaning. Each command has at most one of them. */
const synonyms: readonly (readonly string[])[] = [
  ['get', 'show'],
  ['clear', 'delete', 'remove', 'revoke'],
  ['--data', '--payload', '--body'],
  ['--webhook', '--endpoint'],
];

export function createUnknownCommandError(command: Command, word: string): SvcError {
  const name = toFullName(command);
  const names = command.commands.map((subcommand) => subcommand.name());
  const synonym = findSynonym(word, names);
  return createUsageError(
    `Unknown command: ${name} ${word || "''"}`,
    suggestOtherName(name, word) ??
      (synonym === undefined ? null : `Did you mean ${name} ${synonym}?`) ??
      suggestName(word, names, (closest) => `${name} ${closest}`) ??
      suggestBelow(command, word) ?? { text: 'List the commands', command: `${name} --help` },
  );
}

/** Suggests the only name that starts with `word`, or else the closest one. */
function suggestName(
  word: string,
  names: readonly string[],
  format: (name: string) => string,
): string | null {
  const [longer, ...others] = names.filter((name) => word !== '' && name.startsWith(word));
  return longer !== undefined && others.length === 0
    ? `Did you mean ${format(longer)}?`
    : suggestMatch(word, names, format);
}

function suggestOtherName(group: string, word: string): string | null {
  const key = [`${group} ${word}`.replace(/^svc /, ''), word].find((each) => Object.hasOwn(otherNames, each));
  return key === undefined ? null : `Did you mean svc ${otherNames[key]}?`;
}

/** The name with the same meaning as `word`; undefined if there is none. */
function findSynonym(word: string, names: readonly string[]): string | undefined {
  const words = synonyms.find((list) => list.includes(word)) ?? [];
  return names.find((name) => words.includes(name));
}

/** Suggests the first command below a group that has exactly this name: `svc snapshot` is in `svc emulator`. */
function suggestBelow(group: Command, name: string): string | null {
  for (const command of group.commands) {
    const suggestion =
      command.name() === name ? `Did you mean ${toFullName(command)}?` : suggestBelow(command, name);
    if (suggestion !== null) return suggestion;
  }
  return null;
}

function createUnknownOptionError(command: Command, word: string): SvcError {
  // `svc clock advance -5m`
  const valueError = /^-\d/.test(word) ? createArgumentError(command, word) : null;
  if (valueError !== null) return valueError;
  const flag = toFlag(word);
  const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  // `--restart` stands for `--restart-command`, and `-v` for `-V`.
  const longer =
    flags.find((long) => long.startsWith(`${flag}-`)) ??
    findSynonym(flag, flags) ??
    command.options.find(({ short }) => short?.toLowerCase() === flag.toLowerCase())?.long;
  return createUsageError(
    `Unknown option: ${flag}`,
    (longer === undefined ? suggestMatch(flag, flags) : `Did you mean ${longer}?`) ?? {
      text: 'List the options',
      command: `${toFullName(command)} --help`,
    },
  );
}

function createTooManyArgumentsError(command: Command): SvcError {
  const { args, options, registeredArguments, parent } = command;
  const [address = ''] = args;
  // `svc gaps chek`, which runs the default subcommand
  if (parent?.args[0] === address) return createUnknownCommandError(parent, address);
  const hasNoArgument = registeredArguments.length === 0;
  const flag = hasNoArgument ? findFlagFor(address) : undefined;
  if (options.some(({ long }) => long === flag)) {
    return createUsageError(`${toFullName(command)} has no argument: ${JSON.stringify(address)}`, {
      text: `Use ${flag}`,
      command: `${toFullName(command)} ${flag} ${quoteForShell(address)}`,
    });
  }
  // `svc clock advance 3 days`
  const quantity = args.join(' ');
  const valueError = /^[\d.]+ [a-z]+$/i.test(quantity) ? createArgumentError(command, quantity) : null;
  if (valueError !== null) return valueError;
  const expected = hasNoArgument ? 'none' : registeredArguments.length;
  return createUsageError(
    `Too many arguments: expected ${expected}, got ${args.length}.`,
    `Use: ${toUsage(command)}`,
  );
}

/** The option that an argument is meant for: `svc emulator start 4242`, `svc verify del_…`. */
function findFlagFor(text: string): string | undefined {
  if (LOCAL_ADDRESS.test(text)) return '--forward-to';
  const [kind] = Object.entries(idPrefixes).find(([, prefix]) => text.startsWith(prefix)) ?? [];
  return kind === 'apiKey' ? '--key' : kind && `--${kind}`;
}

/** A port, or a host with a scheme or a port. */
const LOCAL_ADDRESS = /^:?\d+(?:\/|$)|^https?:\/\/|^[\w.-]+:\d/;

/** The error for `text` as the first argument of the command; null if the parser of the argument accepts it. */
function createArgumentError({ registeredArguments: [argument] }: Command, text: string): SvcError | null {
  try {
    argument?.parseArg?.(text, undefined);
    return null;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

/** `svc deliveries get [options] <id>` */
function toUsage(command: Command): string {
  return command.createHelp().commandUsage(command);
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

/**
 * Rejects empty arguments, usually caused by an unset shell variable. Only the arguments of the command of `svc emulator exec`
 * can be empty.
 * @throws SvcError `usage`
 */
export function rejectEmptyArguments({ registeredArguments, processedArgs }: Command): void {
  for (const [index, argument] of registeredArguments.entries()) {
    const name = argument.name();
    const values = [processedArgs[index]].flat();
    if (!(name === 'command' ? values.slice(0, 1) : values).includes('')) continue;
    throw createUsageError(
      `Invalid value for ${name}: ""`,
      'Pass a value. If it comes from a shell variable, set the variable first.',
    );
  }
}

/** `--since` of `-s, --since <when>` and of `--since=1h` */
function toFlag(text: string): string {
  return /--[\w-]+/.exec(text)?.[0] ?? text;
}

function createUsageError(message: string, hint: Hint | string): SvcError {
  return new SvcError('usage', message, { hint });
}
