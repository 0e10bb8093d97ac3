/** The events and endpoints of the benchmarks that send events. */

import { type Target, toRequest } from './load.ts';
import type { RunningProgram } from './programs.ts';

/** Time limit for the last delivery to arrive. */
export const ARRIVAL_LIMIT_MS = 60_000;

export interface EventLoad {
  /** Each endpoint receives events of its own type. */
  readonly endpoints: number;
  /** Connections of the client that creates the events. */
  readonly connections: number;
  readonly payload: object;
}

export const PAYLOAD = {
  order_id: 'ord_84720',
  carrier: 'DHL',
  items: [{ sku: 'A-1', quantity: 2 }],
  total: 129.95,
};

/** With the default of 8 concurrent deliveries per endpoint, enough to reach the total concurrency of 64. */
export const MANY_ENDPOINTS: EventLoad = { endpoints: 8, connections: 64, payload: PAYLOAD };

/** The load of one application on a developer's machine. The JSON text of the payload has 400 bytes. */
export const ONE_ENDPOINT: EventLoad = {
  endpoints: 1,
  connections: 16,
  payload: { ...PAYLOAD, note: 'x'.repeat(298) },
};

/** Registers an endpoint for each type of event. */
export async function registerEndpoints(
  emulator: RunningProgram,
  receiver: string,
  load: EventLoad,
): Promise<void> {
  const { url, apiKey, workspaceId } = emulator;
  for (const type of listTypes(load)) {
    const response = await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id: workspaceId, url: `${receiver}/${type}`, events: [type] }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

/** Creates events of all types, in turns. */
export function toTarget({ url, apiKey }: RunningProgram, load: EventLoad): Target {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const requests = listTypes(load).map((type) =>
    toRequest(`${url}/v1/events`, headers, JSON.stringify({ type, payload: load.payload })),
  );
  return { url, requests };
}

function listTypes({ endpoints }: EventLoad): string[] {
  return Array.from({ length: endpoints }, (_, each) => `bench.type${each}`);
}
