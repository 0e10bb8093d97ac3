import { verifyRequest } from 'svc-emulator/signature';
import { queue } from '../queue.ts';

/** Receives deliveries at `/webhooks`. If the queue throws, Next.js responds with 500 and the service retries later. */
export async function POST(request: Request): Promise<Response> {
  const { ok, body } = await verifyRequest(request, { secret: process.env.SVC_WEBHOOK_SECRET });
  if (!ok) return new Response(null, { status: 400 });
  queue.put(JSON.parse(body).data);
  return new Response(null, { status: 204 });
}
