/** A small client of the public API `/v1` (§4 of the service description), for the commands that go through it. */
import type { CreatedWebhook, Event, Page, Workspace } from '../contract/resources.ts';
import { type HttpResponse, sendRequest } from './http-request.ts';

export interface ApiClientOptions {
  /** Base address, ending in `/v1` (§9). */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Certificates in PEM to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Aborts every request under way. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer with its exact text, in which no number has been changed by parsing. */
export interface ApiResponse<Value> extends HttpResponse {
  readonly value: Value;
}

/** Every call rejects with the `SvcError` of the error envelope (§7), or `no_emulator` when nothing answers. */
export interface ApiClient {
  /** @param body JSON text, sent as it is. */
  createEvent(body: string, idempotencyKey?: string): Promise<ApiResponse<Event>>;
  getEvent(id: string): Promise<ApiResponse<Event>>;
  listEvents(query: Readonly<Record<string, string>>): Promise<ApiResponse<Page<Event>>>;
  getWorkspace(id: string): Promise<ApiResponse<Workspace>>;
  createWebhook(webhook: NewWebhook): Promise<ApiResponse<CreatedWebhook>>;
}

export interface NewWebhook {
  readonly workspace_id: string;
  readonly url: string;
  readonly events: readonly string[];
}

export function createApiClient({ baseUrl, apiKey, ca, signal }: ApiClientOptions): ApiClient {
  const authorization = { authorization: `Bearer ${apiKey}` };

  async function get<Value>(path: string): Promise<ApiResponse<Value>> {
    const response = await sendRequest({
      method: 'GET',
      url: new URL(baseUrl + path),
      headers: authorization,
      ca,
      signal,
    });
    return { ...response, value: JSON.parse(response.text) };
  }

  async function post<Value>(
    path: string,
    body: string,
    idempotencyKey?: string,
  ): Promise<ApiResponse<Value>> {
    const response = await sendRequest({
      method: 'POST',
      url: new URL(baseUrl + path),
      headers: {
        ...authorization,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body,
      ca,
      signal,
    });
    return { ...response, value: JSON.parse(response.text) };
  }

  return {
    createEvent: (body, idempotencyKey) => post('/events', body, idempotencyKey),
    getEvent: (id) => get(`/events/${encodeURIComponent(id)}`),
    listEvents: (query) => get(`/events?${new URLSearchParams(query)}`),
    getWorkspace: (id) => get(`/workspaces/${encodeURIComponent(id)}`),
    createWebhook: (webhook) => post('/webhooks', JSON.stringify(webhook)),
  };
}
