/** The least that can answer beside an open database: `bare-server.js <database>`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { announce } from './ready.ts';

const db = new Database(process.argv[2]);
const count = db.prepare('SELECT count(*) FROM workspaces').pluck();
const server = createServer((_, response) => response.end(String(count.get())));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  announce({ url: `http://127.0.0.1:${port}` }, () => db.close());
});
