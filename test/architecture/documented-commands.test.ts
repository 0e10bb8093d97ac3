/** Checks that commands in the docs exist, with their options. */
import { expect, it } from 'vitest';
import { commandTree } from '../../src/cli/command-tree.ts';
import { commandsByName, listFlags } from '../support/command-definitions.ts';
import { pages, readPage } from '../support/documents.ts';

const flags: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  await Promise.all(
    Object.keys(commandsByName).map(async (name) => [name, await listFlags(name, { global: true })] as const),
  ),
);

/** Returns the words after `svc` in code blocks and inline code, up to the end of the command. */
function findCommandLines(markdown: string): string[] {
  const code = [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```|`([^`\n]+)`/gm)];
  return code.flatMap(([, block, inline]) =>
    Array.from(
      (block ?? inline ?? '').matchAll(/(?:^|[\s("$])svc ([^\n`|;&)#"]+)/gm),
      ([, words]) => words?.trim() ?? '',
    ),
  );
}

/** Returns the mistake in a command line, or null if the command and all its options exist. */
function findMistake(line: string): string | null {
  // The words after `--` belong to another program.
  const words = line
    .replace(/^-- |^help /, '')
    .replace(/ --(?: .*)?$/, '')
    .split(/\s+/);
  const name = [3, 2, 1]
    .map((count) => words.slice(0, count).join(' '))
    .find((candidate) => candidate in flags);
  const options = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/[=,.].*/, ''));
  if (name === undefined) {
    const isAbove = words[0]?.startsWith('-') || (words.length === 1 && (words[0] ?? '') in commandTree);
    return isAbove ? null : 'does not exist';
  }
  const knownFlags = [...(flags[name] ?? []), '--help', '-h'];
  // `-6m` is a value.
  const unknown = options.filter((option) => !knownFlags.includes(option) && !/^-\d/.test(option));
  return unknown.length === 0 ? null : `has no option ${unknown.join(', ')}`;
}

// docs/commands.md is the help itself.
const documents = pages.filter((page) => page !== 'docs/commands.md' && page !== 'CHANGELOG.md');

it.each(documents)('%s mentions only commands and options that exist', (page) => {
  const mistakes = findCommandLines(readPage(page)).flatMap((line) => {
    const mistake = findMistake(line);
    return mistake === null ? [] : [`svc ${line} ${mistake}`];
  });
  expect(mistakes).toEqual([]);
});

it('unknown commands and options are found in inline code and code blocks', () => {
  const text =
    'Write `svc lst`.\n\n```console\nsvc trigger a.b --wiat   # waits\n$ svc deliveries list --status failed | wc\n```';
  expect(findCommandLines(text)).toEqual(['lst', 'trigger a.b --wiat', 'deliveries list --status failed']);
  expect(findCommandLines(text).map(findMistake)).toEqual(['does not exist', 'has no option --wiat', null]);
});
