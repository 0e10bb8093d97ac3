/** Holds the promised interface, the program's own help and the documents against each other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../src/cli/catalogue.ts';
import { leaves, listFlags } from '../support/command-line.ts';
import { globalOptions, promised } from './interface.ts';

const root = join(import.meta.dirname, '../..');
const documents = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(root, 'docs'))
    // The help itself, which another test holds it against.
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
    .map((name) => `docs/${name}`),
];

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const flags: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  await Promise.all(
    Object.keys(leaves).map(async (name) => [name, await listFlags(name, { global: true })] as const),
  ),
);

/** `deliveries list`, `deliveries list --status`, … of everything that is promised. */
const promises = Object.entries(promised).flatMap(([name, options]) => [
  name,
  ...[...options, ...globalOptions].map((option) => `${name} ${option}`),
]);

function isBuilt(promise: string): boolean {
  const { name, option } = /^(?<name>.*?)(?: (?<option>-.*))?$/.exec(promise)?.groups ?? {};
  const known = flags[name ?? ''];
  return known !== undefined && (option === undefined || known.includes(option));
}

describe('the promised interface', () => {
  it('is built', () => {
    expect(promises.filter((promise) => !isBuilt(promise))).toEqual([]);
  });

  it('has every command of the program', () => {
    expect(Object.keys(leaves).filter((name) => !(name in promised))).toEqual([]);
  });

  it('is documented', () => {
    const sections = new Map(
      read('docs/commands.md')
        .split('\n## svc ')
        .map((section) => [section.split('\n', 1)[0], section]),
    );
    const missing = promises.filter(isBuilt).filter((promise) => {
      const [name = '', option] = promise.split(/ (?=-)/);
      const text = sections.get(name);
      if (text === undefined) return true;
      return option !== undefined && !globalOptions.includes(option) && !text.includes(`${option} `);
    });
    expect(missing).toEqual([]);
  });
});

/** Command lines in code, fenced or between words: what follows `svc`, up to what ends it for a shell or a reader. */
function findCommandLines(markdown: string): string[] {
  const code = [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```|`([^`\n]+)`/gm)];
  return code.flatMap(([, block, inline]) =>
    Array.from(
      (block ?? inline ?? '').matchAll(/(?:^|[\s("$])svc ([^\n`|;&)#"]+)/gm),
      ([, words]) => words?.trim() ?? '',
    ),
  );
}

/** What is wrong with a command line; null when the program would know its words. */
function findMistake(line: string): string | null {
  // What follows `--` is another program's.
  const words = line
    .replace(/^-- /, '')
    .replace(/ --(?: .*)?$/, '')
    .split(/\s+/);
  const name = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((known) => known in flags);
  const options = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/[=,.].*/, ''));
  if (name === undefined) {
    const isAbove = words[0]?.startsWith('-') || (words.length === 1 && (words[0] ?? '') in catalogue);
    return isAbove ? null : 'there is no such command';
  }
  const known = [...(flags[name] ?? []), '--help', '-h'];
  // `-6m` is a value.
  const unknown = options.filter((option) => !known.includes(option) && !/^-\d/.test(option));
  return unknown.length === 0 ? null : `there is no ${unknown.join(', ')}`;
}

describe('the documents', () => {
  it.each(documents)('in %s name no command and no option that does not exist', (path) => {
    const mistakes = findCommandLines(read(path)).flatMap((line) => {
      const mistake = findMistake(line);
      return mistake === null ? [] : [`svc ${line}: ${mistake}`];
    });
    expect(mistakes).toEqual([]);
  });

  it('are read where they name commands', () => {
    const text =
      'Write `svc lst`.\n\n```console\nsvc trigger a.b --wiat   # waits\n$ svc deliveries list --status failed | wc\n```';
    expect(findCommandLines(text)).toEqual(['lst', 'trigger a.b --wiat', 'deliveries list --status failed']);
    expect(findCommandLines(text).map(findMistake)).toEqual([
      'there is no such command',
      'there is no --wiat',
      null,
    ]);
  });
});
