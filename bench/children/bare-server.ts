/** A minimal server with an open database: `bare-server.js <database>`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSqlite } from '../../src/store/driver.ts';
import { printReadyLine } from './ready.ts';

const db = openSqlite(process.argv[2] ?? ':memory:');
const count = db.prepare('SELECT count(*) FROM workspaces').pluck();
const server = createServer((_, response) => response.end(String(count.get())));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  printReadyLine({ url: `http://127.0.0.1:${port}` }, () => db.close());
});
