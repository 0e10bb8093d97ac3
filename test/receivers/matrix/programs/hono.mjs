import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { handle, verify } from './verify.mjs';

const app = new Hono();
app.post('/webhooks', async (context) => {
  const body = Buffer.from(await context.req.arrayBuffer());
  const problem = verify(body, context.req.header());
  if (problem !== null) throw new HTTPException(401, { message: problem });
  handle(JSON.parse(body));
  return context.body(null, 204);
});
serve({ fetch: app.fetch, port: process.env.PORT, hostname: '127.0.0.1' });
