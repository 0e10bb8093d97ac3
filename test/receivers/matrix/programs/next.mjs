import { handle, verify } from './verify.mjs';

export async function POST(request) {
  const body = Buffer.from(await request.arrayBuffer());
  const problem = verify(body, Object.fromEntries(request.headers));
  if (problem !== null) return Response.json({ error: problem }, { status: 401 });
  handle(JSON.parse(body));
  return new Response(null, { status: 204 });
}
