import { Hono } from 'hono';
import { verifyRequest } from 'svc-emulator/signature';

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  readonly secret: string;
  /** Queues the work, which runs after the response. If it throws, Hono responds with 500 and the service retries later. */
  enqueue(event: Event): void;
}

/** An app that receives deliveries at `/webhooks`. */
export function createApp({ secret, enqueue }: ReceiverOptions): Hono {
  const accepted = new Set<string>(); // In production: a unique column, written in one transaction with the job.
  const app = new Hono();
  app.post('/webhooks', async (context) => {
    const { ok, body } = await verifyRequest(context.req.raw, { secret });
    if (!ok) return context.body(null, 400);
    const event: Event = JSON.parse(body).data;
    if (!accepted.has(event.id)) {
      enqueue(event);
      accepted.add(event.id);
    }
    return context.body(null, 204);
  });
  return app;
}
