/**
 * A receiver on raw sockets, which uses as little processor time as possible. It records when and how often each event
 * arrived.
 */
import { createServer, type Socket } from 'node:net';

export interface Arrival {
  readonly at: number;
  times: number;
}

export interface Receiver {
  readonly url: string;
  /** Arrivals by event id. */
  readonly arrivals: Map<string, Arrival>;
  /** Total number of attempts. */
  count: number;
  /** Resolves when `count` reaches `target`. @throws Error after `limitMs`. */
  until(target: number, limitMs: number): Promise<void>;
  reset(): void;
  close(): void;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const EVENT_ID = /"data":\{"id":"(evt_\w+)"/;

/** @param status of every response. */
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

/** Calls `onMessage` with the head and the body of each HTTP message; a chunked body includes its framing. */
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

/** End of a message; infinite if it is incomplete. Finds the last chunk by its text, which JSON cannot contain. */
function endOf(head: string, held: Buffer, bodyAt: number): number {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return bodyAt + Number(length);
  if (!/^transfer-encoding: chunked/im.test(head)) return bodyAt;
  const last = held.indexOf(LAST_CHUNK, bodyAt - 2);
  return last === -1 ? Number.POSITIVE_INFINITY : last + LAST_CHUNK.length;
}
