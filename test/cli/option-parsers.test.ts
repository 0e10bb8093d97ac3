/** The values that each parser of options accepts, and its error for others. */

import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { deliveryChoices, eventChoices } from '../../src/cli/choices/resource-choices.ts';
import { CliCommand } from '../../src/cli/command.ts';
import {
  collectAssignments,
  collectValues,
  durationParser,
  idParser,
  parseDurationMs,
  parseHeaders,
  parseList,
  parseRate,
  parseReceiverUrl,
  parseSubscriptions,
  parseTimeOption,
  parseTimeOrAge,
  parseWebhookUrl,
  schemaParser,
  wholeNumberParser,
} from '../../src/cli/option-parsers.ts';
import { addRows, type OptionRows } from '../../src/cli/option-rows.ts';
import { pageRows } from '../../src/cli/resource-rows.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/duration.ts';
import { DeliveryFilter } from '../../src/resources/delivery.ts';
import { RequestFilter } from '../../src/resources/request.ts';
import { wholeNumberFrom } from '../../src/resources/value-schemas.ts';
import { Name } from '../../src/resources/values.ts';

/** @returns the value, or the message of the error */
function parse<Value>(parser: () => Value): Value | string {
  try {
    return parser();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}

const PASS_A_DURATION = 'Pass a duration, written like "90s" or "1h30m".';
const UP_TO_AN_HOUR = 'Pass a duration from 1ms to 1h, written like "90s" or "1h30m".';

describe('parsers of times', () => {
  it.each([
    ['90s', 90 * SECOND_MS],
    ['1h30m', 90 * MINUTE_MS],
    ['0ms', 0],
    ['5', PASS_A_DURATION],
    ['3 days', PASS_A_DURATION],
    ['3 weeks', PASS_A_DURATION],
    ['soon', PASS_A_DURATION],
    ['5m later', PASS_A_DURATION],
    ['', PASS_A_DURATION],
  ])('parseDurationMs(%j) returns %j', (text, expected) => {
    expect(parse(() => parseDurationMs(text))).toBe(expected);
  });

  it.each([
    ['1ms', 1],
    ['1h', HOUR_MS],
    ['0s', UP_TO_AN_HOUR],
    ['3600001ms', UP_TO_AN_HOUR],
    ['1', UP_TO_AN_HOUR],
  ])('durationParser with the schema of up to an hour turns %j into %j', (text, expected) => {
    expect(parse(() => durationParser(wholeNumberFrom(1, HOUR_MS))(text))).toBe(expected);
  });

  const now = Date.parse('2026-11-20T12:00:00Z');
  it.each([
    ['-6m', now - 6 * MINUTE_MS],
    ['+3d', now + 3 * DAY_MS],
    ['2026-11-20T11:00:00Z', now - HOUR_MS],
    [String(now / 1000 + 1), now + SECOND_MS],
    ['6m', 'Pass an offset such as -6m or +30s, a time such as 2026-11-20T12:00:00Z, or seconds since 1970.'],
    [
      'soon',
      'Pass an offset such as -6m or +30s, a time such as 2026-11-20T12:00:00Z, or seconds since 1970.',
    ],
    ['-x', 'Pass an offset such as -6m or +30s, a time such as 2026-11-20T12:00:00Z, or seconds since 1970.'],
  ])('parseTimeOption(%j) returns %j', (text, expected) => {
    expect(
      parse(() => {
        const time: unknown = parseTimeOption(text)(now);
        return time;
      }),
    ).toBe(expected);
  });

  it.each([
    ['1h', '1h'],
    ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z'],
    ['2026', '2026'],
    ['1.5', 'Pass a duration such as 1h, or a time such as 2026-11-20T12:00:00Z.'],
    ['order 5', 'Pass a duration such as 1h, or a time such as 2026-11-20T12:00:00Z.'],
    ['then', 'Pass a duration such as 1h, or a time such as 2026-11-20T12:00:00Z.'],
  ])('parseTimeOrAge(%j) returns %j', (text, expected) => {
    expect(parse(() => parseTimeOrAge(text))).toBe(expected);
  });
});

describe('parsers of numbers', () => {
  it.each([
    ['50/s', 50],
    ['0.5', 0.5],
    ['0/s', 'Pass a rate such as 50/s.'],
    ['-1', 'Pass a rate such as 50/s.'],
    ['50/m', 'Pass a rate such as 50/s.'],
    ['/s50', 'Pass a rate such as 50/s.'],
  ])('parseRate(%j) returns %j', (text, expected) => {
    expect(parse(() => parseRate(text))).toBe(expected);
  });

  it.each(['-2', '0', '3'])('wholeNumberParser accepts %j from -2 to 3', (text) => {
    expect(parse(() => wholeNumberParser(-2, 3)(text))).toBe(Number(text));
  });

  it.each(['-3', '4', '1.5', '1e0', '', ' 1', '0x1', 'one'])(
    'wholeNumberParser rejects %j from -2 to 3',
    (text) => {
      expect(parse(() => wholeNumberParser(-2, 3)(text))).toBe('Pass a whole number from -2 to 3.');
    },
  );

  it.each<[string, string | number]>([
    ['404', 404],
    ['0', 0],
    ['599', 599],
    ['5XX', '5xx'],
    ...['600', '4.5', '-1', '6xx', 'none', ''].map((text): [string, string] => [
      text,
      'Pass a status from 0 to 599, or a class such as 4xx.',
    ]),
  ])('schemaParser of the status of a request turns %j into %j', (text, expected) => {
    expect(parse<unknown>(() => schemaParser(RequestFilter.status.wrapped)(text))).toBe(expected);
  });

  it.each<[string, string | number]>([
    ['404', 404],
    ['100', 100],
    ['4XX', '4xx'],
    ['None', 'none'],
    ...['0', '99', '600', '6xx', '40', 'any'].map((text): [string, string] => [
      text,
      'Pass a status from 100 to 599, a class such as 4xx, or none.',
    ]),
  ])('schemaParser of the response to a delivery, which is never 0, turns %j into %j', (text, expected) => {
    expect(parse<unknown>(() => schemaParser(DeliveryFilter.response_status.wrapped)(text))).toBe(expected);
  });
});

describe('parsers of URLs, names and IDs', () => {
  it.each([
    ['3000', 'http://localhost:3000/'],
    ['localhost:3000/hooks', 'http://localhost:3000/hooks'],
    ['https://example.com/hooks', 'https://example.com/hooks'],
    ['example.com/hooks', 'https://example.com/hooks'],
    ['http://127.0.0.1:1/A', 'http://127.0.0.1:1/A'],
    ['not a url', 'Pass a port or a URL, such as 3000, localhost:3000/webhooks or http://app.'],
    ['app', 'Pass a port or a URL, such as 3000, localhost:3000/webhooks or http://app.'],
    ['ftp://example.com', 'Pass a port or a URL, such as 3000, localhost:3000/webhooks or http://app.'],
  ])('parseReceiverUrl(%j) returns %j', (text, expected) => {
    expect(parse(() => parseReceiverUrl(text))).toBe(expected);
  });

  it('parseWebhookUrl rejects a URL that the API rejects in every profile', () => {
    expect(parse(() => parseWebhookUrl('3000/hooks'))).toBe('http://localhost:3000/hooks');
    expect(parse(() => parseWebhookUrl('http://user:secret@localhost:3000'))).toMatch(/^Change the URL: it /);
    expect(parse(() => parseWebhookUrl('http://8.8.8.8'))).toMatch(
      /^Change the URL: it must use HTTPS, because/,
    );
  });

  it('schemaParser with the schema of names rejects a name that nobody can see', () => {
    expect(parse(() => schemaParser(Name)('Shop'))).toBe('Shop');
    expect(parse(() => schemaParser(Name)(''))).toBe(
      'Change the value: it must be 1 to 200 characters long.',
    );
    for (const name of [' ', '\u200b']) {
      expect(parse(() => schemaParser(Name)(name))).toBe(
        'Change the value: it must contain a visible character.',
      );
    }
  });

  it('idParser accepts the IDs of its kind, and says where they are listed', () => {
    const id = `evt_${'0'.repeat(26)}`;
    expect(parse(() => idParser('event')(id))).toBe(id);
    expect(parse(() => idParser('delivery')(id))).toMatch(/^Pass .*del_.*\. .*svc deliveries/);
  });
});

describe('parsers of repeated options', () => {
  it('parseList splits a text at commas and appends its items', () => {
    expect(parseList('a, b')).toEqual(['a', 'b']);
    expect(parseList('c', ['a', 'b'])).toEqual(['a', 'b', 'c']);
  });

  it.each(['', 'a,,b', 'a,', ' , '])('parseList rejects %j', (text) => {
    expect(parse(() => parseList(text).join())).toBe('Separate the items with single commas.');
  });

  it('parseSubscriptions accepts event types and the wildcard', () => {
    expect(parseSubscriptions('order.shipped,*', ['user.created'])).toEqual([
      'user.created',
      'order.shipped',
      '*',
    ]);
    for (const text of ['order.*', 'order.shipped,x y']) {
      expect(parse(() => parseSubscriptions(text).join())).toBe(
        'Pass event types such as order.shipped, or *.',
      );
    }
  });

  it('collectValues and collectAssignments append a value unchanged', () => {
    expect(collectValues('b,c', ['a'])).toEqual(['a', 'b,c']);
    expect(collectValues('a')).toEqual(['a']);
    expect(collectAssignments('items[0].sku=MUG,x', ['a=1'])).toEqual(['a=1', 'items[0].sku=MUG,x']);
    expect(parse(() => collectAssignments('sku').join())).toBe('Pass path=value, such as items[0].sku=MUG.');
  });

  it('parseHeaders collects headers with their values up to the end of the line', () => {
    expect(parseHeaders('X-Url:  http://a:1 ', { 'X-Other': 'b' })).toEqual({
      'X-Other': 'b',
      'X-Url': 'http://a:1',
    });
    expect(parseHeaders(' X-A : b')).toEqual({ 'X-A': 'b' });
  });

  it.each([
    [
      'Authorization',
      "Pass another header: 'Authorization' must have the form Name: value, such as 'Authorization: Bearer abc'.",
    ],
    ['x-OTHER: c', 'Pass another header: x-OTHER appears twice.'],
    ['X A: b', /^Pass another header: /],
    [': a', /^Pass another header: "" is not a valid header name/],
    ['Service-Signature: v1=00', /^Pass another header: Service-Signature is set by the emulator/],
  ])('parseHeaders rejects %j', (text, message) => {
    expect(parse(() => Object.keys(parseHeaders(text, { 'X-Other': 'b' })).join())).toMatch(message);
  });
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
    for (const limit of ['0', '101']) {
      expect(() => command.parse(['--limit', limit], { from: 'user' })).toThrow(
        'Pass a whole number from 1 to 100.',
      );
    }
  });

  it('1 to 1000 items are accepted for commands that use the control plane', () => {
    const command = createListCommand(pageRows(deliveryChoices));
    expect(command.parse(['--limit', '1000'], { from: 'user' }).opts()).toEqual({ limit: 1000 });
    expect(() => command.parse(['--limit', '1001'], { from: 'user' })).toThrow('from 1 to 1000');
  });
});
