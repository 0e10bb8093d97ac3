import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { handle, verify } from './verify.mjs';

const app = new Koa();
app.silent = true;
app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '1mb' }));
app.use((context) => {
  if (context.method !== 'POST' || context.path !== '/webhooks') return;
  const body = Buffer.from(context.request.rawBody);
  const problem = verify(body, context.headers);
  if (problem !== null) context.throw(401, problem);
  handle(JSON.parse(body));
  context.status = 204;
});
app.listen(process.env.PORT, '127.0.0.1');
