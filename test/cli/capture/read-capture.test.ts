import { describe, expect, it } from 'vitest';
import { readCapture } from '../../../src/cli/capture/read-capture.ts';
import { listBlocks } from '../../support/documents.ts';
import { deliveries, envelope, har, harEntry, harOf, http, httpRequest, ids, ndjson } from './recordings.ts';

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
    ['raw HTTP', http, ['line 2', 'line 16']],
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
    const text = httpRequest(`{"type":"order.paid","data":{"id":"${ids.created}","total":1.50}}`);
    expect(read(text).events).toMatchObject([{ payload: `{"id":"${ids.created}","total":1.50}` }]);
  });

  it.each(['payload', 'data'])('a request to create an event is an event, with the payload in %s', (name) => {
    const text = httpRequest(`{"type":"order.paid","workspace_id":"ws_1","${name}":{"n":1e3}}`);
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
    expect(problemOf('<html>')).toBe(
      'a.file, line 1: it is neither HAR, nor NDJSON, nor an HTTP request. Nothing was imported.',
    );
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
  ])('NDJSON with %s is rejected with its line', (_, text, problem) => {
    expect(problemOf(text)).toBe(`a.file, ${problem}. Nothing was imported.`);
  });
});

describe('raw HTTP', () => {
  it('the requests in docs/exporting.md are a recording', () => {
    const block = listBlocks('docs/exporting.md').find(({ language }) => language === 'http');
    expect(read(block?.code ?? '').events).toMatchObject([
      { type: 'order.created', at: Date.parse('2026-11-20T12:00:00Z'), payload: '{"total":12.50}' },
      { type: 'order.shipped', at: Date.parse('2026-11-20T13:30:00Z'), payload: '{"carrier":"DHL"}' },
    ]);
  });

  const timesOf = (text: string) => read(text).events.map(({ at }) => at && new Date(at).toISOString());
  const withHeaders = (...lines: string[]) => httpRequest(body, lines);

  it.each([
    [
      'a received-at line',
      `received-at: 2026-11-20T12:00:00+01:00\n${httpRequest(body)}`,
      '2026-11-20T11:00:00.000Z',
    ],
    [
      'a received-at line in a comment',
      `# Received-At: 2026-11-20T12:00:00Z\n\n${httpRequest(body)}`,
      '2026-11-20T12:00:00.000Z',
    ],
    [
      'a header Received-At',
      withHeaders('Received-At: 2026-11-20T12:00:00Z', 'Date: Fri, 20 Nov 2026 13:00:00 GMT'),
      '2026-11-20T12:00:00.000Z',
    ],
    ['a header Date', withHeaders('Date: Fri, 20 Nov 2026 13:00:00 GMT'), '2026-11-20T13:00:00.000Z'],
    ['a header Service-Timestamp', withHeaders('Service-Timestamp: 1795176000'), '2026-11-20T12:00:00.000Z'],
    ['no time', httpRequest(body), null],
  ])('the time of a request comes from %s', (_, text, time) => {
    expect(timesOf(text)).toEqual([time]);
  });

  it('the length of a body is in bytes', () => {
    const text = ['å', '世界'].map((name, index) =>
      httpRequest(envelope('order.paid', `evt_${index}`, `{"n":"${name}"}`)),
    );
    expect(read(text.join('')).events.map(({ payload }) => payload)).toEqual(['{"n":"å"}', '{"n":"世界"}']);
  });

  it('a body without a length ends at the next request', () => {
    const requests = [
      `received-at: ${first?.at}\n${withHeaders()}`,
      withHeaders(),
      `# received-at: ${first?.at}\n${withHeaders()}`,
    ];
    const text = requests.map((request, index) => request.replace(ids.created, `evt_${index}`)).join('\n\n');
    expect(read(text).events.map(({ sourceId }) => sourceId)).toEqual(['evt_0', 'evt_1', 'evt_2']);
  });

  it('a chunked body is joined', () => {
    const chunks = [body.slice(0, 7), body.slice(7)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    const text = httpRequest(`${chunks.join('')}0\r\n\r\n`, ['Transfer-Encoding: chunked']);
    expect(read(text + httpRequest(envelope('order.paid', 'evt_2'))).events).toMatchObject([
      { sourceId: ids.created },
      { sourceId: 'evt_2', position: `line ${text.split('\n').length}` },
    ]);
  });

  it.each([
    [
      'a line that is not a request line',
      `${httpRequest(body)}\n\nHello`,
      'line 7: expected a line such as POST /webhooks HTTP/1.1, not "Hello"',
    ],
    [
      'an invalid header',
      'POST / HTTP/1.1\nHost\n\n{}',
      'line 2: "Host" is not a header such as Name: value',
    ],
    ['an invalid time', `received-at: noon\n${httpRequest(body)}`, 'line 1: "noon" is not a time'],
    [
      'a length that is too large',
      'POST / HTTP/1.1\nContent-Length: 10\n\n{}',
      'line 4: Content-Length is 10, but 2 bytes follow',
    ],
    [
      'a length that is too small',
      'POST / HTTP/1.1\nContent-Length: 2\n\n{}{}',
      'line 4: expected a line such as POST /webhooks HTTP/1.1, not "{}"',
    ],
    [
      'an incomplete chunk',
      'POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n9\n{}',
      'line 4: the chunked body is incomplete',
    ],
    ['a body that is not JSON', httpRequest('{"a":'), 'line 1: the body is not JSON: '],
    [
      'a body without an event',
      httpRequest('{"type":"order.paid"}'),
      'line 1: the body has neither data nor payload',
    ],
    [
      'a field that occurs twice',
      httpRequest('{"type":"order.paid","data":{},"data":{}}'),
      'line 1: the body has a duplicate field: data',
    ],
  ])('a recording with %s is rejected with its line', (_, text, problem) => {
    expect(problemOf(text)).toContain(`a.file, ${problem}`);
    expect(problemOf(text)).toMatch(/\. Nothing was imported\.$/);
  });

  it('a body that is not UTF-8 is rejected', () => {
    const text = Buffer.concat([
      Buffer.from('POST / HTTP/1.1\nContent-Length: 2\n\n'),
      Buffer.from([0xff, 0xfe]),
    ]);
    expect(problemOf(text)).toBe('a.file, line 4: the body is not UTF-8. Nothing was imported.');
  });
});
