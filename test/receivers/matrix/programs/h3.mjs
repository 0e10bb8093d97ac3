import { H3, HTTPError, serve } from 'h3';
import { handle, verify } from './verify.mjs';

const app = new H3();
app.post('/webhooks', async (event) => {
  const body = Buffer.from(await event.req.arrayBuffer());
  const problem = verify(body, Object.fromEntries(event.req.headers));
  if (problem !== null) throw new HTTPError({ status: 401, message: problem });
  handle(JSON.parse(body));
  return new Response(null, { status: 204 });
});
await serve(app, { port: process.env.PORT, hostname: '127.0.0.1', silent: true }).ready();
