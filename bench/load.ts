/** Sends requests at a rate or as fast as possible, on raw sockets to use as little processor time as possible. */
import { connect, type Socket } from 'node:net';
import { readMessages } from './receiver.ts';

export interface SentRequest {
  readonly at: number;
  /** Body of the response. */
  readonly answer: string;
}

export interface Target {
  readonly url: string;
  /** Requests from {@link toRequest}, sent in turns. */
  readonly requests: readonly string[];
}

/** A `POST` request as text for the socket. */
export function toRequest(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const { host, pathname } = new URL(url);
  const all = { Host: host, ...headers, 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Sends `count` requests over `connections`. Each connection sends its next request after a response. */
export async function saturate(target: Target, count: number, connections: number): Promise<SentRequest[]> {
  const client = new Client(target);
  const sent: SentRequest[] = [];
  let asked = 0;
  const worker = async () => {
    while (asked < count) sent.push(await client.send(asked++));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  client.close();
  return sent;
}

/** Sends `perSecond` requests per second for `seconds` without waiting for responses. */
export async function sendAtRate(target: Target, perSecond: number, seconds: number): Promise<SentRequest[]> {
  const client = new Client(target);
  const count = perSecond * seconds;
  const answers: Promise<SentRequest>[] = [];
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
      while (answers.length < due) answers.push(client.send(answers.length));
      if (answers.length < count) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  const sent = await Promise.all(answers);
  client.close();
  return sent;
}

/** Shorter than the keep-alive timeout of servers, which would reset a connection that is used at that time. */
const IDLE_MS = 1_000;

interface PendingRequest {
  readonly text: string;
  take(head: string, body: string): void;
  reject(reason: Error): void;
}

/** Below the listen backlog of Node.js (511), beyond which connections are reset. */
const MAX_CONNECTIONS = 256;

class Client {
  readonly #requests: readonly string[];
  readonly #host: URL;
  readonly #idle: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #queue: PendingRequest[] = [];
  readonly #asked = new WeakMap<Socket, PendingRequest>();

  constructor({ url, requests }: Target) {
    this.#host = new URL(url);
    this.#requests = requests;
  }

  /** Sends on a free or new connection. At the maximum, it waits for a free one. */
  send(number: number): Promise<SentRequest> {
    const at = performance.now();
    return new Promise((resolve, reject) => {
      const take = (head: string, answer: string) => {
        if (head.startsWith('HTTP/1.1 2')) resolve({ at, answer });
        else reject(new Error(`The response was ${head}\n${answer}`));
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
      const pendingRequest = this.#asked.get(socket);
      this.#asked.delete(socket);
      this.#idle.push(socket);
      socket.setTimeout(IDLE_MS);
      pendingRequest?.take(head, body);
      this.#send();
    });
    const leave = (reason: Error) => {
      this.#asked.get(socket)?.reject(reason);
      this.#sockets.delete(socket);
      const place = this.#idle.indexOf(socket);
      if (place !== -1) this.#idle.splice(place, 1);
    };
    socket.on('error', leave);
    // Now and not on 'close', because until then it would be used as an idle connection.
    socket.on('timeout', () => {
      leave(new Error('The connection was idle.'));
      socket.destroy();
    });
    socket.on('close', () => leave(new Error('The connection was closed before the response.')));
    this.#sockets.add(socket);
    return socket;
  }
}
