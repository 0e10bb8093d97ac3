import Fastify from 'fastify';
import { verify } from 'svc-emulator/signature';

/**
 * An app that takes deliveries at `/webhooks`. `enqueue(event)` puts the work where it is taken up after the answer;
 * where it throws, Fastify answers 500 and the service tries again later.
 */
export function createApp({ secret, enqueue }) {
  const accepted = new Set(); // In production a unique column, written in one transaction with the job.
  const app = Fastify();
  // A plugin has content types of its own: other routes still get parsed JSON.
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
