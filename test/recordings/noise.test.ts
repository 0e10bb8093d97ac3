/** Recordings of other programs, damaged ones, and secrets that do not fit: no difference is reported that does not exist. */
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GapReport } from '../../src/recordings/check-gaps.ts';
import type { RequestLine } from '../../src/recordings/read-recording.ts';
import { readPage } from '../support/documents.ts';
import { checkRecording, type Recording, recordService } from './recorded-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests change HAR entries as other programs write them.
type Entry = any;

let recording: Recording;
beforeAll(async () => {
  recording = await recordService({});
});

/** A request as a browser or a proxy records it. */
function toHarEntry({ request, response, ...line }: RequestLine): Entry {
  const toList = (headers: Readonly<Record<string, string>> = {}) =>
    Object.entries(headers).map(([name, value]) => ({ name, value }));
  const { method, url, headers, body } = request;
  return {
    startedDateTime: line.sent_at,
    time: line.duration_ms,
    request: {
      ...{ method, url, headers: toList(headers), bodySize: Buffer.byteLength(body) },
      ...(body !== '' && { postData: { mimeType: 'application/json', text: body } }),
    },
    response: {
      ...{ status: line.response_status, headers: toList(response?.headers) },
      content: { text: response?.body ?? '' },
    },
  };
}

function change(toEntries: (entries: Entry[]) => Entry[]): string {
  const lines: RequestLine[] = recording.text.split('\n').map((line) => JSON.parse(line));
  return JSON.stringify({ log: { version: '1.2', entries: toEntries(lines.map(toHarEntry)) } });
}

/** The recording with changed fields of each request and response. */
const changeEach = (toChanges: (entry: Entry) => { request?: object; response?: object }) =>
  change((entries) =>
    entries.map((entry) => {
      const { request, response } = toChanges(entry);
      return {
        ...entry,
        request: { ...entry.request, ...request },
        response: { ...entry.response, ...response },
      };
    }),
  );

/** The gaps that traffic cannot show, with the reason. */
const invisibleGaps = Array.from(
  readPage('docs/real-service.md').matchAll(/^\| `([\w.]+)` \| [A-Z].*\. \|$/gm),
  ([, gap]) => gap,
);

const isDelivery = ({ request }: Entry) => request.url.startsWith('https://receiver.example');

function listDifferences({ data, other }: GapReport): unknown[] {
  return [...data.filter(({ verdict }) => verdict === 'different'), ...other];
}

describe('svc gaps check', () => {
  it('the recording of an emulator with the defaults has no difference', async () => {
    const report = await checkRecording(recording.text, { secrets: recording.secrets });
    expect(listDifferences(report)).toEqual([]);
    expect(report.notes).toEqual([]);
    const unconfirmed = report.data.filter(({ verdict }) => verdict !== 'confirmed').map(({ gap }) => gap);
    // Requests within a limit do not show its value, and no key lacked a scope.
    expect(unconfirmed.sort()).toEqual(
      [...invisibleGaps, 'body.limit', 'key.scopes', 'rate.headers', 'webhook.limit'].sort(),
    );
  });

  it('requests to other servers with the same paths are skipped', async () => {
    const har = change((entries) => [
      ...entries,
      ...entries
        .filter((entry: Entry) => !isDelivery(entry))
        .map((entry: Entry) => ({
          ...entry,
          request: {
            ...entry.request,
            url: entry.request.url.replace(/^https?:\/\/[^/]*/, 'https://analytics.example'),
            headers: [],
          },
          response: {
            status: 418,
            headers: [{ name: 'x-other', value: '1' }],
            content: { text: '{"id":7}' },
          },
        })),
    ]);
    expect(listDifferences(await checkRecording(har, recording))).toEqual([]);
  });

  it('shortened bodies are not compared', async () => {
    const cut = (text = '') => text.slice(0, text.length / 2);
    const har = changeEach(({ request, response }) => ({
      request: request.postData && { postData: { text: cut(request.postData.text) } },
      response: { content: { text: cut(response.content.text) } },
    }));
    expect(listDifferences(await checkRecording(har, recording))).toEqual([]);
  });

  it('HAR of a Chromium without sensitive data has pseudo-headers and no keys', async () => {
    const har = changeEach(({ request, response }) => ({
      request: {
        httpVersion: 'h2',
        headers: [
          { name: ':authority', value: 'sandbox.example.com' },
          { name: ':method', value: request.method },
          ...request.headers.filter(({ name }: Entry) => name !== 'authorization'),
        ],
        bodySize: request.postData ? request.bodySize : -1,
      },
      response: {
        headers: [{ name: ':status', value: '200' }, ...response.headers],
        _transferSize: 120,
      },
    }));
    expect(listDifferences(await checkRecording(har, recording))).toEqual([]);
  });

  it('HAR with compressed response bodies in base64 is decompressed', async () => {
    const har = changeEach(({ response }) => ({
      response: {
        comment: null,
        headers: [...response.headers, { name: 'Content-Encoding', value: 'gzip' }],
        content: { text: gzipSync(response.content.text).toString('base64'), encoding: 'base64' },
      },
    }));
    const report = await checkRecording(har, recording);
    expect(listDifferences(report)).toEqual([]);
    expect(report.data.find(({ gap }) => gap === 'list.limit')?.verdict).toBe('confirmed');
  });

  it('attempts that did not reach the receiver do not change the retry schedule', async () => {
    const seen = new Map<string, number>();
    const har = change((entries) =>
      entries.filter((entry: Entry) => {
        const id = entry.request.headers.find(({ name }: Entry) => name === 'service-delivery-id')?.value;
        if (id === undefined) return true;
        const count = (seen.get(id) ?? 0) + 1;
        seen.set(id, count);
        return count !== 2;
      }),
    );
    expect(listDifferences(await checkRecording(har, recording))).toEqual([]);
  });

  it('a wrong secret is reported as a wrong secret, and not as another algorithm', async () => {
    const report = await checkRecording(recording.text, { secrets: [`whsec_${'A'.repeat(43)}`] });
    expect(listDifferences(report)).toEqual([]);
    expect(report.notes).toHaveLength(1);
    expect(report.notes[0]).toMatch(/^No secret that was passed signed \d+ deliveries\./);
    expect(JSON.stringify(report)).not.toContain('AAAA');
  });

  it('deliveries that were signed with another secret do not count as a difference', async () => {
    const report = await checkRecording(recording.text, { secrets: recording.secrets.slice(0, 1) });
    expect(listDifferences(report)).toEqual([]);
    expect(report.data.find(({ gap }) => gap === 'signature.content')?.verdict).toBe('confirmed');
    expect(report.notes[0]).toMatch(/^No secret that was passed signed \d+ deliveries\./);
  });

  it('an unknown signature header leads to a custom scheme', async () => {
    const har = changeEach(({ request }) => ({
      request: {
        headers: request.headers.map(({ name, value }: Entry) => ({
          name,
          value: name === 'service-signature' ? value.replace('v1=', 'hmac:') : value,
        })),
      },
    }));
    const report = await checkRecording(har, recording);
    expect(listDifferences(report)).toMatchObject([
      { gap: 'signature.header', observed: null, override: null },
    ]);
    expect(report.notes[0]).toBe(
      'The signature header has an unknown form. It needs a custom scheme in svc.config.json.',
    );
  });

  it('fields and statuses that the emulator does not have are other differences', async () => {
    const har = changeEach(({ response: { status, content } }) => ({
      response: {
        status: status === 201 ? 202 : status,
        content: { text: content.text.replace('"has_more"', '"total":3,"has_more"') },
      },
    }));
    const { other } = await checkRecording(har, recording);
    expect(other.map(({ text }) => text)).toEqual([
      'page with the fields data, total, has_more, end_cursor',
      'POST /events: 202; svc: 201',
      'POST /webhooks: 202; svc: 201',
    ]);
  });
});
