import { describe, expect, it } from 'vitest';
import { leaves, loadCommand } from '../support/command-line.ts';
import { optionUses } from './option-uses.ts';

describe.each(Object.keys(leaves))('svc %s', (name) => {
  const uses = optionUses[name] ?? [];

  it('has each of its options used', async () => {
    const { options } = await loadCommand(name);
    const words = uses.flatMap(([line]) => line.split(' ').map((word) => word.replace(/=.*/, '')));
    const unused = options.filter(
      ({ long, short }) => ![long, short].some((flag) => words.includes(flag ?? '')),
    );
    expect(unused.map(({ flags }) => flags)).toEqual([]);
  });

  it.each(uses)('reads %s', async (line, options) => {
    const command = await loadCommand(name);
    command.parseOptions(line.split(' '));
    const given = Object.entries(command.opts()).filter(
      ([key]) => command.getOptionValueSource(key) === 'cli',
    );
    expect(Object.fromEntries(given)).toEqual(options);
  });
});
