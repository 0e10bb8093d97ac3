/**
 * A receiver that costs as little as can be, on bare sockets: what it takes from the machine is missing to what is
 * measured. It notes when each event arrived, and how often.
 */
import { createServer, type Socket } from 'node:net';

export interface Arrival {
  readonly at: number;
  times: number;
}

export interface Receiver {
  readonly url: string;
  /** By event id. */
  readonly arrivals: Map<string, Arrival>;
  /** Attempts in all. */
  count: number;
  /** Resolves when `count` has come to `target`. @throws when that takes longer than `limitMs`. */
  until(target: number, limitMs: number): Promise<void>;
  reset(): void;
  close(): void;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const EVENT_ID = /"data":\{"id":"(evt_\w+)"/;

/** @param status what every request is answered with. */
export async function startReceiver(status: 204 | 503 = 204): Promise<Receiver> {
  const answer = Buffer.from(
    `HTTP/1.1 ${status} Bench\r\n${status === 204 ? '' : 'Content-Length: 0\r\n'}\r\n`,
  );
  const sockets = new Set<Socket>();
  let look = () => {};
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    readMessages(socket, (_, body) => {
      receiver.count++;
      const id = EVENT_ID.exec(body)?.[1] ?? '';
      const known = receiver.arrivals.get(id);
      if (known) known.times++;
      else receiver.arrivals.set(id, { at: performance.now(), times: 1 });
      socket.write(answer);
      look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    arrivals: new Map(),
    count: 0,
    until: (target, limitMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${receiver.count} of ${target} arrived`)), limitMs);
        look = () => {
          if (receiver.count < target) return;
          clearTimeout(timer);
          look = () => {};
          resolve();
        };
        look();
      }),
    reset() {
      receiver.arrivals.clear();
      receiver.count = 0;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return receiver;
}

/** Calls `onMessage` with the head and the body of each HTTP message; a chunked body comes with its framing. */
export function readMessages(socket: Socket, onMessage: (head: string, body: string) => void): void {
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (;;) {
      const headEnd = held.indexOf(END_OF_HEAD);
      if (headEnd === -1) return;
      const head = held.toString('latin1', 0, headEnd);
      const bodyAt = headEnd + END_OF_HEAD.length;
      const end = endOf(head, held, bodyAt);
      if (held.length < end) return;
      const body = held.toString('utf8', bodyAt, end);
      held = held.subarray(end);
      onMessage(head, body);
    }
  });
}

/** Where a message ends; infinite where that has not come. The last chunk is found by its text, which no JSON holds. */
function endOf(head: string, held: Buffer, bodyAt: number): number {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return bodyAt + Number(length);
  if (!/^transfer-encoding: chunked/im.test(head)) return bodyAt;
  const last = held.indexOf(LAST_CHUNK, bodyAt - 2);
  return last === -1 ? Number.POSITIVE_INFINITY : last + LAST_CHUNK.length;
}
