import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHint } from '../../src/domain/errors.ts';
import {
  describeAcceptedId,
  describeIdMistake,
  describeIdProblem,
  formatIdForMessage,
  type IdKind,
  idPatterns,
  idPrefixes,
  isId,
  type RandomFill,
  suggestWhereToLook,
  toExampleId,
  UlidGenerator,
} from '../../src/domain/ids.ts';
import { createRandomSource } from '../../src/domain/secret.ts';

const NOW = Date.UTC(2026, 10, 20, 23, 6);
/** The first ten characters of a ULID that was created then. */
const NOW_IN_ULID = '01M7XKB9Y0';
const TEN_MS_LATER_IN_ULID = '01M7XKB9YA';
const filledWith =
  (byte: number): RandomFill =>
  (buffer) =>
    buffer.fill(byte);

describe('UlidGenerator', () => {
  it.each(Object.entries(idPrefixes))(
    'an id of the kind %s has the prefix %s and 26 characters of Crockford base32 [§2.ids, §2.delivery, id.format]',
    (kind, prefix) => {
      const id = new UlidGenerator().next(kind as keyof typeof idPrefixes, NOW);
      expect(id.slice(0, prefix.length)).toBe(prefix);
      expect(id.slice(prefix.length)).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    },
  );

  it('an id contains the time of its creation [id.format]', () => {
    expect(new UlidGenerator().next('event', NOW)).toContain(`evt_${NOW_IN_ULID}`);
    expect(new UlidGenerator().next('event', NOW + 0.9)).toContain(`evt_${NOW_IN_ULID}`);
    expect(new UlidGenerator().next('event', NOW + 10)).toContain(`evt_${TEN_MS_LATER_IN_ULID}`);
  });

  it('an id created at the start of 1970 is complete [id.format]', () => {
    expect(new UlidGenerator(filledWith(0)).next('event', 0)).toBe(`evt_${'0'.repeat(26)}`);
  });

  it('an id has a digit for each of its random bytes [id.format]', () => {
    const source = new UlidGenerator((buffer) => {
      for (let i = 0; i < buffer.length; i++) buffer[i] = i + 1;
      return buffer;
    });
    expect(source.next('event', NOW)).toBe(`evt_${NOW_IN_ULID}123456789ABCDEFG`);
  });

  it('a generator asks for random bytes once for 256 ids', () => {
    let calls = 0;
    const source = new UlidGenerator((buffer) => {
      calls++;
      return buffer;
    });
    for (let i = 0; i < 256; i++) source.next('event', NOW + i);
    expect(calls).toBe(1);
    source.next('event', NOW + 256);
    expect(calls).toBe(2);
  });

  it('every id has all of its random digits, however many ids a generator creates [id.format]', () => {
    const source = new UlidGenerator(filledWith(31));
    const randomParts = Array.from({ length: 600 }, (_, i) => source.next('event', NOW + i).slice(-16));
    expect(new Set(randomParts)).toEqual(new Set([`F${'Z'.repeat(15)}`]));
  });

  it('ids are the same for the same seed, and different for another seed', () => {
    const make = (seed: number) => {
      const source = new UlidGenerator(createRandomSource(seed).fill);
      return Array.from({ length: 300 }, (_, i) => source.next('event', NOW + i));
    };
    expect(make(7)).toEqual(make(7));
    expect(new Set([...make(7), ...make(8)]).size).toBe(600);
  });
});

describe('order by id is order of creation', () => {
  it('ids are in order of creation whatever the clock does [id.format]', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 2 }), (times) => {
        const source = new UlidGenerator();
        const ids = times.map((ms) => source.next('event', ms));
        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('ids are in order of creation within one millisecond, even if the random part starts at its maximum [id.format]', () => {
    const source = new UlidGenerator(filledWith(255));
    const ids = Array.from({ length: 2_000 }, () => source.next('event', NOW));
    expect(ids[0]).toMatch(/FZ{15}$/);
    expect(ids[1]).toMatch(/G0{15}$/);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.at(-1)).toContain(`evt_${NOW_IN_ULID}`);
  });

  it('ids are in order of creation after a restart with the clock set back by three days [id.format]', () => {
    const before = new UlidGenerator();
    const newest = Array.from({ length: 5 }, () => before.next('event', NOW)).at(-1) ?? '';
    const after = new UlidGenerator(filledWith(0));
    after.continueAfter(newest);
    const ids = [newest, ...Array.from({ length: 5 }, () => after.next('event', NOW - 3 * 86_400_000))];
    expect(ids.toSorted()).toEqual(ids);
  });

  it('new ids follow an id that another generator created in the same millisecond', () => {
    const source = new UlidGenerator(filledWith(0));
    source.next('event', NOW);
    const newest = new UlidGenerator(filledWith(255)).next('event', NOW);
    source.continueAfter(newest);
    expect(source.next('event', NOW) > newest).toBe(true);
  });

  it('new ids follow the newest stored id at once, and contain their own time again as soon as that has passed [id.format]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 47 }), (ms) => {
        const newest = new UlidGenerator().next('event', ms);
        const source = new UlidGenerator();
        source.continueAfter(newest);
        expect(source.next('event', 0) > newest).toBe(true);
        const timeOf = (id: string) => id.slice(0, 'evt_'.length + 10);
        expect(timeOf(source.next('event', ms + 2))).toBe(timeOf(new UlidGenerator().next('event', ms + 2)));
      }),
    );
  });

  it('text that is not an id does not change the time of new ids', () => {
    const source = new UlidGenerator();
    source.continueAfter('no id');
    expect(source.next('event', 0)).toContain('evt_0000000000');
  });

  it('new ids follow the newest of several ids, given in any order', () => {
    const [older, newer] = [
      new UlidGenerator().next('event', NOW),
      new UlidGenerator().next('delivery', NOW + 9),
    ];
    const source = new UlidGenerator();
    source.continueAfter(newer);
    source.continueAfter(older);
    source.continueAfter('no id');
    source.continueAfter(older.replace('_0', '_8'));
    expect(source.next('event', 0)).toContain(`evt_${TEN_MS_LATER_IN_ULID}`);
  });
});

describe('describeIdProblem', () => {
  it('the text for an ID of another kind names both kinds', () => {
    const mismatch = 'evt_1 is an event ID; delivery IDs start with del_';
    expect(describeIdMistake('evt_1', 'delivery')).toBe(mismatch);
    expect(describeIdProblem('evt_1', 'delivery')).toBe(`is invalid: ${mismatch}`);
  });

  it('the text for an ID that was copied from the docs says that it is a placeholder', () => {
    const mistake = 'del_… is a placeholder for a delivery ID';
    expect(describeIdMistake('del_…', 'delivery')).toBe(mistake);
    expect(describeIdProblem('del_…', 'delivery')).toBe(`is invalid: ${mistake}`);
  });

  it.each(['evt_1', 'shop', 'a_ws_', ''])('the text %j is not an ID of another kind than event', (id) => {
    expect(describeIdMistake(id, 'event')).toBeNull();
  });

  it('an ID in a message has at most 64 characters, and its quotes and line breaks are escaped', () => {
    expect(formatIdForMessage('a"\n')).toBe('a\\"\\n');
    expect(formatIdForMessage('x'.repeat(64))).toBe('x'.repeat(64));
    expect(formatIdForMessage('x'.repeat(65))).toBe('x'.repeat(64));
  });

  it('the text for an ID in lower case names a form that the ID does not have', () => {
    expect(describeIdProblem('evt_01jd3z5k8q4w6x7y8z9a0b1c2d', 'event')).toBe(
      'must be an event ID (evt_ followed by a ULID), not "evt_01jd3z5k8q4w6x7y8z9a0b1c2d"',
    );
  });
});

describe('suggestWhereToLook', () => {
  const evt = 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  const ws = 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  const key = 'key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

  it.each<[string, IdKind, string]>([
    ['foo', 'delivery', 'List the deliveries with: svc deliveries list'],
    ['evt_1', 'delivery', 'List the deliveries with: svc deliveries list'],
    [evt, 'delivery', `List its deliveries with: svc deliveries list --event ${evt}`],
    [ws, 'webhook', `List its endpoints with: svc webhooks list --workspace ${ws}`],
    [key, 'request', `List its requests with: svc logs list --key ${key}`],
    [evt, 'event', 'List the events with: svc events list'],
    [evt, 'webhook', `Show the event with: svc events get ${evt}`],
    [key, 'event', 'List the API keys with: svc keys list'],
    [key.replace('key_', 'flt_'), 'event', 'List the faults with: svc faults list'],
    ['', 'apiKey', 'List the API keys with: svc keys list'],
    ['', 'fault', 'List the faults with: svc faults list'],
    ['', 'workspace', 'List the workspaces with: svc workspaces list'],
  ])('the hint for %j instead of an ID of the kind %s is %j', (id, kind, hint) => {
    expect(formatHint(suggestWhereToLook(id, kind))).toBe(hint);
  });
});

describe('idPatterns', () => {
  const id = 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

  it('the pattern of a kind matches only ids of that kind', () => {
    expect(idPatterns.event.test(id)).toBe(true);
    expect(idPatterns.delivery.test(id)).toBe(false);
  });

  it('the example of an ID of each kind is valid', () => {
    const kinds = Object.keys(idPrefixes) as IdKind[];
    expect(kinds.filter((kind) => !idPatterns[kind].test(toExampleId(kind)))).toEqual([]);
    expect(describeAcceptedId('apiKey')).toBe(`an API key ID such as ${toExampleId('apiKey')}`);
  });

  it('isId recognizes the ids of every kind', () => {
    const source = new UlidGenerator();
    const ids = Object.keys(idPrefixes).map((kind) => source.next(kind as IdKind, NOW));
    expect(ids.map(isId)).toEqual(ids.map(() => true));
    expect([id.slice(1), id.slice(4), ''].map(isId)).toEqual([false, false, false]);
  });

  it.each([
    '',
    'evt_',
    id.slice(0, -1),
    `${id}0`,
    id.toLowerCase(),
    `${id.slice(0, -1)}I`,
    `${id.slice(0, -1)}U`,
    id.replace('_0', '_8'),
    ` ${id}`,
    `${id}\n`,
  ])('the pattern of a kind does not match %j', (text) => {
    expect(idPatterns.event.test(text)).toBe(false);
  });
});
