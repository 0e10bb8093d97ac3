/** `svc help --json`: describes the commands for programs, from the same definitions as the help texts. */

import type { Argument, Command, Option } from 'commander';
import { exitCodeTexts } from '../contract/error-texts.ts';
import { VERSION } from '../package-info.ts';
import { isShownAsRequired } from './command.ts';
import { isGlobal } from './global-options.ts';
import { describeDefault, getExamples } from './help.ts';
import { createUnknownCommandError, toFullName } from './usage-error.ts';

interface ValueHelp {
  readonly description: string;
  /** As the help shows it, because some defaults depend on other settings; null without one. */
  readonly default: string | null;
  readonly choices: readonly string[] | null;
}

interface ArgumentHelp extends ValueHelp {
  readonly name: string;
  readonly required: boolean;
  readonly variadic: boolean;
}

interface OptionHelp extends ValueHelp {
  readonly name: string;
  /** All forms with the name of the value: `-e, --events <types>`. */
  readonly flags: string;
  /** Whether the command fails without the option. */
  readonly required: boolean;
  readonly value: 'required' | 'optional' | 'none';
}

interface CommandHelp {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly arguments: readonly ArgumentHelp[];
  readonly options: readonly OptionHelp[];
  readonly examples: readonly { readonly purpose: string; readonly command: string }[];
  readonly commands: readonly CommandHelp[];
}

type LoadCommand = (command: Command) => Promise<void>;

/**
 * The help of the program, or of a command below it.
 * @param path names of the command, the group first
 * @param load adds the options of a command, which are in its own file
 * @throws SvcError `usage` for an unknown command
 */
export async function describeHelp(program: Command, path: readonly string[], load: LoadCommand) {
  const command = path.reduce((group, name) => {
    const found = group.commands.find((candidate) => candidate.name() === name);
    if (found === undefined) throw createUnknownCommandError(group, name);
    return found;
  }, program);
  const help = await describeCommand(command, load);
  if (command !== program) return help;
  return {
    version: VERSION,
    ...help,
    global_options: command.options.filter(isGlobal).map(toOptionHelp),
    exit_codes: Object.entries(exitCodeTexts).map(([code, meaning]) => ({ code: Number(code), meaning })),
  };
}

async function describeCommand(command: Command, load: LoadCommand): Promise<CommandHelp> {
  await load(command);
  return {
    name: toFullName(command),
    summary: command.description(),
    usage: command.createHelp().commandUsage(command),
    arguments: command.registeredArguments.map(toArgumentHelp),
    options: command.options.filter((option) => !isGlobal(option) && !option.hidden).map(toOptionHelp),
    examples: getExamples(command).map(([purpose, line]) => ({ purpose, command: `svc ${line}` })),
    commands: await Promise.all(command.commands.map((subcommand) => describeCommand(subcommand, load))),
  };
}

function toOptionHelp(option: Option): OptionHelp {
  const { flags, mandatory, required, optional } = option;
  return {
    name: option.long ?? flags,
    flags,
    required: mandatory,
    value: required ? 'required' : optional ? 'optional' : 'none',
    ...toValueHelp(option),
  };
}

function toArgumentHelp(argument: Argument): ArgumentHelp {
  return {
    name: argument.name(),
    required: isShownAsRequired(argument),
    variadic: argument.variadic,
    ...toValueHelp(argument),
  };
}

function toValueHelp(value: Option | Argument): ValueHelp {
  return {
    description: value.description,
    default: describeDefault(value) ?? null,
    choices: value.argChoices ?? null,
  };
}
