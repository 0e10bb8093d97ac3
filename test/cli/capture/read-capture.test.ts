import { describe, expect, it } from 'vitest';
import { toCaptureSource } from '../../../src/cli/capture/capture-source.ts';
import { readCapture, readPayload } from '../../../src/cli/capture/read-capture.ts';
import { deliveries, envelope, har, harEntry, harOf, ids, ndjson, ndjsonLine } from './recordings.ts';

const { signal } = new AbortController();
const sourceOf = (text: string | Buffer) => toCaptureSource('a.file', Buffer.from(text));
const read = (text: string | Buffer) => readCapture(sourceOf(text), signal);
const problemOf = (text: string | Buffer) =>
  read(text).then(
    () => 'no problem',
    (error: Error) => error.message,
  );

const [first] = deliveries;
const body = first?.body ?? '';

describe('a recording', () => {
  it.each([
    ['HAR', har, ['entry 1', 'entry 3']],
    ['NDJSON', ndjson, ['line 1', 'line 3']],
  ])('%s contains each event once, with its time and its payload unchanged', async (_, text, positions) => {
    const { events, repeatedCount, otherCount } = await read(text);
    expect(events.map(({ position }) => position)).toEqual(positions);
    expect(events).toMatchObject([
      { type: 'order.created', sourceId: ids.created, at: Date.parse('2026-11-20T12:00:00Z') },
      { type: 'order.shipped', sourceId: ids.shipped, at: Date.parse('2026-11-20T13:30:00Z') },
    ]);
    expect(events.map((event) => readPayload(event, sourceOf(text)))).toEqual([
      '{"total":12.50}',
      '{"total":12.50}',
    ]);
    expect({ repeatedCount, otherCount }).toEqual({ repeatedCount: 1, otherCount: 0 });
  });

  it('the events of a recording are sorted by time', async () => {
    const lines = ndjson.trim().split('\n').reverse().join('\n');
    expect((await read(lines)).events.map(({ type }) => type)).toEqual(['order.created', 'order.shipped']);
  });

  it('a byte order mark and CRLF line ends of NDJSON are ignored', async () => {
    expect((await read(`\ufeff${ndjson.replaceAll('\n', '\r\n')}`)).events).toHaveLength(2);
  });

  it('the payload of an envelope without a field payload is its whole data', async () => {
    const text = ndjsonLine(`{"type":"order.paid","data":{"id":"${ids.created}","total":1.50}}`);
    const [event] = (await read(text)).events;
    expect(event && readPayload(event, sourceOf(text))).toBe(`{"id":"${ids.created}","total":1.50}`);
  });

  it.each(['payload', 'data'])(
    'a request to create an event is an event, with the payload in %s',
    async (name) => {
      const text = ndjsonLine(`{"type":"order.paid","workspace_id":"ws_1","${name}":{"n":1e3}}`);
      const [event] = (await read(text)).events;
      expect(event).toMatchObject({ type: 'order.paid', sourceId: null });
      expect(event && readPayload(event, sourceOf(text))).toBe('{"n":1e3}');
    },
  );

  it.each([
    ['nothing', ''],
    ['only empty lines', '\n\n'],
    ['HAR without events', harOf([])],
  ])('a file with %s contains no event', async (_, text) => {
    expect(await problemOf(text)).toBe('a.file contains no event.');
  });

  it.each([
    ['HTML', '<html>'],
    ['other JSON', '{\n  "name": "app"\n}\n'],
    ['an empty object', '{}'],
    ['an array', '[{"created_at":""}]'],
    ['a part of HAR', '{\n  "log": {\n    "entries": ['],
  ])('a file with %s is rejected', async (_, text) => {
    expect(await problemOf(text)).toBe('a.file is not valid HAR or NDJSON.');
  });
});

describe('HAR', () => {
  it('requests without an event are counted and skipped', async () => {
    const get = { startedDateTime: first?.at, request: { method: 'GET', url: 'https://example.com/' } };
    const others = ['not JSON', '{"type":"Other"}', '{"type":"order.paid"}', '{"a":'];
    const entries = [
      get,
      ...others.map((text) => harEntry('2026-11-20T12:00:00Z', text)),
      harEntry(first?.at ?? '', body),
    ];
    expect(await read(harOf(entries))).toMatchObject({ events: [{ position: 'entry 6' }], otherCount: 4 });
  });

  it('the request that creates an event and its delivery are the same event', async () => {
    const request = harEntry('2026-11-20T11:59:59Z', '{"type":"order.created","payload":{"total":12.50}}', {
      response: { status: 201, content: { text: `{"id":"${ids.created}","type":"order.created"}` } },
    });
    expect(await read(harOf([request, harEntry(first?.at ?? '', body)]))).toMatchObject({
      events: [{ position: 'entry 1', sourceId: ids.created }],
      repeatedCount: 1,
    });
  });

  it('our own HAR has the spacing of the schedule clock', async () => {
    const entry = harEntry('2026-11-20T12:00:00Z', body, {
      _delivery: { created_at: '2026-11-23T12:00:00.000Z' },
    });
    expect((await read(harOf([entry]))).events).toMatchObject([{ at: Date.parse('2026-11-23T12:00:00Z') }]);
  });

  it.each([
    [
      'an entry without a time',
      harOf([{ request: { method: 'GET' } }]),
      'entry 1: startedDateTime is required',
    ],
    [
      'an entry with an invalid time',
      harOf([harEntry('noon', body)]),
      'entry 1: startedDateTime must be an ISO 8601 time',
    ],
    [
      'an entry that is not an object',
      '{"log":{"entries":[7]}}',
      'entry 1: the value must be an object, not 7',
    ],
    ['no entries', '{"log":{}}', 'log: entries must be an array'],
  ])('HAR with %s is rejected with its position', async (_, text, problem) => {
    expect(await problemOf(text)).toBe(`a.file, ${problem}.`);
  });

  it('HAR with an invalid entry, as of another server, is read without it, and with a warning', async () => {
    const odd = { ...harEntry(first?.at ?? '', body), response: { status: '200' } };
    const warnings: string[] = [];
    const text = `\ufeff${harOf([odd, odd, harEntry(first?.at ?? '', body)])}`;
    const source = { ...sourceOf(text), warn: (message: string) => warnings.push(message) };
    expect((await readCapture(source, signal)).events).toMatchObject([{ position: 'entry 3' }]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Skipped 2 invalid entries\. a\.file, entry 1: response\.status must be .*"200"\.$/,
      ),
    ]);
  });
});

describe('the size of a recording', () => {
  it('NDJSON of any size is read in parts, and a payload is read again when it is needed [files.recordings]', async () => {
    const payload = JSON.stringify({ text: 'ä'.repeat(400_000) });
    const lines = Array.from({ length: 8 }, (_, index) =>
      ndjsonLine(envelope('order.paid', `evt_${index}`, payload)),
    );
    const source = sourceOf(lines.join(''));
    let longestRead = 0;
    const { events } = await readCapture(
      {
        ...source,
        read(offset, length) {
          longestRead = Math.max(longestRead, length);
          return source.read(offset, length);
        },
      },
      signal,
    );
    expect(events.map(({ sourceId }) => sourceId)).toEqual(lines.map((_, index) => `evt_${index}`));
    for (const event of events) expect(readPayload(event, source)).toBe(payload);
    expect(longestRead).toBeLessThanOrEqual(2 ** 20);
  });

  it('a line of several megabytes is read, and a line of more than 16 MB is rejected [files.recordings]', async () => {
    const lineOf = (megabytes: number) =>
      ndjsonLine(envelope('order.paid', ids.created, `"${'x'.repeat(megabytes * 2 ** 20)}"`));
    expect((await read(ndjson + lineOf(15))).events).toHaveLength(2);
    expect(await problemOf(ndjson + lineOf(16))).toBe('a.file, line 4: the line is longer than 16 MB.');
  });

  it('HAR of more than 256 MB is rejected without being read [files.recordings]', async () => {
    const source = { ...sourceOf(har), sizeBytes: 256 * 2 ** 20 + 1 };
    await expect(readCapture(source, signal)).rejects.toMatchObject({
      code: 'usage',
      message: 'The HAR file a.file is larger than 256 MB.',
    });
  });

  it('a file that is changed during the import is an error', async () => {
    const [event] = (await read(ndjson)).events;
    const changed = sourceOf(' '.repeat(ndjson.length));
    expect(() => event && readPayload(event, changed)).toThrow('a.file was changed during the import.');
  });

  it('an interruption ends the reading', async () => {
    await expect(readCapture(sourceOf(ndjson), AbortSignal.abort())).rejects.toMatchObject({
      code: 'interrupted',
    });
  });
});

describe('NDJSON', () => {
  it.each([
    ['a line that is not JSON', `${ndjson}{"id":`, 'line 4: invalid JSON'],
    ['a line without a body', `{"created_at":"${first?.at}"}\n{}`, 'line 1: body is required'],
    [
      'an invalid time',
      '{"created_at":"noon","body":""}\n{}',
      'line 1: created_at must be an ISO 8601 time in UTC',
    ],
    [
      'two problems',
      `{"created_at":"${first?.at}","body":"[]"}\n{}`,
      'line 1: the body must be a JSON object',
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
  ])('NDJSON with %s is rejected with its line', async (_, text, problem) => {
    expect(await problemOf(text)).toBe(`a.file, ${problem}.`);
  });
});
