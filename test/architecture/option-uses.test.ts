/** `option-uses.yaml` has command lines that use every option, and the options that they are parsed to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandsByName, loadCommand } from '../support/command-definitions.ts';

type Uses = Readonly<Record<string, object>>;

const { commands: optionUses }: { readonly commands: Readonly<Record<string, Uses>> } = parse(
  readFileSync(join(import.meta.dirname, 'option-uses.yaml'), 'utf8'),
  { merge: true },
);

it('the table contains exactly the commands that have options', async () => {
  const withOptions: string[] = [];
  for (const name of Object.keys(commandsByName)) {
    if ((await loadCommand(name)).options.length > 0) withOptions.push(name);
  }
  expect(Object.keys(optionUses).sort()).toEqual(withOptions.sort());
});

describe.each(Object.entries(optionUses))('svc %s', (name, uses) => {
  it('every option is in the table', async () => {
    const { options } = await loadCommand(name);
    const words = Object.keys(uses).flatMap((line) => line.split(' ').map((word) => word.replace(/=.*/, '')));
    const unused = options.filter(
      ({ long, short }) => ![long, short].some((flag) => words.includes(flag ?? '')),
    );
    expect(unused.map(({ flags }) => flags)).toEqual([]);
  });

  it.each(Object.entries(uses))('the options %s are parsed', async (line, options) => {
    const command = await loadCommand(name);
    command.parseOptions(line.split(' '));
    const parsed = Object.entries(command.opts())
      .filter(([key]) => command.getOptionValueSource(key) === 'cli')
      .map(([key, value]) => [key, typeof value === 'function' ? '<function>' : value]);
    expect(Object.fromEntries(parsed)).toEqual(options);
  });
});
