// Serves a route of a framework without the framework: a handler of Next.js (pages), or functions for the Fetch API.
import { createServer } from 'node:http';
import { serve } from '@hono/node-server';

const route = await import(process.argv[2]);
const port = Number(process.env.PORT);
const print = (address) => process.stdout.write(`listening on ${address.port}\n`);
if (route.default === undefined) {
  // SvelteKit passes an object with the request, Next.js the request.
  const toArgument = (request) => Object.assign(request, { request });
  const fetch = (request) => (request.method === 'POST' ? route.POST(toArgument(request)) : route.GET());
  serve({ fetch, port, hostname: '127.0.0.1' }, print);
} else {
  const server = createServer(async (request, response) => {
    response.status = (code) => Object.assign(response, { statusCode: code });
    response.json = (value) => response.end(JSON.stringify(value));
    try {
      await route.default(request, response);
    } catch (error) {
      process.stderr.write(`${error.stack}\n`);
      response.writeHead(500).end();
    }
  });
  server.listen(port, '127.0.0.1', () => print(server.address()));
}
