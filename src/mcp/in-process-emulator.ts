/** Connects the tools to the emulator in this process. */
import { Event } from '../contract/resources.ts';
import { parseResponse, toServerError } from '../control/parse-response.ts';
import type { ConnectedEmulator } from './connected-emulator.ts';

interface InProcessOptions extends Omit<ConnectedEmulator, 'createEvent'> {
  /** Handles a request without the network. */
  readonly fetch: (request: Request) => Promise<Response>;
}

export function connectInProcess({ fetch, ...emulator }: InProcessOptions): ConnectedEmulator {
  return {
    ...emulator,
    async createEvent(body) {
      const { url, api_key } = await emulator.control.getStatus({});
      const address = `${url}/v1/events`;
      const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
      const response = await fetch(new Request(address, { method: 'POST', headers, body }));
      const text = await response.text();
      if (!response.ok) throw toServerError({ status: response.status, text }, address);
      return parseResponse(Event, text, address);
    },
  };
}
