// Serves functions of AWS Lambda as a function URL does, with an emulator of DynamoDB.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';

const database = dynalite({ path: 'inbox.db', createTableMs: 0 });
await new Promise((resolve) => database.listen(0, '127.0.0.1', resolve));
Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${database.address().port}`,
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' },
});
await Promise.all([createTable('inbox', 'queue', 'due_at'), createTable('side_effects')]);
const { receive, work, listSideEffects } = await import('./receiver.mjs');
const print = (error) => process.stderr.write(`${error.stack}\n`);

async function createTable(TableName, queue, dueAt) {
  const throughput = { ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } };
  const toKeys = (hash, range) => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
  ];
  const attributes = [
    { AttributeName: 'event_id', AttributeType: 'S' },
    ...(queue ? [{ AttributeName: queue, AttributeType: 'S' }] : []),
    ...(dueAt ? [{ AttributeName: dueAt, AttributeType: 'N' }] : []),
  ];
  const due = { IndexName: 'due', KeySchema: toKeys(queue, dueAt), Projection: { ProjectionType: 'ALL' } };
  const command = new CreateTableCommand({
    ...{ TableName, KeySchema: toKeys('event_id'), AttributeDefinitions: attributes, ...throughput },
    ...(queue && { GlobalSecondaryIndexes: [{ ...due, ...throughput }] }),
  });
  // After a restart, the table exists.
  await new DynamoDBClient().send(command).catch((error) => {
    if (error.name !== 'ResourceInUseException') throw error;
  });
}

const server = createServer(async (request, response) => {
  try {
    const event = {
      headers: request.headers,
      body: (await buffer(request)).toString('base64'),
      isBase64Encoded: true,
    };
    const { statusCode, body } = await (request.method === 'POST' ? receive(event) : listSideEffects());
    response.writeHead(statusCode).end(body);
  } catch (error) {
    print(error);
    response.writeHead(502).end();
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  process.stdout.write(`listening on ${server.address().port}\n`);
});
for (;;) {
  await work().catch(print);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
