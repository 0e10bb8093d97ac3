/** The load of torture tests: clients that create events, and an unreliable receiver. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ReadyLine } from '../../src/cli/ready-line.ts';
import { createRandomSource } from '../../src/domain/secret.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createReceiver, type Receiver, type ReceiverResponse } from '../support/test-receiver.ts';
import { startSvc, waitUntilReady } from './svc-process.ts';

/** A `POST /v1/events` of a client, with all its retries. */
export interface Creation {
  /** Its number, which the payload contains. */
  readonly number: number;
  readonly type: string;
  readonly idempotencyKey: string | null;
  readonly body: string;
  /** The event record of every 2xx response, as text. */
  readonly records: string[];
  /** All other responses. */
  readonly refusals: ApiResult[];
}

export const subscriptions = [
  { path: '/all', events: ['*'] },
  { path: '/shipped', events: ['order.shipped', 'order.canceled'] },
  { path: '/never', events: ['invoice.paid'] },
] as const;

const CLIENTS = 6;
/** Pause between two requests of a client, so that the process is not always under full load. */
const PAUSE_MS = 3;

export class Load {
  readonly creations: Creation[] = [];
  readonly #random: () => number;
  readonly #payloadBytes: number;
  /** Creations with a key that got no response; a client retries them with the same key. */
  readonly #withoutResponse: Creation[] = [];

  /** @param random uniform in [0, 1) */
  constructor(random: () => number, { payloadBytes = 100 } = {}) {
    this.#random = random;
    this.#payloadBytes = payloadBytes;
  }

  /** Lets all clients create events until `isEnough` returns true or the emulator stops responding. */
  async run(svc: ReadyLine, isEnough: () => boolean = () => false): Promise<void> {
    const client = async () => {
      while (!isEnough() && (await this.#send(svc))) await wait(PAUSE_MS);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  /** Retries the creations without a response. */
  async finish(svc: ReadyLine): Promise<void> {
    await this.run(svc, () => this.#withoutResponse.length === 0);
  }

  /** @returns whether a response arrived. */
  async #send(svc: ReadyLine): Promise<boolean> {
    const creation = this.#withoutResponse.pop() ?? this.#create();
    try {
      const response = await post(svc, '/events', creation.body, creation.idempotencyKey);
      if (response.status < 300) creation.records.push(response.text);
      else creation.refusals.push(response);
      return true;
    } catch {
      if (creation.idempotencyKey !== null) this.#withoutResponse.push(creation);
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

/** Sends `POST /v1…`. Rejects if no complete response arrives. */
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
    if (status !== 201) throw new Error(`creating the endpoint failed: ${text}`);
  }
}

/** Moves the schedule clock until no delivery is pending. */
export async function settle({ control_url }: ReadyLine): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${control_url}/clock/settle`, { method: 'POST', headers, body: '{}' });
  if (!response.ok) throw new Error(`settling the clock failed: ${await response.text()}`);
  await response.arrayBuffer();
}

/** A receiver that fails, drops or delays one request in four, and always fails at `/never`. */
export function createUnreliableReceiver(random: () => number): Promise<Receiver> {
  return createReceiver(({ path }): ReceiverResponse => {
    if (path === '/never') return { status: 500 };
    const chance = random();
    if (chance < 0.1) return { status: 503 };
    if (chance < 0.15) return { drop: true };
    if (chance < 0.25) return { after: wait(20) };
    return {};
  });
}

/** Starts an emulator at high schedule speed with the endpoints of an unreliable receiver, and a load for it. */
export async function startUnderLoad(seed: number, options: { readonly payloadBytes?: number } = {}) {
  const { next: random } = createRandomSource(seed);
  const folder = createTemporaryFolder();
  const receiver = await createUnreliableReceiver(random);
  const svc = startSvc({ folder, speed: 20_000 });
  const ready = await waitUntilReady(svc);
  await subscribe(ready, receiver);
  return {
    random,
    folder,
    receiver,
    svc,
    load: new Load(random, options),
    ready,
    /** Sends a request to the control plane. */
    async control(method: string, path: string, body?: object): Promise<ApiResult> {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(ready.control_url + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await svc[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
}
