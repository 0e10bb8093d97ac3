import { describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

async function startLimited(
  limit: TestEmulatorOptions['overrides'] = { 'rate.limit': { per_second: 2, burst: 4 } },
) {
  const wall = createTestWallClock();
  const emulator = await startTestEmulator({ wall, overrides: limit });
  const ask = (headers = {}) => emulator.api('GET', '/events', undefined, headers);
  return { wall, emulator, ask, [Symbol.asyncDispose]: () => emulator.close() };
}

describe('a key over its rate limit', () => {
  it('every response has the limit, and a 429 the time to wait [rate.headers]', async () => {
    await using limited = await startLimited();
    const rateHeaders = [];
    for (let i = 0; i < 5; i++) {
      const { headers } = await limited.ask();
      rateHeaders.push(['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name)));
    }
    expect(rateHeaders).toEqual([
      ['"api-key";q=4;w=2', '"api-key";r=3;t=1', null],
      ['"api-key";q=4;w=2', '"api-key";r=2;t=1', null],
      ['"api-key";q=4;w=2', '"api-key";r=1;t=2', null],
      ['"api-key";q=4;w=2', '"api-key";r=0;t=2', null],
      ['"api-key";q=4;w=2', '"api-key";r=0;t=2', '1'],
    ]);
  });

  it('error responses have the limit too [rate.headers]', async () => {
    await using limited = await startLimited();
    const { status, headers } = await limited.emulator.api('GET', '/events?limit=0');
    expect([status, headers.get('ratelimit')]).toEqual([400, '"api-key";r=3;t=1']);
  });

  it('a request over the limit creates nothing [§7.429]', async () => {
    await using limited = await startLimited({ 'rate.limit': { per_second: 1, burst: 1 } });
    await limited.ask();
    expect((await limited.emulator.api('POST', '/events', { type: 'a.b' })).status).toBe(429);
    limited.wall.advance(1000);
    expect((await limited.ask()).json.data).toEqual([]);
  });
});

describe('rate.limit', () => {
  it('choice off: a key has no limit, and responses have no limit headers [rate.limit]', async () => {
    await using limited = await startLimited({});
    const { status, headers } = await limited.ask();
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, null]);
  });
});
