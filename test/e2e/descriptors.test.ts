import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createReceiver } from '../support/test-receiver.ts';
import { startSvc } from '../torture/svc-process.ts';
import { createTempFolder } from './cli-program.ts';

const LIMIT = 64;
/** Long enough for a busy machine. */
const POLL_OPTIONS = { timeout: 20_000 };
const folder = createTempFolder();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  folder.remove();
});

it.skipIf(process.platform === 'win32')(
  'svc emulator start with 64 file descriptors, all taken right after the start, keeps its deliveries and sends them when some are free [load.file-descriptors]',
  async () => {
    await using receiver = await createReceiver();
    const wrapper = ['sh', '-c', `ulimit -n ${LIMIT} && exec "$@"`, 'sh'];
    await using svc = startSvc({ folder: folder.cwd, wrapper });
    const ready = await svc.ready;
    if (ready === null) throw new Error(JSON.stringify(await svc.exited));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = async (url: string, body: unknown): Promise<number | undefined> => {
      const headers = { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' };
      const sent = request(url, { method: 'POST', headers, agent }).end(JSON.stringify(body));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode;
    };
    // This connection is opened before the others, and stays usable.
    const { workspace_id } = ready;
    await post(`${ready.base_url}/webhooks`, { workspace_id, url: receiver.url, events: ['*'] });
    const { port } = new URL(ready.url);
    for (let count = 0; count < 3 * LIMIT; count++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      sockets.push(socket);
    }
    // A connection that is open may not be accepted yet. The emulator closes one when it has no descriptor for it.
    await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const event = { type: 'order.shipped', payload: {} };
    expect(await post(`${ready.base_url}/events`, event)).toBe(201);
    await expect.poll(() => svc.stderr, POLL_OPTIONS).toContain('The process has no free file descriptor');
    for (const socket of sockets) socket.destroy();
    await receiver.waitFor(1);
    expect(await post(`${ready.base_url}/events`, event)).toBe(201);
    await receiver.waitFor(2);
    // An attempt is recorded after its request has arrived.
    const listDeliveries = async () => {
      const response = await fetch(`${ready.control_url}/deliveries`);
      return ((await response.json()) as { data: unknown[] }).data;
    };
    await expect.poll(listDeliveries, POLL_OPTIONS).toMatchObject([
      { status: 'succeeded', attempt_count: 1 },
      { status: 'succeeded', attempt_count: 1 },
    ]);
    agent.destroy();
    expect((await svc.end('SIGTERM')).code).toBe(0);
  },
);
