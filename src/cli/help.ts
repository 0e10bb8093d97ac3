/** The help texts, with the same sections in the same order for the program, its groups and its commands. */

import { join } from 'node:path';
import type { Argument, Command, HelpConfiguration, Option } from 'commander';
import { findPackageFolder } from '../platform/package-files.ts';
import { type Example, isShownAsRequired } from './command.ts';
import type { Io } from './process-context.ts';
import { styleFor } from './render/style.ts';
import { MAX_TEXT_WIDTH } from './render/text-width.ts';
import { toFullName } from './usage-error.ts';

export function createHelpConfiguration(io: Io): HelpConfiguration {
  return {
    helpWidth: Math.min(io.width, MAX_TEXT_WIDTH),
    subcommandTerm: (command) => command.name(),
    commandUsage: toUsage,
    optionDescription: describeValue,
    argumentDescription: describeValue,
    styleTitle: styleFor(io).bold,
  };
}

/** `svc deliveries get [options] <id>` */
export function toUsage(command: Command): string {
  const usage = command.registeredArguments
    .filter(isShownAsRequired)
    .reduce(
      (text, argument) => text.replace(new RegExp(`\\[(${argument.name()}(?:\\.{3})?)\\]`), '<$1>'),
      command.usage(),
    );
  return `${toFullName(command)} ${usage}`;
}

/** Call this after `configure`, so that the examples follow the notes of the command. */
export function addExamples(command: Command, examples: readonly Example[]): Command {
  const lines = examples.map(([caption, commandLine]) => `  # ${caption}\n  $ svc ${commandLine}`);
  return addSection(command, 'Examples:', () => lines);
}

/** For the program and its groups. Only the help of the program has the path of the documentation. */
export function addLearnMore(command: Command): Command {
  return addSection(command, 'Learn more:', () => {
    const commands = `  Read about a command: ${toFullName(command)} <command> --help`;
    if (command.parent !== null) return [commands];
    const folder = findPackageFolder();
    return [
      commands,
      // The single executable has no folder of documents.
      ...(folder === null ? [] : [`  Read the documentation: ${join(folder, 'docs', 'README.md')}`]),
    ];
  });
}

/** Adds paragraphs after the options, wrapped to the width of the help, except those with an indented line, such as a table. */
export function addNotes(command: Command, notes: string): void {
  command.addHelpText('after', () => {
    const help = command.createHelp();
    const wrap = (text: string) => help.boxWrap(text.replaceAll('\n', ' '), help.helpWidth ?? MAX_TEXT_WIDTH);
    const paragraphs = notes
      .trim()
      .split('\n\n')
      .map((text) => (/^ /m.test(text) ? text : wrap(text)));
    return `\n${paragraphs.join('\n\n')}`;
  });
}

function addSection(command: Command, title: string, toLines: () => readonly string[]): Command {
  return command.addHelpText(
    'after',
    () => `\n${command.createHelp().styleTitle(title)}\n${toLines().join('\n')}`,
  );
}

function describeValue(value: Option | Argument): string {
  const { description, argChoices, defaultValueDescription: defaultText } = value;
  return [
    description,
    ...(argChoices === undefined ? [] : [`(choices: ${argChoices.join(', ')})`]),
    ...(defaultText === undefined ? [] : [`(default: ${defaultText})`]),
  ].join(' ');
}
