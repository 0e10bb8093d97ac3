import fastify from 'fastify';
import { handle, verify } from './verify.mjs';

const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_, body) => body);
app.post('/webhooks', async ({ body, headers }, reply) => {
  const problem = verify(body, headers);
  if (problem !== null) throw Object.assign(new Error(problem), { statusCode: 401 });
  handle(JSON.parse(body));
  return reply.code(204).send();
});
await app.listen({ port: process.env.PORT, host: '127.0.0.1' });
