/** A client of the API `/v1` (§4 of the service description). */
import type * as v from 'valibot';
import { type Hint, SvcError } from '../domain/errors.ts';
import { suggestWhereToLook } from '../domain/ids.ts';
import { publicRoutes } from '../domain/public-routes.ts';
import { expandPath, withQuery } from '../operations/operation.ts';
import { pageOf } from '../resources/define-resource.ts';
import { Event } from '../resources/event.ts';
import { type HttpResponse, sendRequest } from './http-client.ts';
import { isSuccess, parseResponse, toServerError } from './parse-response.ts';

interface ApiClientOptions {
  /** Base URL, ends in `/v1` (§9). */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Additional certificates to trust, in PEM. */
  readonly ca?: string | undefined;
  /** The hint if nothing responds, as in `HttpRequest`. */
  readonly noResponseHint?: Hint | undefined;
  /** Aborts every request in progress. */
  readonly signal?: AbortSignal | undefined;
}

/** A response with its exact text: parsing can change numbers. */
export interface ParsedResponse<Value> extends HttpResponse {
  readonly value: Value;
}

export type ApiClient = ReturnType<typeof createApiClient>;

const outputs = {
  createEvent: Event,
  getEvent: Event,
  listEvents: pageOf(Event),
} as const;

interface CallInput {
  readonly id?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** JSON text, sent unchanged. */
  readonly body?: string;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Adds where to look to the error of a 404 response, because the envelope of §7 has no hint. An internal error of the API, which a fault
 * can inject, is not one of this process.
 */
function explainError(error: unknown, id: string | undefined): unknown {
  if (!(error instanceof SvcError)) return error;
  if (error.code === 'internal_error') return new SvcError('api_failure', error.message, { cause: error });
  if (error.code !== 'not_found' || error.hint !== undefined) return error;
  const hint = suggestWhereToLook(id ?? '', id === undefined ? 'workspace' : 'event');
  return new SvcError('not_found', error.message, { hint, cause: error });
}

/** Each method rejects with the `SvcError` of the error envelope (§7), or `no_emulator` without a response. */
export function createApiClient({ baseUrl, apiKey, ca, noResponseHint, signal }: ApiClientOptions) {
  async function call<Name extends keyof typeof outputs>(
    operation: Name,
    { id, query = {}, body, idempotencyKey }: CallInput,
  ): Promise<ParsedResponse<v.InferOutput<(typeof outputs)[Name]>>> {
    const { method, path } = publicRoutes[operation];
    const url = withQuery(baseUrl + expandPath(path, () => encodeURIComponent(id ?? '')), query);
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    try {
      const response = await sendRequest({
        method,
        url,
        headers,
        ...(body !== undefined && { body }),
        ca,
        noResponseHint,
        signal,
      });
      if (!isSuccess(response.status)) throw toServerError(response, url.href);
      return { ...response, value: parseResponse(outputs[operation], response.text, url.href) };
    } catch (error) {
      throw explainError(error, id);
    }
  }

  return {
    /** @param body JSON text, sent unchanged. */
    createEvent: (body: string, idempotencyKey?: string) => call('createEvent', { body, idempotencyKey }),
    getEvent: (id: string) => call('getEvent', { id }),
    listEvents: (query: Readonly<Record<string, unknown>>) => call('listEvents', { query }),
  };
}
