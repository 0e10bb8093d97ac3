/** Keeps the connections to an origin for later requests, and limits their number. */
import type { Socket } from 'node:net';

export interface Connection {
  readonly socket: Socket;
  /** Called for each part of a response, before Node.js parses it. */
  onData: () => void;
}

/** Called with an idle connection, or without one if it may open one. */
type Turn = (idle?: Connection) => void;

/** Idle connections are closed after this time, because many servers close them after five seconds. */
const IDLE_LIMIT_MS = 4_000;

export class ConnectionPool {
  readonly #limit: number;
  /** With those that are being opened. */
  #count = 0;
  #idle: Connection[] = [];
  /** In order. */
  readonly #waiting = new Set<Turn>();

  /** @param limit maximum number of connections */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls `turn` now or when there is a free connection. */
  acquire(turn: Turn): void {
    // The receiver may have closed a connection, which is not yet reported.
    let connection = this.#idle.pop();
    while (connection?.socket.writable === false) connection = this.#idle.pop();
    if (connection !== undefined) turn(connection);
    else if (this.#count < this.#limit) turn();
    else this.#waiting.add(turn);
  }

  cancel(turn: Turn): void {
    this.#waiting.delete(turn);
  }

  async open(connect: () => Promise<Socket>): Promise<Connection> {
    this.#count++;
    try {
      const socket = await connect();
      if (socket.destroyed) throw new Error('The connection was closed.');
      const connection = { socket, onData: () => {} };
      socket.setTimeout(IDLE_LIMIT_MS, () => this.#idle.includes(connection) && socket.destroy());
      socket.on('data', () => connection.onData()).on('close', () => this.#remove(connection));
      return connection;
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  /** Makes a connection idle after its request, unless the request or the receiver closes it. */
  release(connection: Connection): void {
    const { socket } = connection;
    if (!socket.writable) return;
    // A response without a request would be that of the next one.
    connection.onData = () => socket.destroy();
    this.#idle.push(connection);
    this.#startNext();
  }

  closeIdle(): void {
    for (const { socket } of this.#idle) socket.destroy();
  }

  #remove(connection?: Connection): void {
    this.#count--;
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    this.#startNext();
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.acquire(next);
  }
}
