// A receiver with a mistake: it verifies the body that it has parsed and serialized again. It returns the digest that it computes,
// so that `svc explain` can name the mistake. docs/debug.md and the recording in README.md show it.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

createServer(async (request, response) => {
  const raw = await buffer(request);
  const body = JSON.stringify(JSON.parse(raw));
  const hmac = createHmac('sha256', process.env.SVC_WEBHOOK_SECRET).update(
    `${request.headers['service-timestamp']}.`,
  );
  const digest = hmac.update(body).digest('hex');
  const isValid = request.headers['service-signature'] === `v1=${digest}`;
  response.writeHead(isValid ? 204 : 400).end(isValid ? '' : `invalid signature ${digest}`);
}).listen(process.env.PORT, '127.0.0.1');
