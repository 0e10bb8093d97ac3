/** The request log and its filters. test/store/api-requests.test.ts tests each condition. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

it('a list of requests can be filtered by a request, an API key and a method in any case', async () => {
  const { control } = emulator;
  const { headers } = await emulator.api('POST', '/events', { type: 'order.shipped' });
  const id = headers.get('request-id') ?? '';
  await emulator.api('GET', '/events');
  const [key] = (await control.listKeys({})).data;
  const filter = { request_id: id, api_key_id: key?.id, api_key_name: 'Default key', method: 'post' };
  expect((await control.listRequests(filter)).data).toMatchObject([{ id, method: 'POST' }]);
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
    await expect(emulator.control.listRequests(filter)).rejects.toMatchObject({ code: 'not_found', message });
  },
);
