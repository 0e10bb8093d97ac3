import { describe, expect, it } from 'vitest';
import { commandsByName, loadCommand } from '../support/command-definitions.ts';
import { optionUses } from './option-uses.ts';

it('every command in the table exists', () => {
  expect(Object.keys(optionUses).filter((name) => !(name in commandsByName))).toEqual([]);
});

describe.each(Object.keys(commandsByName))('svc %s', (name) => {
  const uses = optionUses[name] ?? [];

  it('every option is in the table', async () => {
    const { options } = await loadCommand(name);
    const words = uses.flatMap(([line]) => line.split(' ').map((word) => word.replace(/=.*/, '')));
    const unused = options.filter(
      ({ long, short }) => ![long, short].some((flag) => words.includes(flag ?? '')),
    );
    expect(unused.map(({ flags }) => flags)).toEqual([]);
  });

  it.each(uses)('the options %s are parsed', async (line, options) => {
    const command = await loadCommand(name);
    command.parseOptions(line.split(' '));
    const parsed = Object.entries(command.opts()).filter(
      ([key]) => command.getOptionValueSource(key) === 'cli',
    );
    expect(Object.fromEntries(parsed)).toEqual(options);
  });
});
