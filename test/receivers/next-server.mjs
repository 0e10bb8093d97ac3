// Serves the route handlers of the Next.js example through the Fetch API instead of Next.js.
import { serve } from '@hono/node-server';
import { GET, POST } from './app/webhooks/route.js';

const fetch = (request) => (request.method === 'POST' ? POST(request) : GET());
serve({ fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`listening on ${port}\n`);
});
