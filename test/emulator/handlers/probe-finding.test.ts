/** A mistake that a probe found belongs to the endpoint, until one of its deliveries succeeds. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as timers from '../../../src/platform/timers.ts';
import { replaceExports } from '../../support/replace-exports.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type ReceivedRequest, type ReceiverResponses } from '../../support/test-receiver.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());
// On a slow machine, the time limit of a probe would end it before its last mistake.
beforeEach(() => replaceExports(timers, { monotonic: () => 0 }));

/** Parses the body and serializes it again, which changes 1.50. */
const verifyParsedBody =
  (secret: string): ReceiverResponses =>
  ({ headers, body }) => {
    const content = `${headers['service-timestamp']}.${JSON.stringify(JSON.parse(String(body)))}`;
    const digest = createHmac('sha256', secret).update(content).digest('hex');
    return headers['service-signature'] === `v1=${digest}` ? 200 : 401;
  };

async function startEndpoint() {
  const { control } = emulator;
  const receiver = await createReceiver();
  const { id, secret } = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
  receiver.respond(verifyParsedBody(secret));
  const send = async (payload = '{"price":1.50}') => {
    const { json } = await emulator.api('POST', '/events', `{"type":"a.b","payload":${payload}}`);
    await control.advanceClock({ ms: 0 });
    return (await control.listDeliveries({ event_id: json.id })).data[0]?.id ?? '';
  };
  const close = async () => {
    await control.deleteWebhook({ id });
    await receiver.close();
  };
  return { control, receiver, id, send, [Symbol.asyncDispose]: close };
}

it('the mistake that a probe finds explains each failing delivery of the endpoint, with the bytes that differ', async () => {
  await using endpoint = await startEndpoint();
  const { control, send } = endpoint;
  const [first, second] = [await send(), await send()];
  expect(await control.explainDelivery({ id: first })).toMatchObject({ cause: 'rejected', finding: null });
  const probed = await control.probeDelivery({ id: first });
  const third = await send();
  for (const explanation of [
    probed,
    ...(await Promise.all([first, second, third].map((id) => control.explainDelivery({ id })))),
  ]) {
    expect(explanation).toMatchObject({
      ...{ cause: 'signature_rejected', certainty: 'certain' },
      mistake: { reason: 'body_changed' },
      finding: { delivery_id: first },
      evidence: [
        `A probe of ${first} found it: the verification rejected the correct signature, and accepted one with this mistake.`,
      ],
    });
  }
  const { finding } = await control.explainDelivery({ id: second });
  expect(finding?.explains).toBe(3);
  const { signed = '', verified = '', difference = 0 } = finding?.comparison ?? {};
  expect([signed.slice(difference), verified.slice(difference)]).toEqual([
    expect.stringMatching(/^0\}/),
    expect.stringMatching(/^\}/),
  ]);
  expect(signed.slice(0, difference)).toBe(verified.slice(0, difference));
});

it('bytes that look the same are compared with escapes', async () => {
  await using endpoint = await startEndpoint();
  const { control, receiver, send, id: webhookId } = endpoint;
  const { secret } = await control.revealSecret({ id: webhookId });
  receiver.respond(({ headers, body }) => {
    const content = `${headers['service-timestamp']}.${String(body).normalize('NFC')}`;
    const digest = createHmac('sha256', String(secret)).update(content).digest('hex');
    return headers['service-signature'] === `v1=${digest}` ? 200 : 401;
  });
  const { finding } = await control.probeDelivery({ id: await send('{"name":"Zoe\u0308"}') });
  const { signed = '', verified = '', difference = 0 } = finding?.comparison ?? {};
  expect(signed.slice(difference)).toMatch(/^e\\u\{308\}"/);
  expect(verified.slice(difference)).toMatch(/^\\u\{eb\}"/);
});

it('a finding ends with the first delivery that succeeds, and does not explain another status or URL', async () => {
  await using endpoint = await startEndpoint();
  const { control, receiver, send, id } = endpoint;
  const delivery = await send();
  await control.probeDelivery({ id: delivery });
  receiver.respond(500);
  expect(await control.explainDelivery({ id: await send() })).toMatchObject({
    cause: 'receiver_error',
    finding: null,
  });
  await using other = await createReceiver(401);
  await control.updateWebhook({ id, url: other.url });
  expect(await control.explainDelivery({ id: await send() })).toMatchObject({
    cause: 'rejected',
    finding: null,
  });
  expect((await control.explainDelivery({ id: delivery })).finding).not.toBeNull();
  other.respond(200);
  await send();
  expect(await control.explainDelivery({ id: delivery })).toMatchObject({ cause: 'rejected', finding: null });
});

it('a probe that finds no mistake any more ends the finding', async () => {
  await using endpoint = await startEndpoint();
  const { control, receiver, send } = endpoint;
  const delivery = await send();
  await control.probeDelivery({ id: delivery });
  receiver.respond(401);
  await control.probeDelivery({ id: delivery });
  expect(await control.explainDelivery({ id: delivery })).toMatchObject({ cause: 'rejected', finding: null });
});

it('a probe during which a reset removes its delivery says that the delivery does not exist', async () => {
  await using own = await startTestEmulator();
  await using receiver = await createReceiver(401);
  const { secret } = await own.control.createWebhook({ url: receiver.url });
  await own.api('POST', '/events', { type: 'a.b', payload: {} });
  await own.control.advanceClock({ ms: 0 });
  const [delivery] = (await own.control.listDeliveries({})).data;
  receiver.respond(async (request, index) => {
    if (index === 1) await own.control.reset({});
    const sign = createHmac('sha256', secret).update(String(request.body)).digest('hex');
    return request.headers['service-signature'] === `v1=${sign}` ? 200 : 401;
  });
  await expect(own.control.probeDelivery({ id: delivery?.id ?? '' })).rejects.toMatchObject({
    ...{ code: 'not_found', message: expect.stringContaining(`${delivery?.id} does not exist`) },
  });
});

it('a mistake of a receiver that does not respond to the correct signature does not replace the finding', async () => {
  await using endpoint = await startEndpoint();
  const { control, receiver, send, id: webhookId } = endpoint;
  const delivery = await send();
  const { mistake } = await control.probeDelivery({ id: delivery });
  const { secret } = await control.revealSecret({ id: webhookId });
  receiver.respond(({ headers, body }) => {
    const sign = (content: string) =>
      `v1=${createHmac('sha256', String(secret)).update(content).digest('hex')}`;
    const { 'service-timestamp': timestamp, 'service-signature': signature } = headers;
    if (signature === sign(`${timestamp}.${body}`)) return { drop: true };
    return signature === sign(String(body)) ? 200 : 401;
  });
  await control.probeDelivery({ id: delivery });
  expect(mistake).toMatchObject({ reason: 'body_changed' });
  expect(await control.explainDelivery({ id: delivery })).toMatchObject({
    mistake,
    finding: { delivery_id: delivery },
  });
});

it('the secrets of deleted endpoints are tried after all other mistakes', async () => {
  await using endpoint = await startEndpoint();
  const { control, receiver, send } = endpoint;
  const deleted = await Promise.all(
    Array.from({ length: 3 }, (_, index) =>
      control.createWebhook({ url: `http://127.0.0.1:1/${index}`, events: ['c.d'] }),
    ),
  );
  for (const { id } of deleted) await control.deleteWebhook({ id });
  const delivery = await send();
  const seen: string[] = [];
  const isSignedBy = (secret: string, { headers, body }: ReceivedRequest) =>
    headers['service-signature'] ===
    `v1=${createHmac('sha256', secret).update(`${headers['service-timestamp']}.${body}`).digest('hex')}`;
  receiver.respond((request) => {
    seen.push(deleted.some(({ secret }) => isSignedBy(secret, request)) ? 'deleted' : 'other');
    return 401;
  });
  await control.probeDelivery({ id: delivery });
  expect(seen.filter((kind) => kind === 'deleted')).toHaveLength(3);
  expect(seen.indexOf('deleted')).toBeGreaterThan(seen.length / 2);
});
