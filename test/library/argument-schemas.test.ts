import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  Callback,
  DurationValue,
  EventTypeName,
  HttpUrl,
  Id,
  OneOrMoreSecrets,
  OptionalSettledStatus,
  Scheme,
  Time,
  toMs,
} from '../../src/library/argument-schemas.ts';
import { ReceiverOptionsSchema } from '../../src/library/create-receiver.ts';
import { ResponsesSchema } from '../../src/library/receiver-responses.ts';
import { wholeNumber } from '../../src/validation/value-schemas.ts';

const optionsWith = (name: string) => (value: unknown) => v.is(ReceiverOptionsSchema, { [name]: value });
const show = async () => ({ now: '' });

describe('the arguments of the library', () => {
  it.each<[string, v.GenericSchema | ((value: unknown) => boolean), accepted: unknown[], refused: unknown[]]>(
    [
      [
        'a duration',
        DurationValue,
        [0, 1.5, '90s', '1h30m', '3d'],
        [-1, Number.NaN, Infinity, '', '5', '-1s', null],
      ],
      ['a number from 1', wholeNumber(1), [1, Number.MAX_SAFE_INTEGER], [0, 1.5, 2 ** 53, '1']],
      ['a number from 2 to 4', wholeNumber(2, 4), [2, 4], [1, 5, 2.5]],
      ['a URL', HttpUrl, ['http://a', 'https://a/b'], ['ftp://a', 'a', '', 7]],
      [
        'a time',
        Time,
        [new Date(0), '2026-11-20', '2026-11-20T12:00Z', '2026-11-20T12:00:00.5+01:00'],
        [new Date(Number.NaN), '2026-11-20T12:00', '2026-13-20', 'order 5', 5, null],
      ],
      ['a function', Callback, [() => {}], [{}, null]],
      ['an ID', Id, ['evt_1'], ['', 7, null]],
      ['an event type', EventTypeName, ['order.shipped'], ['', 7, null]],
      ['a scheme', Scheme, ['svc', {}], [7, null, []]],
      ['secrets', OneOrMoreSecrets, ['a', ['a', 'b']], ['', [], ['a', ''], ['a', 7], 7, null]],
      ['a settled status', OptionalSettledStatus, ['failed', undefined], ['pending', null]],
      ['a status', ResponsesSchema, [200, 599], [199, 600, 777, 200.5, '200']],
      [
        'a response',
        ResponsesSchema,
        [
          {},
          { status: 599 },
          { body: new Uint8Array() },
          { delayMs: 0 },
          { after: Promise.resolve() },
          [{ drop: true }, 500],
        ],
        [
          { status: 199 },
          { body: 7 },
          { delayMs: -1 },
          { delayMs: '5' },
          { after: {} },
          [{ drop: 1 }],
          [99],
          null,
        ],
      ],
      [
        'an outage',
        ResponsesSchema,
        [{ downFor: '2h' }, { downFor: 5, status: 429 }],
        [{ downFor: '' }, { downFor: 1, delayMs: 5 }],
      ],
      ['a port', optionsWith('port'), [0, 65_535], [-1, 65_536, 1.5]],
      ['a tolerance', optionsWith('toleranceMs'), [0, 0.5, Infinity], [-1, '5', Number.NaN]],
      ['a clock', optionsWith('clock'), [{ show }], [{}, null, { show: 1 }]],
    ],
  )('%s is accepted within its limits', (_, schema, accepted, refused) => {
    const isAccepted =
      typeof schema === 'function' && !('type' in schema)
        ? schema
        : (value: unknown) => v.is(schema as v.GenericSchema, value);
    expect(accepted.filter((value) => !isAccepted(value))).toEqual([]);
    expect(refused.filter((value) => isAccepted(value))).toEqual([]);
  });

  it('toMs returns whole milliseconds, rounded up', () => {
    expect([0, 0.2, 5, '1h30m', '0ms'].map(toMs)).toEqual([0, 1, 5, 5_400_000, 0]);
  });
});
