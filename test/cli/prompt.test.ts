import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { type ChoiceSource, toChoiceList } from '../../src/cli/choices/choice-source.ts';
import { parseWebhookUrl, parseWorkspaceName } from '../../src/cli/option-parsers.ts';
import { askChoice, askText, confirm } from '../../src/cli/prompt.ts';
import { createFakeContext, type FakeOptions } from './fake-context.ts';

const fruits = [
  { id: 'fr_1', name: 'Apple', color: 'red' },
  { id: 'fr_2', name: 'Pear', color: 'green' },
  { id: 'fr_3', name: 'Plum', color: 'blue' },
];

function offer(rows: readonly (typeof fruits)[number][] = fruits): ChoiceSource {
  const columns = [
    { title: 'ID', value: ({ id }: (typeof fruits)[number]) => id },
    { title: 'NAME', value: ({ name }: (typeof fruits)[number]) => name },
    { title: 'COLOR', value: ({ color }: (typeof fruits)[number]) => color, hideOrder: 1 },
  ];
  return { noun: 'fruit', list: async () => toChoiceList(rows, columns, ({ id }) => id) };
}

/** A context with somebody who sees what is asked and presses keys. */
function sitDown(fake: FakeOptions = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  const { context, capturedOutput } = createFakeContext({ ...fake, prompt: { input, output } });
  /** Answers with keys once the text is to be seen. */
  async function press(keys: string, after: string | RegExp): Promise<void> {
    await vi.waitFor(() => expect(stripVTControlCharacters(screen)).toMatch(after));
    screen = '';
    input.write(keys);
  }
  return { context, recorded: capturedOutput, press, seen: () => screen };
}

const ENTER = '\r';
const DOWN = '\x1b[B';
const CTRL_C = '\x03';

describe('a choice', () => {
  it('is made with the arrow keys, among rows under their titles', async () => {
    const { context, press } = sitDown();
    const choice = askChoice(context, 'id', offer());
    await press(DOWN, /\? Which fruit\?\n {2}ID {4}NAME {3}COLOR\n❯ fr_1 {2}Apple {2}red\n {2}fr_2 /);
    await press(ENTER, '❯ fr_2');
    await expect(choice).resolves.toBe('fr_2');
  });

  it('is found by any words of its row, capitals or not', async () => {
    const { context, press } = sitDown();
    const choice = askChoice(context, 'id', offer());
    await press('BLUE pl', 'fr_3');
    await press(ENTER, /❯ fr_3/);
    await expect(choice).resolves.toBe('fr_3');
  });

  it('finds what does not fit into the terminal as well', async () => {
    const { context, press } = sitDown({ width: 14 });
    const choice = askChoice(context, 'id', offer());
    await press('green', /ID {4}NAME\n❯ fr_1 {2}Apple\n/);
    await press(ENTER, '❯ fr_2');
    await expect(choice).resolves.toBe('fr_2');
  });

  it('says so when nothing is found', async () => {
    const { context, press } = sitDown();
    const choice = askChoice(context, 'id', offer());
    await press('kiwi', 'fr_3');
    await press(CTRL_C, 'No results found');
    await expect(choice).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
  });

  it('has no colours where there are none', async () => {
    const { context, press, seen } = sitDown();
    const choice = askChoice(context, 'id', offer());
    await vi.waitFor(() => expect(seen()).toContain('⏎ select'));
    expect(seen()).not.toMatch(/\x1b\[\d*m/);
    await press(CTRL_C, 'fruit');
    await expect(choice).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is an error where there is nothing to choose from', async () => {
    const { context } = sitDown();
    await expect(askChoice(context, 'id', offer([]))).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no fruit to choose from yet.',
    });
  });

  it('ends with the interruption of the process', async () => {
    const interruption = new AbortController();
    const { context } = sitDown({ signal: interruption.signal });
    const choice = askChoice(context, 'id', offer());
    interruption.abort();
    await expect(choice).rejects.toMatchObject({ code: 'interrupted' });
  });

  it.each([
    ['without a terminal', createFakeContext().context],
    ['with --json', sitDown({ json: true }).context],
  ])('is a usage error %s, and nothing is loaded', async (_, context) => {
    const list = vi.fn();
    await expect(askChoice(context, 'id', { noun: 'fruit', list })).rejects.toMatchObject({
      ...{ code: 'usage', message: 'Missing argument: id' },
    });
    await expect(askText(context, 'name', parseWorkspaceName)).rejects.toMatchObject({ code: 'usage' });
    expect(list).not.toHaveBeenCalled();
  });
});

describe('a text', () => {
  it('is typed', async () => {
    const { context, press } = sitDown();
    const text = askText(context, 'name', parseWorkspaceName);
    await press(`Team A${ENTER}`, 'name:');
    await expect(text).resolves.toBe('Team A');
  });

  it('is asked for again, with the reason, until it is valid', async () => {
    const { context, press } = sitDown();
    const url = askText(context, 'url', parseWebhookUrl);
    await press(`not a url${ENTER}`, 'url:');
    await press(`\x15http://169.254.169.254/${ENTER}`, 'Pass a port or a URL');
    await press(`\x1546003/hooks${ENTER}`, 'The URL must not be a blocked address');
    await expect(url).resolves.toBe('http://localhost:46003/hooks');
  });
});

describe('a confirmation', () => {
  it.each([`y${ENTER}`, `yes${ENTER}`])('goes on with %j', async (keys) => {
    const { context, press } = sitDown();
    const confirmation = confirm(context, 'Eat it?', undefined);
    await press(keys, /Eat it\? \(y\/N\)/);
    await expect(confirmation).resolves.toBeUndefined();
  });

  it.each([ENTER, `n${ENTER}`])('does not with %j', async (keys) => {
    const { context, press, recorded } = sitDown();
    const confirmation = confirm(context, 'Eat it?', undefined);
    await press(keys, 'Eat it?');
    await expect(confirmation).rejects.toMatchObject({ code: 'interrupted' });
    expect(recorded.err).toBe('Canceled.\n');
  });

  it.each([
    ['with --yes', sitDown().context, true as const],
    ['with --json', sitDown({ json: true }).context, undefined],
    ['without a terminal', createFakeContext().context, undefined],
  ])('is not asked for %s', async (_, context, yes) => {
    await expect(confirm(context, 'Eat it?', yes)).resolves.toBeUndefined();
  });
});
