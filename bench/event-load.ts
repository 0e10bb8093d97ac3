/** The events and endpoints of the throughput benchmarks. */

import { type Target, toRequest } from './load.ts';
import type { RunningProgram } from './programs.ts';

/** With the default of 8 concurrent deliveries per endpoint, enough to reach the total concurrency of 64. */
export const ENDPOINTS = 8;
export const CONNECTIONS = 64;
/** Time limit for the last delivery to arrive. */
export const ARRIVAL_LIMIT_MS = 60_000;

export const PAYLOAD = {
  order_id: 'ord_84720',
  carrier: 'DHL',
  items: [{ sku: 'A-1', quantity: 2 }],
  total: 129.95,
};

const types = Array.from({ length: ENDPOINTS }, (_, each) => `bench.type${each}`);

/** Registers an endpoint for each type of event. */
export async function registerEndpoints(emulator: RunningProgram, receiver: string): Promise<void> {
  const { url, apiKey, workspaceId } = emulator;
  for (const type of types) {
    const response = await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id: workspaceId, url: `${receiver}/${type}`, events: [type] }),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

/** Creates events of all types, in turns. */
export function toTarget({ url, apiKey }: RunningProgram): Target {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
  const requests = types.map((type) =>
    toRequest(`${url}/v1/events`, headers, JSON.stringify({ type, payload: PAYLOAD })),
  );
  return { url, requests };
}
