import { describe, expect, it, vi } from 'vitest';
import { type ChoiceSource, toChoiceList } from '../../src/cli/choices/choice-source.ts';
import { parseWebhookUrl, schemaParser } from '../../src/cli/option-parsers.ts';
import { askChoice, askText, confirm } from '../../src/cli/prompt.ts';
import { Name } from '../../src/resources/values.ts';
import { createFakeContext } from './fake-context.ts';
import { CTRL_C, createPromptContext, DOWN, ENTER } from './prompt-context.ts';

const fruits = [
  { id: 'fr_1', name: 'Apple', color: 'red' },
  { id: 'fr_2', name: 'Pear', color: 'green' },
  { id: 'fr_3', name: 'Plum', color: 'blue' },
];

function fruitChoices(rows: readonly (typeof fruits)[number][] = fruits): ChoiceSource {
  const columns = [
    { title: 'ID', value: ({ id }: (typeof fruits)[number]) => id },
    { title: 'NAME', value: ({ name }: (typeof fruits)[number]) => name },
    { title: 'COLOR', value: ({ color }: (typeof fruits)[number]) => color },
  ];
  return {
    ...{ noun: 'fruit', plural: 'fruits', listHint: { text: 'List the fruits', command: 'svc fruits list' } },
    list: async () => toChoiceList(rows, columns, ({ id }) => id),
  };
}

describe('askChoice', () => {
  it('a choice is made with the arrow keys', async () => {
    const { context, press } = createPromptContext();
    const choice = askChoice(context, 'id', fruitChoices());
    await press(DOWN, /\? Which fruit\?\n❯ fr_1 {2}Apple {2}red\n {2}fr_2 /);
    await press(ENTER, '❯ fr_2');
    await expect(choice).resolves.toBe('fr_2');
  });

  it('a choice is found by any words of its row, regardless of case', async () => {
    const { context, press } = createPromptContext();
    const choice = askChoice(context, 'id', fruitChoices());
    await press('BLUE pl', 'fr_3');
    await press(ENTER, /❯ fr_3/);
    await expect(choice).resolves.toBe('fr_3');
  });

  it('a choice is also found by text that does not fit the terminal', async () => {
    const { context, press } = createPromptContext({ width: 14 });
    const choice = askChoice(context, 'id', fruitChoices());
    await press('green', /❯ fr_1 {2}Apple…\n/);
    await press(ENTER, '❯ fr_2');
    await expect(choice).resolves.toBe('fr_2');
  });

  it('the prompt reports that no choice matches', async () => {
    const { context, press } = createPromptContext();
    const choice = askChoice(context, 'id', fruitChoices());
    await press('kiwi', 'fr_3');
    await press(CTRL_C, 'No results found');
    await expect(choice).rejects.toMatchObject({ code: 'interrupted', exitCode: 130 });
  });

  it('the prompt has no color if the terminal has none', async () => {
    const { context, press, screenText } = createPromptContext();
    const choice = askChoice(context, 'id', fruitChoices());
    await expect.poll(screenText).toContain('⏎ select');
    expect(screenText()).not.toMatch(/\x1b\[\d*m/);
    await press(CTRL_C, 'fruit');
    await expect(choice).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('a prompt without choices is an error', async () => {
    const { context } = createPromptContext();
    await expect(askChoice(context, 'id', fruitChoices([]))).rejects.toMatchObject({
      code: 'not_found',
      message: 'No fruits exist yet.',
    });
  });

  it('the prompt ends when the process is interrupted', async () => {
    const interruption = new AbortController();
    const { context } = createPromptContext({ signal: interruption.signal });
    const choice = askChoice(context, 'id', fruitChoices());
    interruption.abort();
    await expect(choice).rejects.toMatchObject({ code: 'interrupted' });
  });

  it.each([
    ['without a terminal', createFakeContext().context],
    ['with --json', createPromptContext({ json: true }).context],
  ])('a missing argument is a usage error %s, and no choices are loaded', async (_, context) => {
    const list = vi.fn();
    await expect(askChoice(context, 'id', { ...fruitChoices(), list })).rejects.toMatchObject({
      ...{ code: 'usage', message: 'Missing argument: <id>' },
      hint: { text: 'Use: svc test [options] <id>. List the fruits', command: 'svc fruits list' },
    });
    await expect(askText(context, '--name <name>', schemaParser(Name))).rejects.toMatchObject({
      ...{ code: 'usage', message: 'Missing option: --name', hint: { text: 'Add: --name <name>' } },
    });
    expect(list).not.toHaveBeenCalled();
  });
});

describe('askText', () => {
  it('the typed text is returned', async () => {
    const { context, press } = createPromptContext();
    const text = askText(context, 'name', schemaParser(Name));
    await press(`Team A${ENTER}`, 'name:');
    await expect(text).resolves.toBe('Team A');
  });

  it('the prompt shows the reason and repeats until the text is valid', async () => {
    const { context, press } = createPromptContext();
    const url = askText(context, 'url', parseWebhookUrl);
    await press(`not a url${ENTER}`, 'url:');
    await press(`\x15http://169.254.169.254/${ENTER}`, 'Pass a port or a URL');
    await press(`\x1546003/hooks${ENTER}`, 'it must not be a blocked address');
    await expect(url).resolves.toBe('http://localhost:46003/hooks');
  });
});

describe('confirm', () => {
  it.each([`y${ENTER}`, `yes${ENTER}`])('the command continues after %j', async (keys) => {
    const { context, press } = createPromptContext();
    const confirmation = confirm(context, 'Eat it?', undefined);
    await press(keys, /Eat it\? \(y\/N\)/);
    await expect(confirmation).resolves.toBeUndefined();
  });

  it.each([ENTER, `n${ENTER}`])('the command is canceled after %j', async (keys) => {
    const { context, press, recorded } = createPromptContext();
    const confirmation = confirm(context, 'Eat it?', undefined);
    await press(keys, 'Eat it?');
    await expect(confirmation).rejects.toMatchObject({ code: 'interrupted' });
    expect(recorded.err).toBe('Canceled.\n');
  });

  it.each([
    ['with --yes', createPromptContext().context, true as const],
    ['with --json', createPromptContext({ json: true }).context, undefined],
    ['without a terminal', createFakeContext().context, undefined],
  ])('no confirmation is requested %s', async (_, context, yes) => {
    await expect(confirm(context, 'Eat it?', yes)).resolves.toBeUndefined();
  });
});
