/**
 * Compares `docs/commands.md` with the help texts of all commands.
 * `npx vitest run test/cli/commands-document.test.ts --update` writes the page.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findPackageFolder } from '../../src/platform/package-files.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { runLine } from './fake-context.ts';

const intro = `# Commands

This page lists the options and arguments of each command. An option that several commands share is explained at the first one.
\`svc <command> --help\` prints all options of a command, with examples. Every command also accepts the global options below.`;

/** Tables in a help that other pages contain too, by their titles. */
const linkedTables: Readonly<Record<string, string>> = {
  'Kinds of faults': '[Inject faults](faults.md#on-deliveries) explains the kinds.',
  'Rules, each': '[Write a receiver](receivers.md#what-every-receiver-must-do) explains the rules.',
  'Rules and their': '[Fuzz a receiver](receiver-fuzz.md) explains the rules.',
};

async function readHelp(...words: string[]): Promise<string> {
  const { out } = await runLine([...words, '--help']);
  return out.replace(String(findPackageFolder()), '<package>');
}

/** An option in a help: its line, and the lines that continue it. */
const OPTION = /^ {2}-.*(?:\n {6,}\S.*)*$/gm;

/** @param documented the command that explains an option, by the text of the option */
function createSection(name: string, help: string, documented: Map<string, string>): string {
  const [usage = '', summary = '', ...rest] = help.trim().split('\n\n');
  const operands = usage.replace('Usage: ', '').replace(' [options]', '');
  const isLinked = (block: string) => Object.keys(linkedTables).some((title) => block.startsWith(title));
  const links = Object.entries(linkedTables).flatMap(([title, link]) =>
    rest.some((block) => block.startsWith(title)) ? [link] : [],
  );
  const shared = new Map<string, string[]>();
  const texts = rest
    .filter((block) => !/^(?:Examples|Global options):/.test(block) && !isLinked(block))
    .map((block) => removeShared(name, block, documented, shared));
  const sharedLines = Array.from(shared, ([command, flags]) => `  as in svc ${command}: ${flags.join(', ')}`);
  const code = [
    ...(operands === `svc ${name}` ? [] : [operands]),
    ...texts.filter((text) => !/^[\w ]+:$|^$/.test(text)),
    ...(sharedLines.length === 0 ? [] : [`Shared options:\n${sharedLines.join('\n')}`]),
    ...findExample(help, rest.at(-1) ?? ''),
  ].join('\n\n');
  const block = code === '' ? [] : [`\`\`\`text\n${code}\n\`\`\``];
  return [`## svc ${name}`, `${summary}.`, ...block, ...links].join('\n\n');
}

/** Removes the options that an earlier command explains, and adds them to `shared`. */
function removeShared(
  name: string,
  block: string,
  documented: Map<string, string>,
  shared: Map<string, string[]>,
): string {
  const own = block.replace(OPTION, (option) => {
    const text = option.replaceAll(/\s+/g, ' ');
    const command = documented.get(text);
    if (command === undefined) {
      documented.set(text, name);
      return option;
    }
    shared.set(command, [...(shared.get(command) ?? []), /--[\w-]+/.exec(option)?.[0] ?? '']);
    return '';
  });
  return own.replaceAll(/\n(?=\n|$)/g, '').trim();
}

/** A command with this many options, including the global ones, has an example: the one with the longest command line. */
const MIN_OPTIONS = 10;

function findExample(help: string, examples: string): string[] {
  if ((help.match(OPTION) ?? []).length < MIN_OPTIONS) return [];
  const lines = examples.split('\n').filter((line) => line.startsWith('  $ '));
  return [`Example:\n${lines.toSorted((a, b) => b.length - a.length)[0]}`];
}

it('the help of every command has its own options before the global options', async () => {
  const texts = await Promise.all(Object.keys(commandsByName).map((name) => readHelp(...name.split(' '))));
  expect(texts.filter((text) => /^Global options:.*^Options:/ms.test(text))).toEqual([]);
});

it('docs/commands.md lists the options of every command', async () => {
  const overview = `\`\`\`text\n${(await readHelp()).trim()}\n\`\`\``;
  const documented = new Map<string, string>();
  const sections: string[] = [];
  for (const name of Object.keys(commandsByName))
    sections.push(createSection(name, await readHelp(...name.split(' ')), documented));
  const document = `${[intro, overview, ...sections].join('\n\n')}\n`;
  await expect(
    document,
    'Update the page with: npx vitest run test/cli/commands-document.test.ts --update',
  ).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/commands.md'));
});
