/** Receivers with mistakes from public reports, over real HTTP: what a probe names, `svc verify --computed` names, too. */
import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

interface Received {
  readonly timestamp: string;
  readonly body: string;
}

const hmac = (content: string, key: string | Uint8Array, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(content).digest('hex');
const parsed = ({ body }: Received) => JSON.parse(body);

/** The header that each receiver expects. */
const receivers: Readonly<
  Record<string, readonly [named: string, (received: Received, secret: string) => string]>
> = {
  'JSON.stringify(req.body)': [
    'serialized again, as JSON.stringify does',
    (received, secret) => hmac(`${received.timestamp}.${JSON.stringify(parsed(received))}`, secret),
  ],
  'JSON.stringify(rawBody) of a Buffer': [
    'as JSON.stringify does with a Buffer',
    ({ timestamp, body }, secret) => hmac(`${timestamp}.${JSON.stringify(Buffer.from(body))}`, secret),
  ],
  'JSON.stringify(payload) of the raw text': [
    'it was serialized as a JSON string',
    ({ timestamp, body }, secret) => hmac(`${timestamp}.${JSON.stringify(body)}`, secret),
  ],
  'req.rawBody, which does not exist': [
    'it was the text undefined',
    ({ timestamp }, secret) => hmac(`${timestamp}.undefined`, secret),
  ],
  'a timestamp header under another name': [
    'the timestamp was the text undefined',
    ({ body }, secret) => hmac(`undefined.${body}`, secret),
  ],
  'a secret with a carriage return': [
    'the secret ended with a carriage return',
    ({ timestamp, body }, secret) => hmac(`${timestamp}.${body}`, `${secret}\r`),
  ],
  'the line of a .env file as the secret': [
    'the secret had the name of its variable in front',
    ({ timestamp, body }, secret) => hmac(`${timestamp}.${body}`, `WEBHOOK_SECRET=${secret}`),
  ],
  'key and message swapped': [
    'the key and the message were swapped',
    ({ timestamp, body }, secret) => hmac(secret, `${timestamp}.${body}`),
  ],
  'a plain hash': [
    'a plain hash of the secret and the content',
    ({ timestamp, body }, secret) =>
      createHash('sha256').update(`${secret}${timestamp}.${body}`).digest('hex'),
  ],
  'JSON.stringify(req.body) without the timestamp': [
    'The receiver makes 2 mistakes: ',
    (received, secret) => hmac(JSON.stringify(parsed(received)), secret),
  ],
};

it.each(Object.entries(receivers))('the mistake of a receiver is named: %s', async (_, [named, sign]) => {
  let secret = '';
  await using receiver = await createReceiver(({ headers, body }) => {
    const received = { timestamp: String(headers['service-timestamp']), body: String(body) };
    return { status: headers['service-signature'] === `v1=${sign(received, secret)}` ? 200 : 400 };
  });
  await using emulator = await startTestEmulator({ forwardTo: { url: receiver.url, events: ['a.b'] } });
  const { workspace_id: workspaceId, webhook_secret: webhookSecret } = emulator.status();
  secret = String(webhookSecret);
  const event = `{"workspace_id":"${workspaceId}","type":"a.b","payload":{"total":12.50,"to":"Zoë","at":"a/b"}}`;
  const { json } = await emulator.api('POST', '/events', event, { 'content-type': 'application/json' });
  await emulator.control.advanceClock({ workspace_id: String(workspaceId), ms: 0 });
  const { data } = await emulator.control.listDeliveries({ event_id: json.id });
  const id = data[0]?.id ?? '';
  const probed = await emulator.control.probeDelivery({ id });
  expect(probed).toMatchObject({ cause: 'signature_rejected', certainty: 'certain' });
  expect(probed.mistake?.detail).toContain(named);

  const { attempts = [] } = await emulator.control.getDelivery({ id });
  const { headers, body } = attempts[0]?.request ?? { headers: {}, body: '' };
  const timestamp = String(
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'service-timestamp')?.[1],
  );
  const verified = await emulator.control.verifyDelivery({
    id,
    computed: `v1=${sign({ timestamp, body }, secret)}`,
  });
  expect(verified.detail).toContain(named);
  expect(verified.reason).toBe(probed.mistake?.reason);
});
