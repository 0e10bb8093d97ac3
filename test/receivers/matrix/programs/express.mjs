import express from 'express';
import { handle, verify } from './verify.mjs';

const app = express();
const rawBody = express.raw({ type: 'application/json', limit: '1mb' });
app.post('/webhooks', rawBody, ({ body, headers }, response) => {
  const problem = verify(body, headers);
  if (problem !== null) return response.status(401).json({ error: problem });
  handle(JSON.parse(body));
  response.sendStatus(204);
});
app.listen(process.env.PORT, '127.0.0.1');
