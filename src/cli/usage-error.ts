/** Mistakes on the command line: what commander finds wrong, in the words of this program. */
import type { Command, CommanderError } from 'commander';
import { suggestMatch } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';

/** `svc deliveries list` */
export function toFullName(command: Command): string {
  return command.parent === null ? command.name() : `${toFullName(command.parent)} ${command.name()}`;
}

/** @param command the command that was parsed when commander found the mistake */
export function toUsageError({ code, message }: CommanderError, command: Command): SvcError {
  // Commander puts names and flags in single quotes.
  const [first = '', second = ''] = Array.from(message.matchAll(/'([^']*)'/g), ([, text = '']) => text);
  switch (code) {
    case 'commander.help':
      return missingCommand(command);
    case 'commander.unknownCommand':
      return unknownCommand(command, first);
    case 'commander.unknownOption':
      return unknownOption(command, first);
    case 'commander.missingArgument':
      return usage(`Missing argument: ${first}`, `Write: ${toUsage(command)}`);
    case 'commander.excessArguments':
      return tooManyArguments(command);
    case 'commander.missingMandatoryOptionValue':
      return usage(`Missing option: ${toFlag(first)}`, `Write: ${first}`);
    case 'commander.optionMissingArgument':
      return usage(`${toFlag(first)} needs a value.`, `Write: ${first}`);
    case 'commander.conflictingOption':
      return usage(`${toFlag(first)} and ${toFlag(second)} cannot be used together.`, 'Remove one of them.');
    case 'commander.invalidArgument':
      return invalidValue(message);
    default:
      return usage(message.replace(/^error: /, ''), `Read: ${toFullName(command)} --help`);
  }
}

/**
 * Rejects unknown commands and options when help is requested: commander shows the help without checking other words.
 * @throws SvcError `usage`
 */
export function rejectUnknownWords(command: Command): void {
  const { args, commands, options } = command;
  const [first = '-'] = args;
  if (commands.length > 0 && !first.startsWith('-')) throw unknownCommand(command, first);
  const end = args.indexOf('--');
  const flags = ['--help', ...options.map(({ long }) => long)];
  const unknown = args
    .slice(0, end < 0 ? undefined : end)
    .find((word) => word.startsWith('--') && !flags.includes(toFlag(word)));
  if (unknown !== undefined) throw unknownOption(command, unknown);
}

function missingCommand(command: Command): SvcError {
  const names = command.commands.map((each) => each.name());
  return usage(`${toFullName(command)} needs a command.`, `Choose one of: ${names.join(', ')}`);
}

function unknownCommand(command: Command, word: string): SvcError {
  const name = toFullName(command);
  const names = command.commands.map((each) => each.name());
  return usage(
    `Unknown command: ${name} ${word}`,
    suggestMatch(word, names, (nearest) => `${name} ${nearest}`) ??
      suggestBelow(command, word) ??
      `List the commands with: ${name} --help`,
  );
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

function unknownOption(command: Command, word: string): SvcError {
  const flag = toFlag(word);
  const flags = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  return usage(
    `Unknown option: ${flag}`,
    suggestMatch(flag, flags) ?? `List the options with: ${toFullName(command)} --help`,
  );
}

function tooManyArguments(command: Command): SvcError {
  const { args, registeredArguments } = command;
  const expected = registeredArguments.length === 0 ? 'none' : registeredArguments.length;
  return usage(`Too many arguments: expected ${expected}, got ${args.length}.`, `Write: ${toUsage(command)}`);
}

/** `svc deliveries get [options] <id>` */
function toUsage(command: Command): string {
  return command.createHelp().commandUsage(command);
}

const INVALID_VALUE =
  /^error: (?:option '(?<flags>.+?)' argument|command-argument value) '(?<value>.*)' is invalid(?: for argument '(?<name>.+?)')?\. (?<advice>.*)$/s;

/** The parser of a value says what it accepts, which is the hint. */
function invalidValue(message: string): SvcError {
  const { flags, name = '', value, advice = '' } = INVALID_VALUE.exec(message)?.groups ?? {};
  const subject = flags === undefined ? name : toFlag(flags);
  return usage(
    `Invalid value for ${subject}: ${JSON.stringify(value)}`,
    advice.replace(/^Allowed choices are (.*)\.$/s, 'Choose one of: $1'),
  );
}

/** `--since` of `-s, --since <when>` and of `--since=1h` */
function toFlag(text: string): string {
  return /--[\w-]+/.exec(text)?.[0] ?? text;
}

function usage(message: string, hint: string): SvcError {
  return new SvcError('usage', message, { hint });
}
