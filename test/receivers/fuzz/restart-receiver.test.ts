import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { waitUntilListening } from '../../../src/receivers/fuzz/restart-receiver.ts';
import { listenDuringTest } from '../../support/local-server.ts';

const { signal } = new AbortController();

/** A proxy whose receiver does not listen yet: it accepts connections, and handles the first ones in another way. */
async function startProxy(early: readonly (string | null)[]) {
  let connections = 0;
  const server = createServer((socket) => {
    const response = connections < early.length ? early[connections] : 'HTTP/1.1 404 Not Found';
    connections++;
    if (response === null) socket.destroy();
    else socket.once('data', () => socket.end(`${response}\r\nContent-Length: 0\r\n\r\n`));
  });
  const url = `http://127.0.0.1:${await listenDuringTest(server)}/`;
  return { url, countConnections: () => connections };
}

it.each<readonly [string, readonly (string | null)[]]>([
  ['closes connections without a response', [null, null, null]],
  ['responds with 502, 503 and 504', ['HTTP/1.1 502 x', 'HTTP/1.1 503 x', 'HTTP/1.1 504 x']],
])('waitUntilListening waits while the proxy of a receiver %s', async (_, early) => {
  const proxy = await startProxy(early);
  await waitUntilListening(proxy.url, signal);
  expect(proxy.countConnections()).toBe(4);
});

it('waitUntilListening ends with its signal', async () => {
  const ending = new AbortController();
  const proxy = await startProxy(Array(1_000).fill(null));
  const waiting = waitUntilListening(proxy.url, ending.signal);
  ending.abort();
  await expect(waiting).resolves.toBeUndefined();
});
