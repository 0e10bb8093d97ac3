/** Sends requests to `/v1` of the emulator in this process, without the network. */
import { toServerError } from '../control/parse-response.ts';
import type { Emulator } from '../emulator.ts';

export interface ApiCaller {
  readonly emulator: Pick<Emulator, 'fetch' | 'status'>;
  readonly apiKey: string;
}

/**
 * Responds as the server would. A path is requested with the API key of the caller and with a JSON body, unless the headers
 * say otherwise. A `Request` is sent unchanged.
 */
export async function fetchWithKey(
  { emulator, apiKey }: ApiCaller,
  target: Request | URL | string,
  init: RequestInit = {},
): Promise<Response> {
  if (typeof target !== 'string' && !(target instanceof URL))
    return emulator.fetch(new Request(target, init));
  const headers = new Headers(init.headers);
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${apiKey}`);
  if (init.body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json');
  }
  return emulator.fetch(new Request(new URL(target, emulator.status().url), { ...init, headers }));
}

/** @returns the JSON body of a 2xx response @throws SvcError with the error of the server for any other status */
export async function requestJson<Value>(
  caller: ApiCaller,
  path: string,
  init: RequestInit = {},
): Promise<Value> {
  const response = await fetchWithKey(caller, path, init);
  const text = await response.text();
  if (!response.ok) throw toServerError({ status: response.status, text }, path);
  return JSON.parse(text) as Value;
}
