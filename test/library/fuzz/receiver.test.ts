import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fuzzReceiver } from 'svc-emulator';
import { verify } from 'svc-emulator/signature';
import { expect, test } from 'vitest';

const secret = 'whsec_c2VjcmV0LW9mLWEtdGVzdA';
const emails: { eventId: string; subject: string }[] = [];

/** The receiver to test: sends an email for each event. */
const app = createServer(async (request, response) => {
  try {
    const { 'service-signature': signature, 'service-timestamp': timestamp } = request.headers;
    const payload = await buffer(request);
    const { ok } = verify({ secret, payload, signature, timestamp });
    if (!ok) return response.writeHead(400).end();
    const { type, data } = JSON.parse(payload.toString());
    const isNew = emails.every(({ eventId }) => eventId !== data.id);
    if (isNew) emails.push({ eventId: data.id, subject: `A new ${type}` });
    response.writeHead(204).end();
  } catch {
    response.destroy();
  }
});

test('the receiver sends one email for each event', { timeout: 30_000 }, async () => {
  await new Promise<void>((resolve) => void app.listen(0, '127.0.0.1', resolve));
  const { port } = app.address() as AddressInfo;
  const report = await fuzzReceiver(`http://127.0.0.1:${port}/webhooks`, {
    secret,
    runs: 20,
    without: ['pause'],
    observe: () => emails.map(({ eventId }) => eventId),
  });
  app.close();
  expect(report.failure).toBeNull();
});
