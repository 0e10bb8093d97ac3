/** What the client of the control plane sends, and how it reports an end before the end. */
import { describe, expect, it } from 'vitest';
import { type ControlRequest, createControlClient } from '../../src/client/control-client.ts';

/** A client that records its requests. Each response has the chunks, and then the error if there is one. */
function createClient(chunks: readonly string[] = [], error: Error | null = null) {
  const requests: ControlRequest[] = [];
  const transport = {
    send: async (request: ControlRequest) => {
      requests.push(request);
      return '';
    },
    open: async (request: ControlRequest) => {
      requests.push(request);
      return (async function* () {
        yield* chunks;
        if (error !== null) throw error;
      })();
    },
  };
  return { requests, client: createControlClient(transport, { controlUrl: 'http://127.0.0.1:4777/_svc' }) };
}

describe('the live stream of the client', () => {
  const ready = 'event: ready\ndata: {"store":"one","sequence":5}\n\ndata: {"type":"reset","sequence":6}\n\n';

  it('a stream starts at a time, or after a sequence number, which a proxy may read in the header', async () => {
    const { client, requests } = createClient([ready]);
    const { signal } = new AbortController();
    for (const input of [
      { since: '1h', status: 'failed' },
      { since_sequence: 4 },
      { since_sequence: '4' },
      {},
    ] as const) {
      const stream = client.stream(input, signal)[Symbol.asyncIterator]();
      await stream.next();
      await stream.return?.();
    }
    expect(requests.map(({ url, headers }) => [url.search, headers?.['last-event-id']])).toEqual([
      ['?status=failed&since=1h', undefined],
      ['?since_sequence=4', '4'],
      ['?since_sequence=4', '4'],
      ['', undefined],
    ]);
  });
});

it('the signal of a call is that of its request, and a call without one leaves it to the transport', async () => {
  const { client, requests } = createClient();
  const { signal } = new AbortController();
  await Promise.allSettled([client.getStatus({}, signal), client.getStatus({})]);
  expect(requests[0]?.signal).toBe(signal);
  expect(requests[1]).not.toHaveProperty('signal');
});

describe('an export', () => {
  async function read(chunks: AsyncIterable<string>): Promise<string[]> {
    const texts: string[] = [];
    for await (const text of chunks) texts.push(text);
    return texts;
  }

  it('an export requests NDJSON with its filter, and returns whole lines of chunks that end inside a line', async () => {
    const { client, requests } = createClient(['{"a":1}\n', '{"a', '":2}', '\n{"a":3}\n{', '"a":4}']);
    const texts = await read(await client.exportDeliveries({ status: 'failed' }));
    expect(texts).toEqual(['{"a":1}\n', '{"a":2}\n{"a":3}\n', '{"a":4}']);
    expect(requests).toMatchObject([
      {
        method: 'GET',
        headers: { accept: 'application/x-ndjson' },
        url: { search: '?status=failed' },
      },
    ]);
  });

  it('an export whose connection is closed early fails, because the file is not complete', async () => {
    const { client } = createClient(['{"a":1}\n'], new Error('aborted'));
    await expect(read(await client.exportDeliveries({}))).rejects.toMatchObject({
      code: 'no_emulator',
      message: 'http://127.0.0.1:4777 closed the connection before the file was complete.',
    });
  });

  it('an interrupted export fails as interrupted', async () => {
    const stop = new AbortController();
    const { client } = createClient([], new Error('aborted'));
    const chunks = await client.exportDeliveries({}, stop.signal);
    stop.abort();
    await expect(read(chunks)).rejects.toMatchObject({ code: 'interrupted' });
  });
});
