/** Requests at a rate or as fast as they are answered, on bare sockets for the same reason as the receiver. */
import { connect, type Socket } from 'node:net';
import { readMessages } from './receiver.ts';

export interface Sent {
  /** Of the event that the answer names. */
  readonly id: string;
  readonly at: number;
}

export interface Target {
  readonly url: string;
  readonly apiKey: string;
  /** Events are of as many types, in turns, one for each endpoint. */
  readonly endpoints: number;
}

const PAYLOAD = {
  order_id: 'ord_84720',
  carrier: 'DHL',
  items: [{ sku: 'A-1', quantity: 2 }],
  total: 129.95,
};

/** Creates `count` events over `connections`, each sending as soon as it was answered. */
export async function saturate(target: Target, count: number, connections: number): Promise<Sent[]> {
  const client = new Client(target);
  const sent: Sent[] = [];
  let asked = 0;
  const worker = async () => {
    while (asked < count) sent.push(await client.createEvent(asked++));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  client.close();
  return sent;
}

/** Creates `perSecond` events a second for `seconds`, whether earlier ones were answered or not. */
export async function sendAtRate(target: Target, perSecond: number, seconds: number): Promise<Sent[]> {
  const client = new Client(target);
  const count = perSecond * seconds;
  const answers: Promise<Sent>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
      while (answers.length < due) answers.push(client.createEvent(answers.length));
      if (answers.length < count) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  const sent = await Promise.all(answers);
  client.close();
  return sent;
}

/** Well before a server closes what is idle: it resets the connection of a request that comes just then. */
const IDLE_MS = 1_000;

interface Asked {
  readonly text: string;
  take(head: string, body: string): void;
  reject(reason: Error): void;
}

/** Fewer than a server lets wait to be accepted (511): the system resets those beyond. */
const MAX_CONNECTIONS = 256;

class Client {
  readonly #requests: string[];
  readonly #host: URL;
  readonly #idle: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #queue: Asked[] = [];
  readonly #asked = new WeakMap<Socket, Asked>();

  constructor({ url, apiKey, endpoints }: Target) {
    this.#host = new URL(url);
    this.#requests = Array.from({ length: endpoints }, (_, each) => {
      const body = JSON.stringify({ type: `bench.type${each}`, payload: PAYLOAD });
      return `POST /v1/events HTTP/1.1\r\nHost: ${this.#host.host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    });
  }

  /** Sends at once, or as soon as a connection is free where there are as many as may be. */
  createEvent(number: number): Promise<Sent> {
    const at = performance.now();
    return new Promise((resolve, reject) => {
      const take = (head: string, body: string) => {
        const id = /"id":"(evt_\w+)"/.exec(body)?.[1];
        if (id && head.startsWith('HTTP/1.1 201')) resolve({ id, at });
        else reject(new Error(`An event was answered with ${head}\n${body}`));
      };
      this.#queue.push({ text: this.#requests[number % this.#requests.length] ?? '', take, reject });
      this.#send();
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #send(): void {
    while (this.#queue.length > 0 && (this.#idle.length > 0 || this.#sockets.size < MAX_CONNECTIONS)) {
      const request = this.#queue.shift();
      const socket = this.#idle.pop() ?? this.#open();
      if (request === undefined) return;
      this.#asked.set(socket, request);
      socket.setTimeout(0);
      socket.write(request.text);
    }
  }

  #open(): Socket {
    const socket = connect({ host: this.#host.hostname, port: Number(this.#host.port), noDelay: true });
    readMessages(socket, (head, body) => {
      const asked = this.#asked.get(socket);
      this.#asked.delete(socket);
      this.#idle.push(socket);
      socket.setTimeout(IDLE_MS);
      asked?.take(head, body);
      this.#send();
    });
    const leave = (reason: Error) => {
      this.#asked.get(socket)?.reject(reason);
      this.#sockets.delete(socket);
      const place = this.#idle.indexOf(socket);
      if (place !== -1) this.#idle.splice(place, 1);
    };
    socket.on('error', leave);
    // At once, not when it has closed: until then it would still pass for idle, and swallow a request.
    socket.on('timeout', () => {
      leave(new Error('The connection was idle.'));
      socket.destroy();
    });
    socket.on('close', () => leave(new Error('The connection was closed before the answer.')));
    this.#sockets.add(socket);
    return socket;
  }
}
