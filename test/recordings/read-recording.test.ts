import { describe, expect, it } from 'vitest';
import { readEvents } from '../../src/recordings/read-events.ts';
import { parseRecording } from '../../src/recordings/read-recording.ts';
import { sortRecording } from '../../src/recordings/sort-recording.ts';
import { deliveries, har, harEntry, harOf, ids, ndjson, ndjsonLine } from './recordings.ts';

const read = (text: string) => readEvents(parseRecording(text, 'a.file'));
function problemOf(text: string): string {
  try {
    read(text);
    return 'no problem';
  } catch (error) {
    return (error as Error).message;
  }
}

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
    const [event] = read(text).events;
    expect(event?.payload).toBe(`{"id":"${ids.created}","total":1.50}`);
  });

  it.each(['payload', 'data'])('a request to create an event is an event, with the payload in %s', (name) => {
    const text = ndjsonLine(`{"type":"order.paid","workspace_id":"ws_1","${name}":{"id":"ord_1","n":1e3}}`);
    expect(read(text)).toMatchObject({
      events: [{ position: 'line 1', type: 'order.paid', sourceId: null, payload: '{"id":"ord_1","n":1e3}' }],
      ...{ repeatedCount: 0, otherCount: 0 },
    });
  });

  it.each([
    ['nothing', ''],
    ['only empty lines', '\n\n'],
    ['HAR without events', harOf([])],
  ])('a file with %s contains no event', (_, text) => {
    expect(problemOf(text)).toBe('a.file contains no event.');
  });

  it.each([
    ['other JSON', '{\n  "name": "app"\n}\n'],
    ['an empty object', '{}'],
    ['HAR without a list', '{"log": {"entries": 7}}'],
    ['an array', '[{"created_at":""}]'],
    ['a part of HAR', '{\n  "log": {\n    "entries": ['],
  ])('a file with %s is rejected', (_, text) => {
    expect(problemOf(text)).toBe('a.file is not valid HAR or NDJSON.');
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

  it.each(['br', 'deflate'])('a body labeled as %s that is decompressed is unchanged', (encoding) => {
    const content = { text: Buffer.from('[1]').toString('base64'), encoding: 'base64' };
    const response = { status: 200, headers: { 'Content-Encoding': encoding }, content };
    const text = harOf([harEntry('2026-11-20T12:00:00Z', '', { response })]);
    expect(JSON.stringify(parseRecording(text, 'a.file'))).toContain('"responseText":"[1]"');
  });

  it('a body with U+FFFD, which replaces lost bytes, is not complete', () => {
    const entries = ['é', '\ufffd'].map((text) => harEntry('2026-11-20T12:00:00Z', text));
    const { exchanges } = parseRecording(harOf(entries), 'a.file');
    expect(exchanges.map(({ isBodyComplete }) => isBodyComplete)).toEqual([true, false]);
  });

  it('only requests below a given base address are compared', () => {
    const { exchanges } = parseRecording(har, 'a.file');
    const list = (baseUrl: string) => sortRecording(exchanges, { baseUrl }).requests.map(({ path }) => path);
    expect(list('https://example.com/')).toEqual(['/webhooks', '/webhooks', '/webhooks']);
    expect(list('https://example.org')).toEqual([]);
  });

  it('an entry without a time, a URL or a request is skipped with a warning, whatever its other fields are', () => {
    const odd = [7, null, {}, { request: { method: 'GET' } }, harEntry('noon', body)];
    const strange = harEntry('2026-11-20T11:00:00Z', 'text', {
      response: { status: '200', headers: 7 },
      time: null,
    });
    const recording = parseRecording(
      harOf([...odd, strange, harEntry(first?.at ?? '', body)] as object[]),
      'a.file',
    );
    expect(recording.exchanges.map(({ entry }) => entry)).toEqual(['entry 6', 'entry 7']);
    expect(recording.warning).toBe('Skipped 5 invalid entries of a.file, such as entry 1.');
  });
});

describe('NDJSON', () => {
  it('a delivery that was not attempted yet is not compared', () => {
    const { exchanges } = parseRecording(ndjsonLine(body, first?.at, false), 'a.file');
    const sorted = sortRecording(exchanges, { deliveriesTo: 'https://example.com' });
    expect(sorted).toEqual({ requests: [], attempts: [] });
  });

  it.each([
    ['that is not JSON', '{"id":'],
    ['without a body', `{"created_at":"${first?.at}"}`],
    ['with an invalid time', '{"created_at":"noon","body":""}'],
  ])('a line %s is skipped with a warning', (_, line) => {
    const recording = parseRecording(`${ndjson}${line}`, 'a.file');
    expect(readEvents(recording).events).toHaveLength(2);
    expect(recording.warning).toBe('Skipped 1 invalid entry of a.file, such as line 4.');
  });

  it.each([
    ['without a type', '{}'],
    ['that is not an object', '[]'],
    ['without data', '{"type":"order.paid"}'],
    ['with a field that occurs twice', '{"type":"order.paid","data":{},"data":{}}'],
  ])('a delivery with a body %s is counted and skipped', (_, text) => {
    expect(read(ndjson + ndjsonLine(text))).toMatchObject({ repeatedCount: 1, otherCount: 1 });
  });
});
