/** The request log and its filters. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { RequestFilter } from '../../../src/resources/request.ts';
import {
  startTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from '../../support/test-emulator.ts';

async function start(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

const event = { type: 'order.shipped', payload: { n: 1 } };

/** Creates an event and returns the ID of the request. */
async function createEvent(emulator: TestEmulator, headers: Record<string, string> = {}): Promise<string> {
  const response = await emulator.api('POST', '/events', event, headers);
  return response.headers.get('request-id') ?? '';
}

describe('GET /_svc/requests', () => {
  it('the list and the live stream select the same requests', async () => {
    const emulator = await start();
    const { control } = emulator;
    const { key, id: keyId } = await control.createKey({ name: 'Reader', scopes: ['events:read'] });
    const authorization = `Bearer ${key}`;
    const requestId = await createEvent(emulator);
    await emulator.api('GET', '/events?limit=3', undefined, { authorization });
    await emulator.api('POST', '/events', event, { authorization });
    await emulator.api('GET', '/nothing');
    const { data } = await control.listRequests({});
    const filters = [
      { method: 'POST' },
      { path: '/v1/events' },
      { path: '/events' },
      { path: 'limit=' },
      { path: 'vents?' },
      { path: "'%_" },
      { status: '4xx' as const },
      { status: 201 },
      { api_key_id: keyId },
      { api_key_name: 'Reader' },
      { api_key_name: 'Default key', method: 'POST' },
      { request_id: requestId },
      { min_duration_ms: 0 },
      { workspace_id: emulator.status().workspace_id },
      { resource_id: data.find(({ resource_id }) => resource_id !== null)?.resource_id ?? '' },
      { since: data.at(-1)?.at ?? '' },
      { since: '9000-01-01T00:00:00.000Z' },
      { until: '9000-01-01T00:00:00.000Z' },
      { until: data.at(-1)?.at ?? '' },
    ];
    const fields = new Set(filters.flatMap((filter) => Object.keys(filter)));
    expect([...fields].sort()).toEqual(Object.keys(RequestFilter).sort());
    /** It reads stored changes without a turn of the event loop. */
    const readStream = async (filter: object) => {
      const stopped = new AbortController();
      const input = { types: 'request', since_sequence: 0, ...filter };
      const items = control.stream(input, stopped.signal)[Symbol.asyncIterator]();
      const found: string[] = [];
      for (;;) {
        const turn = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
        const result = await Promise.race([items.next(), turn]);
        if (result === null || result.done) break;
        if (result.value.type === 'request') found.push(result.value.request.id);
      }
      stopped.abort();
      return found.sort();
    };
    const counts = [];
    for (const filter of filters) {
      const listed = (await control.listRequests(filter)).data;
      if (!('since' in filter))
        expect(await readStream(filter), JSON.stringify(filter)).toEqual(listed.map(({ id }) => id).sort());
      counts.push(listed.length);
    }
    expect(counts).toEqual([2, 3, 0, 1, 1, 0, 3, 1, 2, 2, 1, 1, 4, 1, 1, 4, 0, 4, 0]);
    expect((await control.listRequests({ method: 'post' })).data).toHaveLength(2);
  });
});

it.each([
  [{ api_key_name: 'Default kez' }, 'No API key has the name "Default kez".'],
  [
    { api_key_id: 'key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
    'API key key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D does not exist.',
  ],
  [
    { request_id: 'req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' },
    'Request req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D does not exist.',
  ],
])(
  'a list of requests that is filtered by %j, which does not exist, is not found',
  async (filter, message) => {
    const { control } = await start();
    await expect(control.listRequests(filter)).rejects.toMatchObject({ code: 'not_found', message });
  },
);
