import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createReceiver } from '../support/receiver.ts';
import { startSvc } from '../torture/svc-process.ts';
import { createPlace } from './cli-program.ts';

const LIMIT = 64;
const place = createPlace();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  place.remove();
});

it.skipIf(process.platform === 'win32')(
  'svc emulator start with 64 file descriptors, all taken right after the start, keeps its deliveries and sends them once some are free',
  async () => {
    await using receiver = await createReceiver();
    const under = ['sh', '-c', `ulimit -n ${LIMIT} && exec "$@"`, 'sh'];
    await using svc = startSvc({ folder: place.cwd, under });
    const ready = await svc.ready;
    if (ready === null) throw new Error(JSON.stringify(await svc.ended));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = async (url: string, body: unknown): Promise<number | undefined> => {
      const headers = { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', headers, agent }).end(JSON.stringify(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    // This connection is open before the flood, and stays usable in it.
    const { workspace_id } = ready;
    await post(`${ready.base_url}/webhooks`, { workspace_id, url: receiver.url, events: ['*'] });
    const { port } = new URL(ready.url);
    for (let count = 0; count < 3 * LIMIT; count++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      sockets.push(socket);
    }
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve).on('close', resolve))),
    );
    const event = { type: 'order.shipped', payload: {} };
    expect(await post(`${ready.base_url}/events`, event)).toBe(201);
    // Until the HTTP client was to be loaded, and the attempt made.
    await wait(1_500);
    for (const socket of sockets) socket.destroy();
    await receiver.waitFor(1);
    expect(await post(`${ready.base_url}/events`, event)).toBe(201);
    await receiver.waitFor(2);
    const listed = await fetch(`${ready.control_url}/deliveries`);
    const { data } = (await listed.json()) as { data: { status: string; attempt_count: number }[] };
    expect(data).toMatchObject([
      { status: 'succeeded', attempt_count: 1 },
      { status: 'succeeded', attempt_count: 1 },
    ]);
    agent.destroy();
    const { code, said } = await svc.end('SIGTERM');
    expect([code, said]).toEqual([0, expect.stringContaining('No file descriptor is free')]);
  },
);
