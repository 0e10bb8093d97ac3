import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createReceiver, type Receiver } from '../../src/index.ts';
import { sign } from '../../src/signature.ts';
import { getCertificate } from '../support/certificates.ts';

const SECRET = 'whsec_of_a_test';

/** Sends a signed delivery as the service does. @returns the status of the response. */
async function deliver({ url }: Receiver, id: string, type = 'order.shipped'): Promise<number> {
  const payload = JSON.stringify({ type, data: { id, type, payload: {} } });
  const { headers } = sign({ payload, secret: SECRET, id: 'del_1' });
  return (await fetch(`${url}/hooks?a=1`, { method: 'POST', headers, body: payload })).status;
}

describe('createReceiver', () => {
  it('a receiver records each request with its bytes and its parsed envelope', async () => {
    await using receiver = await createReceiver(200, { secret: SECRET });
    expect(await deliver(receiver, 'evt_1')).toBe(200);
    const body = Buffer.from([0xff, 0x00]);
    await fetch(receiver.url, { method: 'PUT', body });
    expect(await receiver.request(1)).toMatchObject({
      ...{ method: 'POST', path: '/hooks?a=1', eventId: 'evt_1' },
      headers: { 'service-delivery-id': 'del_1' },
      envelope: { type: 'order.shipped', data: { payload: {} } },
      verification: { ok: true },
    });
    const second = await receiver.request(2);
    expect(second).toMatchObject({ method: 'PUT', json: undefined, envelope: null, eventId: null });
    expect(second.body.equals(body)).toBe(true);
    expect(second.verification).toMatchObject({ ok: false, reason: 'header_missing' });
  });

  it('a receiver verifies requests only when it has a secret', async () => {
    await using receiver = await createReceiver();
    await deliver(receiver, 'evt_1');
    receiver.verifyWith(['whsec_another_one']);
    await deliver(receiver, 'evt_2');
    const results = receiver.requests.map(({ verification }) => verification?.ok);
    expect(results).toEqual([undefined, false]);
  });

  it('a receiver responds from its list in order, repeats the last response, and starts over after respond()', async () => {
    await using receiver = await createReceiver([500, { status: 204 }]);
    const statuses = async () => [await deliver(receiver, 'a'), await deliver(receiver, 'b')];
    expect(await statuses()).toEqual([500, 204]);
    expect(await statuses()).toEqual([204, 204]);
    receiver.respond(({ eventId }, index) => (eventId === 'b' ? 400 + index : 202));
    expect(await statuses()).toEqual([202, 401]);
  });

  it('a receiver responds to the events of one type with their own responses', async () => {
    await using receiver = await createReceiver([201, 202]);
    receiver.respondTo('invoice.paid', [503, 200]);
    const types = ['order.shipped', 'invoice.paid', 'invoice.paid', 'order.shipped'];
    const statuses: number[] = [];
    for (const type of types) statuses.push(await deliver(receiver, 'evt_1', type));
    expect(statuses).toEqual([201, 503, 200, 202]);
  });

  it('a receiver can respond late, with headers and a body, or drop the connection', async () => {
    await using receiver = await createReceiver({ delayMs: 30, headers: { 'x-a': '1' }, body: 'thanks' });
    const startedAt = performance.now();
    const response = await fetch(receiver.url);
    expect(performance.now() - startedAt).toBeGreaterThan(25);
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([
      200,
      '1',
      'thanks',
    ]);
    receiver.respond({ drop: true });
    await expect(fetch(receiver.url)).rejects.toThrow();
  });

  it('receiver.waitFor resolves to a copy of the requests, which later requests do not change', async () => {
    await using receiver = await createReceiver();
    await fetch(receiver.url, { method: 'POST', body: '1' });
    const first = await receiver.waitFor(1);
    await fetch(receiver.url, { method: 'POST', body: '2' });
    expect(first).toHaveLength(1);
    expect(receiver.requests).toHaveLength(2);
    receiver.clear();
    expect(first).toHaveLength(1);
  });

  it('receiver.waitFor stops its timer as soon as the requests have arrived', async () => {
    await using receiver = await createReceiver();
    const listTimers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const waiting = Promise.all([
      receiver.waitFor(1, { timeout: '1h' }),
      receiver.request(1, { timeout: '1h' }),
    ]);
    const before = listTimers();
    await fetch(receiver.url, { method: 'POST', body: '1' });
    await waiting;
    expect(listTimers()).toBeLessThanOrEqual(before - 2);
  });

  it('receiver.waitFor(0) and requests that have arrived resolve at once, and later requests do not disturb them', async () => {
    await using receiver = await createReceiver();
    expect(await receiver.waitFor(0)).toEqual([]);
    await fetch(receiver.url);
    expect(await receiver.waitFor(1, { timeout: 0 })).toHaveLength(1);
    await expect(receiver.waitFor(2, { timeout: 0 })).rejects.toThrow('1 of 2 requests arrived within 0ms.');
    expect((await fetch(receiver.url)).status).toBe(200);
  });

  it.each(['request', 'waitFor'] as const)(
    'the stack of a timeout of receiver.%s has the line that waited',
    async (method) => {
      await using receiver = await createReceiver();
      const waitHere = async () => void (await receiver[method](1, { timeout: 0 }));
      await expect(waitHere()).rejects.toMatchObject({ stack: expect.stringContaining('waitHere') });
    },
  );

  it('the report of receiver.waitFor says which requests have no event and which signatures are valid', async () => {
    await using receiver = await createReceiver(200, { secret: SECRET });
    await deliver(receiver, 'evt_1');
    receiver.verifyWith('whsec_another_one');
    await fetch(`${receiver.url}/a`, { method: 'PUT' });
    await expect(receiver.waitFor(3, { timeout: 0 })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^receiver\.waitFor: 2 of 3 .*\n {2}POST \/hooks\?a=1 {2}order\.shipped evt_1\n {2}PUT \/a {2}no event, invalid signature: .+\n {2}Await .+$/,
      ),
    });
    await using unverified = await createReceiver();
    await fetch(unverified.url);
    await expect(unverified.waitFor(2, { timeout: 0 })).rejects.toThrow(
      /\n {2}GET \/ {2}no event\n {2}Await /,
    );
  });

  it('a receiver verifies with the given tolerance and scheme', async () => {
    await using receiver = await createReceiver(200, {
      secret: SECRET,
      toleranceMs: 60_000,
      scheme: 'stripe',
    });
    for (const ageMs of [0, 120_000]) {
      const { headers } = sign({
        payload: '{}',
        secret: SECRET,
        scheme: 'stripe',
        id: '',
        timestampMs: Date.now() - ageMs,
      });
      await fetch(receiver.url, { method: 'POST', headers, body: '{}' });
    }
    expect(receiver.requests.map(({ verification }) => verification?.reason)).toEqual([
      null,
      'timestamp_too_old',
    ]);
  });

  it('a receiver listens on the given port, and createReceiver rejects with port_in_use if it is taken', async () => {
    const { port, close } = await createReceiver();
    await close();
    await using receiver = await createReceiver(200, { port });
    expect(receiver.url).toBe(`http://127.0.0.1:${port}`);
    await expect(createReceiver(200, { port })).rejects.toMatchObject({ code: 'port_in_use' });
  });

  it('the error of a response function is in the response', async () => {
    await using receiver = await createReceiver(() => {
      throw new Error('no luck');
    });
    const response = await fetch(receiver.url);
    expect([response.status, await response.text()]).toEqual([
      500,
      'The receiver could not respond: no luck',
    ]);
  });

  it('receiver.waitFor and receiver.request report what arrived instead', async () => {
    await using receiver = await createReceiver(200, { secret: 'whsec_another_one', timeout: 20 });
    const second = receiver.request(2, { timeout: 10_000 });
    await deliver(receiver, 'evt_1');
    await deliver(receiver, 'evt_2');
    expect((await second).eventId).toBe('evt_2');
    await expect(receiver.waitFor(3)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(
        /^receiver\.waitFor: 2 of 3 requests arrived within 20ms\.\n {2}POST \/hooks\?a=1 {2}order\.shipped evt_1, invalid signature: .+\n.+evt_2/,
      ),
    });
    receiver.clear();
    await expect(receiver.waitFor(1)).rejects.toThrow(
      'receiver.waitFor: 0 of 1 request arrived within 20ms.\n  Await deliveries.wait() of the emulator or workspace, whose error says why a delivery did not arrive.',
    );
  });

  it('a receiver with a certificate closes a connection that has not started its TLS handshake', async () => {
    await using receiver = await createReceiver(200, { certificate: getCertificate('localhost') });
    const socket = connect(receiver.port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await receiver.close();
    await closed;
  });
});
