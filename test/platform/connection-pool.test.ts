import { connect as connectTo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionPool } from '../../src/platform/connection-pool.ts';
import { listenDuringTest } from '../support/local-server.ts';

/** A pool of one connection to a server, which accepts its connections in the order of `accepted`. */
async function openPool() {
  const accepted: Socket[] = [];
  const port = await listenDuringTest(createServer((socket) => void accepted.push(socket)));
  const pool = new ConnectionPool(1);
  const open = () =>
    pool.open(async () => {
      const socket = connectTo(port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    });
  return { pool, accepted, open };
}

it('bytes of a receiver that no request waits for close the connection', async () => {
  const { pool, accepted, open } = await openPool();
  const connection = await open();
  const closed = new Promise((resolve) => connection.socket.once('close', resolve));
  pool.release(connection);
  await expect.poll(() => accepted.length).toBe(1);
  accepted[0]?.write('HTTP/1.1 200 OK\r\n\r\n');
  await closed;
  // The place of the connection is free.
  expect(await new Promise((resolve) => pool.acquire((idle) => resolve(idle)))).toBeUndefined();
});

it('a connection that ended while it was opened leaves its place to the next request', async () => {
  const { pool } = await openPool();
  const opening = pool.open(async () =>
    connectTo(1, '127.0.0.1')
      .on('error', () => {})
      .destroy(),
  );
  let isFree = false;
  pool.acquire(() => {
    isFree = true;
  });
  expect(isFree).toBe(false);
  await expect(opening).rejects.toThrow('The connection was closed.');
  expect(isFree).toBe(true);
});
