import Fastify from 'fastify';
import { verify } from 'svc-emulator/signature';

/**
 * An app that receives deliveries at `/webhooks`. `enqueue(event)` queues the work, which runs after the response. If it throws,
 * Fastify responds with 500 and the service retries later.
 */
export function createApp({ secret, enqueue }) {
  const accepted = new Set(); // In production: a unique column, written in one transaction with the job.
  const app = Fastify();
  // The parsers of a plugin apply only to its own routes: other routes still get parsed JSON.
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers();
    webhooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    webhooks.post('/webhooks', async ({ body, headers }, reply) => {
      const { ok } = verify({
        payload: body ?? '',
        signature: headers['service-signature'],
        timestamp: headers['service-timestamp'],
        secret,
      });
      if (!ok) return reply.code(400).send();
      const event = JSON.parse(body).data;
      if (!accepted.has(event.id)) {
        enqueue(event);
        accepted.add(event.id);
      }
      return reply.code(204).send();
    });
  });
  return app;
}
