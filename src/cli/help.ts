/** The help texts: the same sections in the same order for the program, its groups and its commands. */
import { join } from 'node:path';
import type { Argument, Command, Help, HelpConfiguration, Option } from 'commander';
import { findPackageFolder } from '../package-info.ts';
import { isGlobal } from './global-options.ts';
import type { Io } from './io.ts';
import { styleFor } from './render/style.ts';
import { rejectUnknownWords, toFullName } from './usage-error.ts';

/** A command line without the leading `svc`, and what it is for. */
export type Example = readonly [caption: string, commandLine: string];

const MAX_WIDTH = 110;

export function createHelpConfiguration(io: Io): HelpConfiguration {
  return {
    helpWidth: Math.min(io.width, MAX_WIDTH),
    formatHelp,
    subcommandTerm: (command) => command.name(),
    commandUsage: (command) => `${toFullName(command)} ${command.usage()}`,
    optionDescription: describeOption,
    argumentDescription: describeArgument,
    styleTitle: styleFor(io).bold,
  };
}

/** Adds the examples, and where to read more. Call it when the command has all its own options and notes. */
export function addExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.map(([caption, commandLine]) => `  # ${caption}\n  $ svc ${commandLine}`);
  return addSection(command, 'Examples:', () => lines);
}

/** For the program and its groups. Only the program names the documentation. */
export function addLearnMore(command: Command): Command {
  return addSection(command, 'Learn more:', () => {
    const commands = `  Read about a command: ${toFullName(command)} <command> --help`;
    const folder = command.parent === null ? findPackageFolder() : null;
    return folder === null
      ? [commands]
      : [commands, `  Read the documentation: ${join(folder, 'docs', 'README.md')}`];
  });
}

function addSection(command: Command, title: string, toLines: () => readonly string[]): Command {
  return command.addHelpText(
    'after',
    () => `\n${command.createHelp().styleTitle(title)}\n${toLines().join('\n')}`,
  );
}

function formatHelp(command: Command, help: Help): string {
  // Commander shows the help before it looks for mistakes.
  rejectUnknownWords(command);
  const termWidth = help.padWidth(command, help);
  const section = (title: string, items: readonly (readonly [term: string, description: string])[]) =>
    items.length === 0
      ? []
      : [
          help.styleTitle(title),
          ...items.map(([term, description]) => help.formatItem(term, termWidth, description, help)),
          '',
        ];
  const groups = help.groupItems(
    [...command.commands],
    help.visibleCommands(command),
    (each) => each.helpGroup() || 'Commands:',
  );
  const options = help.visibleOptions(command);
  const toItem = (option: Option) => [help.optionTerm(option), help.optionDescription(option)] as const;
  return [
    help.boxWrap(help.commandDescription(command), help.helpWidth ?? MAX_WIDTH),
    '',
    `${help.styleTitle('Usage:')} ${help.commandUsage(command)}`,
    '',
    ...Array.from(groups, ([title, commands]) =>
      section(
        title,
        commands.map((each) => [help.subcommandTerm(each), help.subcommandDescription(each)]),
      ),
    ).flat(),
    ...section(
      'Arguments:',
      help.visibleArguments(command).map((each) => [help.argumentTerm(each), help.argumentDescription(each)]),
    ),
    ...section('Options:', options.filter((option) => !isGlobal(option)).map(toItem)),
    ...section('Global options:', options.filter(isGlobal).map(toItem)),
  ].join('\n');
}

function describeOption({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const fallback = typeof defaultValue === 'boolean' ? undefined : defaultValue;
  return withRemarks(description, argChoices, defaultValueDescription ?? fallback);
}

function describeArgument({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Argument): string {
  return withRemarks(description, argChoices, defaultValueDescription ?? defaultValue);
}

function withRemarks(description: string, choices: readonly string[] | undefined, fallback: unknown): string {
  return [
    description,
    ...(choices === undefined ? [] : [`(choices: ${choices.join(', ')})`]),
    ...(fallback === undefined ? [] : [`(default: ${fallback})`]),
  ].join(' ');
}
