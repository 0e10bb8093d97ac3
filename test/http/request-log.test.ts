import { describe, expect, it, onTestFinished } from 'vitest';
import { listAll } from '../../src/control/control-plane.ts';
import { UNAUTHENTICATED_LIMIT } from '../../src/store/api-requests.ts';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

async function start(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await startTestEmulator({ listen: false, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Sends a request to `/v1` (default: without a key). */
async function ask(emulator: TestEmulator, path: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (await emulator.fetch(new Request(`http://localhost/v1${path}`, { headers }))).status;
}

async function listRequests(emulator: TestEmulator) {
  const { control } = emulator;
  return listAll((page) => control.listRequests(page));
}

describe('the request log', () => {
  it('GET /_svc/requests filters by a status or a class of statuses', async () => {
    const emulator = await start();
    await ask(emulator, '/events', emulator.status().api_key);
    await ask(emulator, '/events');
    const statusesOf = async (status: string) => {
      const response = await emulator.fetch(new Request(`http://localhost/_svc/requests?status=${status}`));
      const { data, error } = (await response.json()) as {
        data: { status: number }[];
        error?: { message: string };
      };
      return error?.message ?? data.map((request) => request.status);
    };
    expect(await statusesOf('4xx')).toEqual([401]);
    expect(await statusesOf('2xx')).toEqual([200]);
    expect(await statusesOf('401')).toEqual([401]);
    expect(await statusesOf('5xx')).toEqual([]);
    expect(await statusesOf('4zz')).toContain('must be a status such as 404, or a class such as 4xx');
  });

  it('the log contains the time at which a request arrived, and the time until its response', async () => {
    const wall = createTestWallClock();
    const emulator = await start({ wall });
    const arrivedAt = wall.now();
    const slowBody = new ReadableStream({
      pull(controller) {
        wall.advance(500);
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
      },
    });
    const headers = {
      authorization: `Bearer ${emulator.status().api_key}`,
      'content-type': 'application/json',
    };
    await emulator.fetch(
      new Request('http://localhost/v1/events', {
        method: 'POST',
        headers,
        body: slowBody,
        duplex: 'half',
      } as RequestInit),
    );
    expect(await listRequests(emulator)).toMatchObject([
      { at: new Date(arrivedAt).toISOString(), duration_ms: 500 },
    ]);
  });

  it('the log keeps a short part of the path of a request without a valid key', async () => {
    const emulator = await start();
    const long = `/events?limit=1&a=${'x'.repeat(5_000)}`;
    expect(await ask(emulator, long)).toBe(401);
    expect(await ask(emulator, long, 'svc_test_unknown')).toBe(401);
    await ask(emulator, long, emulator.status().api_key);
    const lengths = (await listRequests(emulator)).map(({ path }) => path.length);
    expect(lengths).toEqual([2048, 256, 256]);
  });

  it('the log keeps the newest requests without a valid key up to a limit, and every request with one', async () => {
    const emulator = await start();
    const { api_key: key } = emulator.status();
    await ask(emulator, '/events?first', key);
    for (let number = 0; number < UNAUTHENTICATED_LIMIT + 5; number++)
      await ask(emulator, `/events?${number}`);
    await ask(emulator, '/events?last', key);
    const paths = (await listRequests(emulator)).map(({ path }) => path);
    expect(paths).toHaveLength(UNAUTHENTICATED_LIMIT + 2);
    expect([paths.at(-1), paths.at(-2), paths.at(0)]).toEqual([
      '/v1/events?first',
      '/v1/events?5',
      '/v1/events?last',
    ]);
  });

  it('the log keeps that limit after a reset', async () => {
    const emulator = await start();
    for (let number = 0; number < UNAUTHENTICATED_LIMIT; number++) await ask(emulator, `/events?${number}`);
    await emulator.control.reset({});
    for (let number = 0; number < UNAUTHENTICATED_LIMIT + 5; number++)
      await ask(emulator, `/nothing?${number}`);
    const paths = (await listRequests(emulator)).map(({ path }) => path);
    expect([paths.length, paths.at(-1)]).toEqual([UNAUTHENTICATED_LIMIT, '/v1/nothing?5']);
  });
});
