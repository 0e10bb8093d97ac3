/**
 * The values that each parser of options accepts, and its error for others: `golden/option-values.txt` has the name of a parser, texts in
 * JSON, and what each text becomes. `npx vitest run test/cli/option-parsers.test.ts --update` writes the results of new texts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deliveryChoices, eventChoices } from '../../src/cli/choices/resource-choices.ts';
import { CliCommand } from '../../src/cli/command.ts';
import * as parsers from '../../src/cli/option-parsers.ts';
import { addRows, type OptionRows } from '../../src/cli/option-rows.ts';
import { pageRows } from '../../src/cli/resource-rows.ts';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { DeliveryFilter } from '../../src/resources/delivery.ts';
import { RequestFilter } from '../../src/resources/request.ts';
import { wholeNumberFrom } from '../../src/resources/value-schemas.ts';
import { Name } from '../../src/resources/values.ts';

const { durationParser, idParser, schemaParser, wholeNumberParser } = parsers;
const now = Date.parse('2026-11-20T12:00:00Z');

/** Repeated options get their earlier values. */
const parse: Readonly<Record<string, (text: string) => unknown>> = {
  'a duration': parsers.parseDurationMs,
  'a duration up to an hour': durationParser(wholeNumberFrom(1, HOUR_MS)),
  'a time': (text) => new Date((parsers.parseTimeOption(text) as (now: number) => number)(now)).toISOString(),
  'a time or an age': parsers.parseTimeOrAge,
  'a rate': parsers.parseRate,
  'a whole number from -2 to 3': wholeNumberParser(-2, 3),
  'the status of a request': schemaParser(RequestFilter.status.wrapped),
  'the response to a delivery': schemaParser(DeliveryFilter.response_status.wrapped),
  'the URL of a receiver': parsers.parseReceiverUrl,
  'the URL of an endpoint': parsers.parseWebhookUrl,
  'a name': schemaParser(Name),
  'the ID of an event': idParser('event'),
  'the ID of a delivery': idParser('delivery'),
  'a list': parsers.parseList,
  'a list after a, b': (text) => parsers.parseList(text, ['a', 'b']),
  'event types after user.created': (text) => parsers.parseSubscriptions(text, ['user.created']),
  'a value after a': (text) => parsers.collectValues(text, ['a']),
  'the first value': (text) => parsers.collectValues(text),
  'an assignment after a=1': (text) => parsers.collectAssignments(text, ['a=1']),
  'a header after X-Other': (text) => parsers.parseHeaders(text, { 'X-Other': 'b' }),
};

/** JSON in which a character without a shape is an escape. */
const toVisible = (text: string) =>
  JSON.stringify(text).replace(/\p{Cf}/gu, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

/** @returns the value as JSON, or the message of the error */
function show(parser: (text: string) => unknown, text: string): string {
  try {
    return JSON.stringify(parser(text));
  } catch (error) {
    if (error instanceof InvalidArgumentError) return `error: ${error.message}`;
    throw error;
  }
}

it('each text of golden/option-values.txt becomes the value after it', async () => {
  const file = join(import.meta.dirname, 'golden/option-values.txt');
  const sections = readFileSync(file, 'utf8').trim().split('\n\n');
  expect(sections.map((section) => section.split('\n')[0])).toEqual(Object.keys(parse));
  const shown = sections.map((section) => {
    const [name = '', ...lines] = section.split('\n');
    const texts = lines.map((line) => JSON.parse(line.replace(/(?<=") → .*/, '')) as string);
    const parser = parse[name] ?? (() => expect.fail(name));
    return [name, ...texts.map((text) => `${toVisible(text)} → ${show(parser, text)}`)].join('\n');
  });
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot(file);
});

describe('options of a page', () => {
  function createListCommand(rows: OptionRows): CliCommand {
    const command = new CliCommand().exitOverride().configureOutput({ writeErr: () => {} });
    addRows(command, rows);
    return command;
  }

  it('as many items are accepted as a page of the API has', () => {
    const command = createListCommand(pageRows(eventChoices, v.optional(wholeNumberFrom(1, 100), 20)));
    expect(command.options[0]?.defaultValueDescription).toBe('20');
    command.parse(['--limit', '100', '--starting-after', 'evt_1'], { from: 'user' });
    expect(command.opts()).toEqual({ limit: 100, starting_after: 'evt_1' });
    for (const limit of ['0', '101'])
      expect(() => command.parse(['--limit', limit], { from: 'user' })).toThrow('from 1 to 100');
  });

  it('1 to 1000 items are accepted for commands that use the control plane', () => {
    const command = createListCommand(pageRows(deliveryChoices));
    expect(command.parse(['--limit', '1000'], { from: 'user' }).opts()).toEqual({ limit: 1000 });
    expect(() => command.parse(['--limit', '1001'], { from: 'user' })).toThrow('from 1 to 1000');
  });
});
