import { describe, expect, it } from 'vitest';
import { readCapture } from '../../../src/cli/capture/read-capture.ts';
import { deliveries, har, harEntry, harOf, ids, ndjson, ndjsonLine } from './recordings.ts';

const read = (text: string | Buffer) => readCapture(Buffer.from(text), 'a.file');
const problemOf = (text: string | Buffer) => {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no problem';
};

const [first] = deliveries;
const body = first?.body ?? '';

describe('a recording', () => {
  it.each([
    ['HAR', har, ['entry 1', 'entry 3']],
    ['NDJSON', ndjson, ['line 1', 'line 3']],
  ])('%s contains each event once, with its time and its payload unchanged', (_, text, positions) => {
    const { events, repeatedCount, otherCount } = read(text);
    expect(events.map(({ position }) => position)).toEqual(positions);
    expect(events).toMatchObject([
      { type: 'order.created', sourceId: ids.created, at: Date.parse('2026-11-20T12:00:00Z') },
      { type: 'order.shipped', sourceId: ids.shipped, at: Date.parse('2026-11-20T13:30:00Z') },
    ]);
    expect(events.map(({ payload }) => payload)).toEqual(['{"total":12.50}', '{"total":12.50}']);
    expect({ repeatedCount, otherCount }).toEqual({ repeatedCount: 1, otherCount: 0 });
  });

  it('the events of a recording are sorted by time', () => {
    const lines = ndjson.trim().split('\n').reverse().join('\n');
    expect(read(lines).events.map(({ type }) => type)).toEqual(['order.created', 'order.shipped']);
  });

  it('a byte order mark and CRLF line ends of NDJSON are ignored', () => {
    expect(read(`\ufeff${ndjson.replaceAll('\n', '\r\n')}`).events).toHaveLength(2);
  });

  it('the payload of an envelope without a field payload is its whole data', () => {
    const text = ndjsonLine(`{"type":"order.paid","data":{"id":"${ids.created}","total":1.50}}`);
    expect(read(text).events).toMatchObject([{ payload: `{"id":"${ids.created}","total":1.50}` }]);
  });

  it.each(['payload', 'data'])('a request to create an event is an event, with the payload in %s', (name) => {
    const text = ndjsonLine(`{"type":"order.paid","workspace_id":"ws_1","${name}":{"n":1e3}}`);
    expect(read(text).events).toMatchObject([{ type: 'order.paid', payload: '{"n":1e3}', sourceId: null }]);
  });

  it.each([
    ['nothing', ''],
    ['only empty lines', '\n\n'],
    ['HAR without events', harOf([])],
  ])('a file with %s contains no event', (_, text) => {
    expect(problemOf(text)).toBe('a.file contains no event.');
  });

  it('a file in another format is rejected', () => {
    expect(problemOf('<html>')).toBe('a.file, line 1: it is neither HAR nor NDJSON. Nothing was imported.');
  });
});

describe('HAR', () => {
  it('requests without an event are counted and skipped', () => {
    const get = { startedDateTime: first?.at, request: { method: 'GET', url: 'https://example.com/' } };
    const others = ['not JSON', '{"type":"Other"}', '{"type":"order.paid"}', '{"a":'];
    const entries = [
      get,
      ...others.map((text) => harEntry('2026-11-20T12:00:00Z', text)),
      harEntry(first?.at ?? '', body),
    ];
    expect(read(harOf(entries))).toMatchObject({ events: [{ position: 'entry 6' }], otherCount: 4 });
  });

  it('the request that creates an event and its delivery are the same event', () => {
    const request = harEntry('2026-11-20T11:59:59Z', '{"type":"order.created","payload":{"total":12.50}}', {
      response: { status: 201, content: { text: `{"id":"${ids.created}","type":"order.created"}` } },
    });
    expect(read(harOf([request, harEntry(first?.at ?? '', body)]))).toMatchObject({
      events: [{ position: 'entry 1', sourceId: ids.created }],
      repeatedCount: 1,
    });
  });

  it('our own HAR has the spacing of the schedule clock', () => {
    const entry = harEntry('2026-11-20T12:00:00Z', body, {
      _delivery: { created_at: '2026-11-23T12:00:00.000Z' },
    });
    expect(read(harOf([entry])).events).toMatchObject([{ at: Date.parse('2026-11-23T12:00:00Z') }]);
  });

  it.each([
    [
      'an entry without a time',
      harOf([harEntry(first?.at ?? '', body), { request: { method: 'GET' } }]),
      'entry 2: startedDateTime is required',
    ],
    [
      'an entry with an invalid time',
      harOf([harEntry('noon', body)]),
      'entry 1: startedDateTime must be an ISO 8601 time',
    ],
    ['an entry that is not an object', '{"log":{"entries":[7]}}', 'entry 1: it must be an object, not 7'],
    ['no entries', '{"log":{}}', 'log.entries: it must be an array'],
  ])('HAR with %s is rejected with its position', (_, text, problem) => {
    expect(problemOf(text)).toBe(`a.file, ${problem}. Nothing was imported.`);
  });
});

describe('NDJSON', () => {
  it.each([
    ['a line that is not JSON', `${ndjson}{"id":`, 'line 4: it is not JSON'],
    ['a line without a body', `{"created_at":"${first?.at}"}\n{}`, 'line 1: body is required'],
    [
      'an invalid time',
      '{"created_at":"noon","body":""}\n{}',
      'line 1: created_at must be an ISO 8601 time in UTC',
    ],
    [
      'a body without an event',
      `{"created_at":"${first?.at}","body":"[]"}\n{}`,
      'line 2: created_at is required',
    ],
    [
      'a body without a type',
      JSON.stringify({ created_at: first?.at, body: '{}' }),
      'line 1: the body has no type such as order.shipped',
    ],
    ['a body that is not an object', ndjsonLine('[]'), 'line 1: the body must be a JSON object'],
    [
      'a body without data',
      ndjsonLine('{"type":"order.paid"}'),
      'line 1: the body has neither data nor payload',
    ],
    [
      'a body with a field that occurs twice',
      ndjsonLine('{"type":"order.paid","data":{},"data":{}}'),
      'line 1: the body has a duplicate field: data',
    ],
  ])('NDJSON with %s is rejected with its line', (_, text, problem) => {
    expect(problemOf(text)).toBe(`a.file, ${problem}. Nothing was imported.`);
  });
});
