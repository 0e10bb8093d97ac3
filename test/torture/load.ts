/** What a tortured emulator has to do: clients that create events, and a receiver that is not always well. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ReadyLine } from '../../src/cli/ready-line.ts';
import { type Answer, createReceiver, type Receiver } from '../support/test-receiver.ts';

/** A `POST /v1/events` that a client made, as often as it had to. */
export interface Creation {
  /** Its place among all; the payload carries it. */
  readonly number: number;
  readonly type: string;
  readonly idempotencyKey: string | null;
  readonly body: string;
  /** The event record of every 2xx answer, as text. */
  readonly records: string[];
  /** All other answers. */
  readonly refusals: ApiResult[];
}

export const subscriptions = [
  { path: '/all', events: ['*'] },
  { path: '/shipped', events: ['order.shipped', 'order.canceled'] },
  { path: '/never', events: ['invoice.paid'] },
] as const;

const CLIENTS = 6;
/** Between two requests of a client, so that the process is seen in every state and not under full load alone. */
const PAUSE_MS = 3;

export class Load {
  readonly creations: Creation[] = [];
  readonly #random: () => number;
  readonly #payloadBytes: number;
  /** Creations with a key whose answer never came: a client asks again, with the same key. */
  readonly #open: Creation[] = [];

  /** @param random uniform in [0, 1) */
  constructor(random: () => number, { payloadBytes = 100 } = {}) {
    this.#random = random;
    this.#payloadBytes = payloadBytes;
  }

  /** Lets every client create events until `isEnough` holds or the emulator does not answer any more. */
  async run(svc: ReadyLine, isEnough: () => boolean = () => false): Promise<void> {
    const client = async () => {
      while (!isEnough() && (await this.#ask(svc))) await wait(PAUSE_MS);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  /** Asks again what is open. */
  async finish(svc: ReadyLine): Promise<void> {
    await this.run(svc, () => this.#open.length === 0);
  }

  /** @returns whether an answer came. */
  async #ask(svc: ReadyLine): Promise<boolean> {
    const creation = this.#open.pop() ?? this.#create();
    try {
      const answer = await post(svc, '/events', creation.body, creation.idempotencyKey);
      if (answer.status < 300) creation.records.push(answer.text);
      else creation.refusals.push(answer);
      return true;
    } catch {
      if (creation.idempotencyKey !== null) this.#open.push(creation);
      return false;
    }
  }

  #create(): Creation {
    const number = this.creations.length;
    const type = this.#random() < 0.05 ? 'invoice.paid' : 'order.shipped';
    const payload = { number, filling: 'é'.repeat(this.#payloadBytes / 2) };
    const creation: Creation = {
      number,
      type,
      idempotencyKey: this.#random() < 0.5 ? `creation-${number}` : null,
      body: JSON.stringify({ type, payload }),
      records: [],
      refusals: [],
    };
    this.creations.push(creation);
    return creation;
  }
}

export interface ApiResult {
  readonly status: number;
  readonly text: string;
}

/** `POST /v1…`. Rejects when no whole answer comes. */
export async function post(
  { base_url, api_key }: ReadyLine,
  path: string,
  body: string,
  idempotencyKey: string | null = null,
): Promise<ApiResult> {
  const headers = {
    authorization: `Bearer ${api_key}`,
    'content-type': 'application/json',
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const response = await fetch(base_url + path, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

/** Registers the endpoints of {@link subscriptions} at a receiver. */
export async function subscribe(svc: ReadyLine, receiver: Receiver): Promise<void> {
  for (const { path, events } of subscriptions) {
    const body = JSON.stringify({ workspace_id: svc.workspace_id, url: receiver.url + path, events });
    const { status, text } = await post(svc, '/webhooks', body);
    if (status !== 201) throw new Error(`the endpoint was refused: ${text}`);
  }
}

/** Moves the schedule clock until nothing is pending. */
export async function settle({ control_url }: ReadyLine): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${control_url}/clock/settle`, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(`the clock did not settle: ${await response.text()}`);
  await response.arrayBuffer();
}

/** A receiver that fails, drops or delays one request in four, and never takes an `invoice.paid` at `/never`. */
export function createUnreliableReceiver(random: () => number): Promise<Receiver> {
  return createReceiver(({ path }): Answer => {
    if (path === '/never') return { status: 500 };
    const mood = random();
    if (mood < 0.1) return { status: 503 };
    if (mood < 0.15) return { drop: true };
    if (mood < 0.25) return { after: wait(20) };
    return {};
  });
}
