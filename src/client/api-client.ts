/** A client of the API `/v1` (§4 of the service description) for commands. */
import type * as v from 'valibot';
import type { PublicOperations } from '../contract/public-operations.ts';
import { CreatedWebhook, Event, pageOf, Workspace } from '../contract/resources.ts';
import { type IdKind, suggestWhereToLook } from '../domain/ids.ts';
import { findWebhookUrlError } from '../domain/webhook-url.ts';
import { type Hint, SvcError } from '../errors.ts';
import { type HttpRequest, type HttpResponse, sendRequest } from './http-request.ts';
import { parseResponse } from './parse-response.ts';

interface ApiClientOptions {
  /** Base URL, ends in `/v1` (§9). */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Additional certificates to trust, in PEM. */
  readonly ca?: string | undefined;
  /** The hint if nothing responds, as in `HttpRequest`. */
  readonly noResponseHint?: Hint | undefined;
  /** Replaces the error of a request by one that says more about its cause. */
  readonly explainError?: (error: unknown) => Promise<unknown>;
  /** Aborts every request in progress. */
  readonly signal?: AbortSignal | undefined;
  /** Sends a request (default: over the network). Rejects with the `SvcError` of a response that is not 2xx. */
  readonly send?: (request: ApiRequest) => Promise<HttpResponse>;
}

/** A request with its operation, which a client in the process of the emulator performs without an HTTP request. */
export interface ApiRequest extends HttpRequest {
  readonly operation: keyof PublicOperations;
  /** Fields in the path, percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** A response with its exact text: parsing can change numbers. */
export interface ApiResponse<Value> extends HttpResponse {
  readonly value: Value;
}

export type ApiClient = ReturnType<typeof createApiClient>;

type NewWebhook = v.InferInput<PublicOperations['createWebhook']['input']>;

/** What a request names, and a 404 response says does not exist. */
interface NamedResource {
  readonly kind: IdKind;
  /** Unless it is in a body or a query. */
  readonly id?: string;
}

/** Adds where to look to the error of a 404 response, because the envelope of §7 has no hint. */
function addHint(error: unknown, { kind, id = '' }: NamedResource): unknown {
  if (!(error instanceof SvcError) || error.code !== 'not_found' || error.hint !== undefined) return error;
  return new SvcError('not_found', error.message, { hint: suggestWhereToLook(id, kind), cause: error });
}

/** Replaces the error of a URL that the rule `public` rejects by the same error with its hint. */
function addUrlHint(error: unknown, url: string): unknown {
  const urlError = findWebhookUrlError('url', url, 'public');
  return error instanceof SvcError && error.message === urlError?.message ? urlError : error;
}

/** Each method rejects with the `SvcError` of the error envelope (§7), or `no_emulator` without a response. */
export function createApiClient({
  baseUrl,
  apiKey,
  ca,
  noResponseHint,
  explainError = async (error) => error,
  signal,
  send: sendOne = sendRequest,
}: ApiClientOptions) {
  const authorization = { authorization: `Bearer ${apiKey}` };

  async function send<Schema extends v.GenericSchema>(
    schema: Schema,
    path: string,
    resource: NamedResource,
    request: Pick<ApiRequest, 'operation' | 'method' | 'body'> & {
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<ApiResponse<v.InferOutput<Schema>>> {
    const url = new URL(baseUrl + path);
    const headers = { ...authorization, ...request.headers };
    const params: ApiRequest['params'] =
      resource.id === undefined ? {} : { id: encodeURIComponent(resource.id) };
    const options = { params, headers, ca, noResponseHint, signal };
    const response = await sendOne({ ...request, ...options, url }).catch(async (error) => {
      throw addHint(await explainError(error), resource);
    });
    return { ...response, value: parseResponse(schema, response.text, url.href) };
  }

  const get = <Schema extends v.GenericSchema>(
    operation: keyof PublicOperations,
    schema: Schema,
    path: string,
    resource: NamedResource,
  ) => send(schema, path, resource, { operation, method: 'GET' });

  const post = <Schema extends v.GenericSchema>(
    operation: keyof PublicOperations,
    schema: Schema,
    path: string,
    body: string,
    idempotencyKey?: string,
  ) =>
    send(
      schema,
      path,
      { kind: 'workspace' },
      {
        operation,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      },
    );

  return {
    /** @param body JSON text, sent unchanged. */
    createEvent: (body: string, idempotencyKey?: string) =>
      post('createEvent', Event, '/events', body, idempotencyKey),
    getEvent: (id: string) =>
      get('getEvent', Event, `/events/${encodeURIComponent(id)}`, { kind: 'event', id }),
    listEvents: (query: Readonly<Record<string, string>>) =>
      get('listEvents', pageOf(Event), `/events?${new URLSearchParams(query)}`, { kind: 'workspace' }),
    getWorkspace: (id: string) =>
      get('getWorkspace', Workspace, `/workspaces/${encodeURIComponent(id)}`, { kind: 'workspace', id }),
    createWebhook: (webhook: NewWebhook) =>
      post('createWebhook', CreatedWebhook, '/webhooks', JSON.stringify(webhook)).catch((error) => {
        throw addUrlHint(error, webhook.url);
      }),
  };
}
