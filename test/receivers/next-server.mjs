// Serves the route handler of the Next.js example through the Fetch API instead of Next.js.
import { serve } from '@hono/node-server';
import { POST } from '../../fixtures/receivers/next.mjs';

serve({ fetch: POST, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`listening on ${port}\n`);
});
