import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

describe('a slash at the end of a path', () => {
  it.each([
    ['GET', '/events/'],
    ['POST', '/events/'],
    ['POST', '/webhooks/'],
    ['PUT', '/events/'],
    ['GET', '/events/evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D/'],
    ['GET', '/events//'],
    ['GET', '/'],
  ])('a slash at the end makes %s %s a different path, which gets 404 [path.slash]', async (method, path) => {
    const { status, json } = await emulator.api(method, path, method === 'GET' ? undefined : { type: 'a.b' });
    expect([status, json.error.code]).toEqual([404, 'not_found']);
  });

  it('a slash at the end makes the path of an existing workspace a different path [path.slash]', async () => {
    const { workspace_id: id } = emulator.status();
    expect((await emulator.api('GET', `/workspaces/${id}`)).status).toBe(200);
    expect((await emulator.api('GET', `/workspaces/${id}/`)).status).toBe(404);
  });
});
