// Serves the route handler of the example for Next.js through the Fetch API, in the place of Next.js.
import { serve } from '@hono/node-server';
import { POST } from '../../fixtures/receivers/next.mjs';

serve({ fetch: POST, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`listening on ${port}\n`);
});
