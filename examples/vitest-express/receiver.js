import express from 'express';
import { verify } from 'svc-emulator/signature';

/**
 * An app that receives deliveries at `/webhooks`. `enqueue(event)` queues the work, which runs after the response. If it throws,
 * Express responds with 500 and the service retries later.
 */
export function createApp({ secret, enqueue }) {
  const accepted = new Set(); // In production: a unique column, written in one transaction with the job.
  const app = express();
  // `raw`, not `json`: the signature covers the bytes as they were sent.
  app.post('/webhooks', express.raw({ type: () => true }), (request, response) => {
    const { ok } = verify({
      payload: request.body,
      signature: request.get('Service-Signature'),
      timestamp: request.get('Service-Timestamp'),
      secret,
    });
    if (!ok) return response.sendStatus(400);
    const event = JSON.parse(request.body).data;
    if (!accepted.has(event.id)) {
      enqueue(event);
      accepted.add(event.id);
    }
    response.sendStatus(204);
  });
  return app;
}
