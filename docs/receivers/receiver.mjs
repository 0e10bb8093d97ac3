// node receiver.mjs — Node.js 18 or later, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { SVC_WEBHOOK_SECRET: secret, PORT: port = '4242' } = process.env;
if (!secret) throw new Error('Set SVC_WEBHOOK_SECRET.');
const toleranceMs = 5 * 60 * 1000;
const seen = new Set(); // In production: a durable store, written in one transaction with the job.

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy()); // No response: the service tries again.
});
server.listen(port, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));

async function receive(request, response) {
  const body = await buffer(request); // The raw bytes, verified before they are parsed.
  if (!isAuthentic(body, request.headers)) return response.writeHead(400).end();
  const event = JSON.parse(body).data;
  const isNew = !seen.has(event.id); // Delivery is at least once.
  seen.add(event.id);
  response.writeHead(204).end(); // Accepted. The work comes after the response.
  if (isNew) console.log(`processed ${event.type} ${event.id}`);
}

function isAuthentic(body, headers) {
  const { 'service-timestamp': timestamp = '', 'service-signature': signatures = '' } = headers;
  const ageMs = Date.now() - Date.parse(timestamp);
  if (!(Math.abs(ageMs) <= toleranceMs)) return false; // NaN, for an invalid timestamp, is rejected too.
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(`v1=${digest}`);
  return signatures.split(',').some((text) => {
    const signature = Buffer.from(text.trim()); // Several signatures during a secret rotation.
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}
