/** Events and endpoints of the emulator, as the benchmarks of throughput use them. */

import { type Target, toRequest } from './load.ts';
import type { RunningProgram } from './programs.ts';

/** Each takes eight at once by default: as many as it takes to fill all places. */
export const ENDPOINTS = 8;
export const CONNECTIONS = 64;
/** How long the last delivery may take to arrive. */
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
    const answer = await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id: workspaceId, url: `${receiver}/${type}`, events: [type] }),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
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
