import { expect, test } from 'bun:test';
import { verifyRequest } from 'svc-emulator/signature';

const { SVC_BASE_URL, SVC_API_KEY, SVC_WORKSPACE_ID: workspace_id } = process.env;

async function post(path, body) {
  const headers = { authorization: `Bearer ${SVC_API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(SVC_BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
  return response.json();
}

test('a delivery carries a valid signature', async () => {
  const received = Promise.withResolvers();
  let secret;
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      received.resolve(await verifyRequest(request, { secret }));
      return new Response(null, { status: 204 });
    },
  });
  const url = `http://127.0.0.1:${server.port}/webhooks`;
  ({ secret } = await post('/webhooks', { workspace_id, url, events: ['order.shipped'] }));
  await post('/events', { type: 'order.shipped', payload: { order: 'ord_1' } });
  expect(await received.promise).toMatchObject({ ok: true });
  await server.stop();
});
