import { Hono } from 'hono';
import { verifyRequest } from 'svc-emulator/signature';

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface ReceiverOptions {
  readonly secret: string;
  /**
   * Puts the work where it is taken up after the answer. Where it throws, Hono answers 500 and the service tries again
   * later.
   */
  enqueue(event: Event): void;
}

/** An app that takes deliveries at `/webhooks`. */
export function createApp({ secret, enqueue }: ReceiverOptions): Hono {
  const accepted = new Set<string>(); // In production a unique column, written in one transaction with the job.
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
